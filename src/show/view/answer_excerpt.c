// SPDX-License-Identifier: Apache-2.0
/*
 * A part of the recording as a file of its own. A process of its own reads the recording again and keeps what lies in
 * the part (excerpt.h), which is made longer so that inferences are whole. What is live has no file to read again.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "show/view/view_in.h"
#include "trace/import/excerpt.h"
#include "trace/perfetto/perfetto_write.h"

enum { MOST_AT_A_TIME = 2 };

struct cut {
	const char *path;
	uint64_t from_ns, to_ns;
};

struct job {
	struct http_job job; /* must be first */
	struct view *view;
	struct view_report report;
};

static int copy(const struct cut *cut, struct sink *out, struct err *err)
{
	struct import import = { 0 };
	struct excerpt excerpt;
	int code = import_open(&import, cut->path, err);

	excerpt_init(&excerpt, out, cut->from_ns, cut->to_ns);
	if (!code)
		code = import_read(&import, &excerpt.sink, err);
	if (!code)
		code = excerpt_end(&excerpt, err);
	excerpt_done(&excerpt);
	import_close(&import);
	return code;
}

static int write_cut(FILE *file, const void *ctx, struct err *err)
{
	static const struct perfetto_write_opts opts = { .compress = true, .is_import = true };
	struct names *names = names_new();
	uint32_t last_track = 0;
	struct perfetto_writer *to = names ? perfetto_write_new(fileno(file), names, &last_track, &opts, err) : NULL;
	struct err ignored;
	int code = to	   ? copy(ctx, perfetto_write_sink(to), err)
		   : names ? -err->code
			   : err_set(err, ENOMEM, "out of memory");

	if (perfetto_write_free(to, code ? &ignored : err) && !code)
		code = -err->code;
	names_free(names);
	return code;
}

static bool step(struct http_job *job, struct http_answer *answer)
{
	struct view_report *report = &((struct job *)job)->report;

	if (!view_report_is_done(report))
		return false;
	view_report_answer(report, answer);
	return true;
}

static void free_job(struct http_job *job)
{
	struct job *own = (struct job *)job;

	own->view->n_excerpts--;
	view_report_stop(&own->report);
	free(own);
}

/* Inferences that reach into it are in it as a whole. */
static void make_whole(const struct view *view, struct cut *cut)
{
	const struct cut part = *cut;

	for (uint32_t i = 0; i < view->n_lanes; i++) {
		const struct store_slices *slices = &store_track(view->store, view->lanes[i].track)->slices;

		for (size_t k = 0; k < slices->n; k++) {
			uint64_t begin_ns = slices->begin_ns[k], end_ns = slices->end_ns[k];

			if (slices->kind[k] != KIND_INFERENCE || end_ns == STORE_OPEN || end_ns < part.from_ns ||
			    begin_ns > part.to_ns)
				continue;
			cut->from_ns = begin_ns < cut->from_ns ? begin_ns : cut->from_ns;
			cut->to_ns = end_ns > cut->to_ns ? end_ns : cut->to_ns;
		}
	}
}

static const char *refuse(const struct view *view)
{
	if (view->n_excerpts >= MOST_AT_A_TIME)
		return "two parts are being written; ask again later";
	return view_refuse_again(view);
}

VIEW_ANSWER(excerpt)
{
	struct cut cut = { .path = view->path };
	const char *refused = refuse(view);
	struct view_report_source source = { .write = write_cut, .ctx = &cut };
	struct job *job;
	struct err err;

	if (!view_range(view, request, &cut.from_ns, &cut.to_ns)) {
		http_say(answer, 400, "from and to must be times, from before to");
		return NULL;
	}
	if (refused) {
		http_say(answer, 503, "%s", refused);
		return NULL;
	}
	make_whole(view, &cut);
	job = calloc(1, sizeof *job);
	if (!job || view_report_start(&job->report, &source, &err)) {
		free(job);
		view_say_no_memory(answer);
		return NULL;
	}
	job->report.type = "application/octet-stream";
	job->job = (struct http_job){ step, free_job, true };
	job->view = view;
	view->n_excerpts++;
	return &job->job;
}
