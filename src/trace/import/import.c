// SPDX-License-Identifier: Apache-2.0
/* Picks the importer of a file and reads it. Names no format. */
#include "trace/import/import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct importer *import_find(const char *first, size_t size)
{
	if (size > IMPORT_SNIFF)
		size = IMPORT_SNIFF;
	for (const struct importer *const *importer = importers; *importer; importer++)
		if ((*importer)->sniff(first, size))
			return *importer;
	return NULL;
}

static int refuse(const char *path, struct err *err)
{
	char list[240] = "";
	size_t used = 0;

	for (const struct importer *const *importer = importers; *importer && used < sizeof list; importer++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? "; " : "", (*importer)->help);
	return err_set(err, EBADMSG, "cannot read %s: its format is unknown; inftrace reads: %s", path, list);
}

/* The length of the mark of byte order that programs on other systems put in front of a text. */
static size_t mark_of(const struct input *input)
{
	return input->size > 3 && !memcmp(input->data, "\xef\xbb\xbf", 3) ? 3 : 0;
}

int import_open(struct import *import, const char *path, struct err *err)
{
	int code;

	*import = (struct import){ .path = path };
	code = input_open(&import->input, path, err);
	if (code)
		return code;
	if (!strcmp(path, "-"))
		import->path = INPUT_STANDARD;
	import->format =
	    import_find(import->input.data + mark_of(&import->input), import->input.size - mark_of(&import->input));
	return import->format ? 0 : refuse(import->path, err);
}

/* Of a large file, not all that was read stays in memory, and somebody may want to know how far it is. */
struct passage {
	struct sink sink;
	struct sink *out;
	const struct import *import;
	uint64_t n;
};

static void tick(const struct import *import, uint64_t n_events)
{
	const uint64_t *at = import->result.at;

	import->tick(import->tick_ctx, n_events, at ? (double)*at / (double)import->input.size : NAN);
}

enum { LARGE = 4 << 20, EVENTS = 1 << 18, TICK_EVENTS = 1 << 15 };

static int pass_on(struct sink *sink, const struct event *event, struct err *err)
{
	struct passage *passage = (struct passage *)sink;

	if (++passage->n % EVENTS == 0)
		input_forget(&passage->import->input);
	if (passage->n % TICK_EVENTS == 0 && passage->import->tick)
		tick(passage->import, passage->n);
	return sink_put(passage->out, event, err);
}

int import_read(struct import *import, struct sink *out, struct err *err)
{
	size_t mark = mark_of(&import->input);
	struct import_bytes bytes = { import->input.data + mark, import->input.size - mark, input_forget_part };
	struct passage passage = { { pass_on, out->names, out->last_track }, out, import, 0 };
	int code;

	import->result = (struct import_result){ 0 };
	code = import->format->read(&bytes, bytes.size > LARGE ? &passage.sink : out, &import->result, err);

	if (code) {
		err_wrap(err, "cannot read %s", import->path);
		return code;
	}
	if (import->result.is_cut)
		import->result.cut_at += mark;
	else if (import->input.is_cut) {
		import->result.is_cut = true;
		import->result.cut_at = import->input.size;
	}
	return 0;
}

void import_close(struct import *import)
{
	input_close(&import->input);
	*import = (struct import){ 0 };
}
