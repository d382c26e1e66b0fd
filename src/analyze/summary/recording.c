// SPDX-License-Identifier: Apache-2.0
/* Reads a file of any format that can be imported into a store. Prints nothing, computes nothing itself. */
#include "analyze/summary/recording.h"

#include <errno.h>

#include "trace/import/import.h"

static int read_file(struct recording *to, struct import *import, struct err *err)
{
	struct summary_file file = { .path = import->path, .bytes = import->input.size };
	int code = import_read(import, store_sink(to->store), err);

	if (code)
		return code;
	file.is_cut = import->result.is_cut;
	file.cut_at = import->result.cut_at;
	file.n_late = import->result.n_late;
	to->summary = summary_new(to->store, &file, err);
	return to->summary ? 0 : -ENOMEM;
}

int recording_open(struct recording *recording, const char *path, struct err *err)
{
	struct import import;
	int code = import_open(&import, path, err);

	*recording = (struct recording){ 0 };
	if (!code) {
		recording->names = names_new();
		recording->store = recording->names ? store_new(recording->names, &recording->last_track) : NULL;
		code = recording->store ? read_file(recording, &import, err)
					: err_set(err, ENOMEM, "cannot read %s: out of memory", import.path);
	}
	import_close(&import);
	return code;
}

void recording_close(struct recording *recording)
{
	summary_free(recording->summary);
	store_free(recording->store);
	names_free(recording->names);
	*recording = (struct recording){ 0 };
}
