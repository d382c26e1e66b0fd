// SPDX-License-Identifier: Apache-2.0
/* Reads a file of any format that can be imported into a summary, and a store. Prints nothing, computes nothing itself.
 */
#include "analyze/summary/recording.h"

#include <errno.h>

#include "event/tee.h"

static int read_into(struct import *import, struct sink *out, struct err *err)
{
	int code = import_read(import, out, err);

	return code ? code : sink_flush(out, err);
}

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
	code = read_into(import, out, err);
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

static int sum_up(struct recording *recording, struct import *import, const struct summary_opts *opts, bool with_store,
		  struct err *err)
{
	struct summary_maker *maker = NULL;

	*recording = (struct recording){ .names = names_new() };
	if (recording->names && with_store)
		recording->store = store_new(recording->names, &recording->last_track);
	if (recording->names && (recording->store || !with_store))
		maker = summary_begin(recording->names, &recording->last_track, opts);
	return maker ? read_file(recording, import, maker, err)
		     : err_set(err, ENOMEM, "cannot read %s: out of memory", import->path);
}

static int open_it(struct recording *recording, const char *path, const struct summary_opts *opts, bool with_store,
		   struct err *err)
{
	struct import import;
	int code = import_open(&import, path, err);

	*recording = (struct recording){ 0 };
	if (!code)
		code = sum_up(recording, &import, opts, with_store, err);
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

int recording_sum_up_open(struct recording *recording, struct import *import, struct err *err)
{
	return sum_up(recording, import, NULL, false, err);
}

int recording_keep_open(struct recording *recording, struct import *import, struct err *err)
{
	*recording = (struct recording){ .names = names_new() };
	if (recording->names)
		recording->store = store_new(recording->names, &recording->last_track);
	if (!recording->store)
		return err_set(err, ENOMEM, "cannot read %s: out of memory", import->path);
	return read_into(import, store_sink(recording->store), err);
}

void recording_close(struct recording *recording)
{
	summary_free(recording->summary);
	store_free(recording->store);
	names_free(recording->names);
	*recording = (struct recording){ 0 };
}
