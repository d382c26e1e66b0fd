// SPDX-License-Identifier: Apache-2.0
/* `inftrace report FILE`: reads a recording and prints what it says, as a page or as JSON. Computes nothing itself. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/term.h"
#include "export/export.h"
#include "trace/perfetto_read.h"

struct report_opts {
	const char *format;
	bool json, all, ascii;
};

static const struct opt report_opt_table[] = {
	{ 'f', "format", "text|json", "how to print it", OPT_CHOICE, offsetof(struct report_opts, format), "text" },
	{ 0, "json", NULL, "the same as --format json", OPT_FLAG, offsetof(struct report_opts, json) },
	{ 'a', "all", NULL, "show every operator, session and process, not the most important ones", OPT_FLAG,
	  offsetof(struct report_opts, all) },
	{ 0, "ascii", NULL, "print nothing but ASCII; by default where the locale says so", OPT_FLAG,
	  offsetof(struct report_opts, ascii) },
	{ 0 },
};

/* A file in memory; unmap_file undoes it. An empty one is at NULL. */
struct mapping {
	void *data;
	size_t size;
};

static int map_file(const char *path, struct mapping *to, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code = 0;
	struct stat stat;

	*to = (struct mapping){ 0 };
	if (fd < 0)
		return err_set(err, errno, "cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &stat))
		code = err_set(err, errno, "cannot look at %s: %s", path, strerror(errno));
	else if (!S_ISREG(stat.st_mode))
		code = err_set(err, EINVAL, "cannot read %s: it is not a file; a recording is read from a file", path);
	else if (!stat.st_size)
		code = err_set(err, EINVAL, "cannot read %s: it is empty, nothing was recorded", path);
	else if ((to->data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
		code = err_set(err, errno, "cannot map %s into memory: %s", path, strerror(errno));
	else
		to->size = (size_t)stat.st_size;
	close(fd);
	if (!code)
		madvise(to->data, to->size, MADV_SEQUENTIAL);
	return code;
}

static void unmap_file(struct mapping *mapping)
{
	if (mapping->size)
		munmap(mapping->data, mapping->size);
}

static void print(const struct report_opts *opts, const struct summary *summary)
{
	struct export_opts text = {
		.has_color = *term_style(stdout, TERM_BOLD) != 0,
		.is_ascii = opts->ascii || term_wants_ascii(),
		.is_all = opts->all,
		.width = term_page_width(),
	};

	if (opts->json || !strcmp(opts->format, "json"))
		export_json(stdout, summary);
	else
		export_text(stdout, summary, &text);
}

static int report(const struct report_opts *opts, const char *path, const struct mapping *mapping, struct err *err)
{
	uint32_t last_track = 0;
	struct names *names = names_new();
	struct store *store = names ? store_new(names, &last_track) : NULL;
	struct perfetto_read_result result = { 0 };
	struct summary_file file = { .path = path, .bytes = mapping->size };
	struct summary *summary = NULL;
	int code = store ? 0 : err_set(err, ENOMEM, "cannot read %s: out of memory", path);

	if (!code && (code = perfetto_read(mapping->data, mapping->size, store_sink(store), &result, err)))
		err_wrap(err, "cannot read %s", path);
	if (!code) {
		file.is_cut = result.is_cut;
		file.cut_at = result.cut_at;
		file.n_late = result.n_late;
		summary = summary_new(store, &file, err);
		code = summary ? 0 : -ENOMEM;
	}
	if (!code)
		print(opts, summary);
	summary_free(summary);
	store_free(store);
	names_free(names);
	return code;
}

static int report_run(const void *opts, int argc, char **argv, struct err *err)
{
	struct mapping mapping;
	int code = map_file(argv[0], &mapping, err);

	if (!code)
		code = report(opts, argv[0], &mapping, err);
	unmap_file(&mapping);
	return code;
}

const struct cmd cmd_report = {
	.name = "report",
	.usage = "[options] FILE",
	.summary = "say what a recording holds, on a page",
	.help = "The first sentence is the answer; the sections below it say what ran, how session creation and "
		"inferences divide into "
		"their parts, which operators take the time, what it cost in CPU and memory, and what is missing from "
		"the recording.\n\n"
		"Figures: percentiles are nearest ranks; a mean comes with its 95 % confidence interval; the first "
		"inference of each "
		"session, failed ones and those cut off are counted apart. Shares are of the wall time of inferences, "
		"and add up: what no "
		"operator explains is unattributed.\n\n"
		"FILE is a recording of inftrace, or any other Perfetto trace.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace report inftrace.pftrace", "the page" },
		{ "inftrace report --all inftrace.pftrace | less -R", "with every operator" },
		{ "inftrace report --json inftrace.pftrace | jq .models[0].inferences.latency.p99_ns", "one number" },
		{ 0 },
	    },
	.opts = report_opt_table,
	.opts_size = sizeof(struct report_opts),
	.min_args = 1,
	.max_args = 1,
	.run = report_run,
};
