// SPDX-License-Identifier: Apache-2.0
/* Reads a file of any format that can be imported into a summary, and a store. Prints nothing, computes nothing itself.
 */
#include "analyze/summary/recording.h"

#include <errno.h>

#include "event/tee.h"
#include "trace/import/import.h"

static int read_file(struct recording *to, struct import *import, struct summary_maker *maker, struct err *err)
{
	struct sink *both[] = { summary_sink(maker), to->store ? store_sink(to->store) : NULL }, *out = both[0];
	struct summary_file file = { .path = import->path, .bytes = import->input.size };
	struct tee tee;
	int code;

	if (to->store) {
		tee_init(&tee, both, 2);
		out = &tee.sink;
	}
	code = import_read(import, out, err);
	if (!code)
		code = sink_flush(out, err);
	if (code) {
		summary_drop(maker);
		return code;
	}
	file.is_cut = import->result.is_cut;
	file.cut_at = import->result.cut_at;
	file.n_late = import->result.n_late;
	to->summary = summary_end(maker, &file, err);
	if (to->summary)
		to->summary->store = to->store;
	return to->summary ? 0 : -ENOMEM;
}

static int open_it(struct recording *recording, const char *path, const struct summary_opts *opts, bool with_store,
		   struct err *err)
{
	struct summary_maker *maker = NULL;
	struct import import;
	int code = import_open(&import, path, err);

	*recording = (struct recording){ 0 };
	if (!code) {
		recording->names = names_new();
		if (recording->names && with_store)
			recording->store = store_new(recording->names, &recording->last_track);
		if (recording->names && (recording->store || !with_store))
			maker = summary_begin(recording->names, &recording->last_track, opts);
		code = maker ? read_file(recording, &import, maker, err)
			     : err_set(err, ENOMEM, "cannot read %s: out of memory", import.path);
	}
	import_close(&import);
	return code;
}

int recording_open(struct recording *recording, const char *path, struct err *err)
{
	return open_it(recording, path, NULL, true, err);
}

int recording_open_with(struct recording *recording, const char *path, const struct summary_opts *opts, struct err *err)
{
	return open_it(recording, path, opts, true, err);
}

int recording_sum_up(struct recording *recording, const char *path, const struct summary_opts *opts, struct err *err)
{
	return open_it(recording, path, opts, false, err);
}

void recording_close(struct recording *recording)
{
	summary_free(recording->summary);
	store_free(recording->store);
	names_free(recording->names);
	*recording = (struct recording){ 0 };
}
