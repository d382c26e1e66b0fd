// SPDX-License-Identifier: Apache-2.0
/* Opens the files, has them placed, and writes one after the other. Knows no clock and no format. */
#include "cmd/table/merge_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/text/printable.h"
#include "base/text/units.h"
#include "trace/merge/merge_put.h"

struct merge {
	size_t n, base; /* base: whose clock it is; n: none */
	struct merge_file file[MERGE_MAX_FILES];
	struct import import[MERGE_MAX_FILES];
	char *label[MERGE_MAX_FILES];
	uint64_t n_slices, n_instants, n_samples;
};

static struct printable shown(const char *path)
{
	return printable_text(path, strlen(path), 200, false);
}

/* Its name; its path, if another one has the same name; its number, too, if it is given twice. */
static char *label_of(char *const *paths, size_t n, size_t i)
{
	const char *text = basename(paths[i]);
	bool is_twice = false;
	char *label;

	for (size_t k = 0; k < n; k++) {
		if (k != i && !strcmp(basename(paths[k]), basename(paths[i])))
			text = paths[i];
		is_twice |= k < i && !strcmp(paths[k], paths[i]);
	}
	if (!strcmp(text, "-"))
		text = INPUT_STANDARD;
	if (!is_twice)
		return strdup(text);
	return asprintf(&label, "%s, file %zu", text, i + 1) < 0 ? NULL : label;
}

/* "FILE=TIME": the time is nanoseconds since 1970, or has a sign and a unit. */
static int take_offset(struct merge *merge, const char *text, struct err *err)
{
	const char *equals = strrchr(text, '='), *time = equals ? equals + 1 : "";
	size_t len = equals ? (size_t)(equals - text) : 0, i = 0;
	struct merge_file *file;
	uint64_t ns = 0;
	char *end = NULL;

	while (i < merge->n && (strlen(merge->file[i].path) != len || strncmp(merge->file[i].path, text, len)))
		i++;
	if (!equals || i == merge->n)
		return opt_misused(err, "--offset is FILE=TIME, with a FILE that is imported; '%s' is not",
				   shown(text).s);
	file = &merge->file[i];
	if (*time == '+' || *time == '-') {
		if (opt_parse_duration(time + 1, &ns, err))
			return err_wrap(err, "--offset %s", shown(text).s);
		file->given = MERGE_GIVEN_AFTER;
		file->given_ns = *time == '-' ? -(int64_t)ns : (int64_t)ns;
		return 0;
	}
	errno = 0;
	file->given_ns = strtoll(time, &end, 10);
	file->given = MERGE_GIVEN_REALTIME;
	if (errno || !*time || *end || file->given_ns <= 0)
		return opt_misused(err,
				   "--offset %s: TIME is in nanoseconds since 1970, as 1795231675743422353, or with a "
				   "sign how long after the start of the first recording, as +1.5s",
				   shown(text).s);
	return 0;
}

static int open_all(struct merge *merge, char *const *paths, const struct opt_list *offsets, struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < merge->n && !code; i++) {
		merge->file[i].path = paths[i];
		merge->label[i] = label_of(paths, merge->n, i);
		if (!merge->label[i])
			code = err_set(err, ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < offsets->n && !code; i++)
		code = take_offset(merge, offsets->item[i], err);
	for (size_t i = 0; i < merge->n && !code; i++) {
		code = import_open(&merge->import[i], paths[i], err);
		if (!code) {
			merge->file[i].format = merge->import[i].format->name;
			code = merge_scan(&merge->import[i], &merge->file[i].facts, err);
		}
	}
	return code;
}

static int write_file(struct merge *merge, size_t i, uint32_t track, struct sink *out, struct err *err)
{
	struct merge_put put;
	int code;

	merge_put_init(&put, out, merge->file, i, merge->base < merge->n ? merge->base : 0, merge->label[i]);
	code = import_read(&merge->import[i], &put.sink, err);
	if (!code)
		code = merge_put_note(&put, track, err);
	merge->n_slices += put.n_slices;
	merge->n_instants += put.n_instants + 1;
	merge->n_samples += put.n_samples;
	merge_put_done(&put);
	return code;
}

static int write_all(struct merge *merge, struct sink *out, struct err *err)
{
	struct track_def def = { .type = TRACK_GROUP, .name = names_of(out->names, "files") };
	struct event track = { .type = EVENT_TRACK, .track = sink_new_track(out), .def = &def };
	int code = sink_put(out, &track, err);

	for (size_t i = 0; i < merge->n && !code; i++)
		code = write_file(merge, i, track.track, out, err);
	return code;
}

static int write_output(struct merge *merge, const char *path, bool is_forced, struct err *err)
{
	const struct exporter *to = exporters_find("perfetto");
	struct output output = { .fd = -1 };
	struct names *names = names_new();
	struct export_losses losses = { 0 };
	struct sink *out = NULL;
	uint32_t last_track = 0;
	struct err ignored;
	int code = names ? output_open(&output, path, is_forced, err) : err_set(err, ENOMEM, "out of memory");

	if (!code) {
		out = to->open(output.fd, names, &last_track, err);
		code = out ? write_all(merge, out, err) : -err->code;
	}
	if (out && to->close(out, &losses, code ? &ignored : err) && !code)
		code = -err->code;
	if (!code)
		code = output_keep(&output, err);
	output_drop(&output);
	names_free(names);
	return code;
}

static void print_places(const struct merge *merge)
{
	for (size_t i = 0; i < merge->n; i++) {
		const struct merge_file *file = &merge->file[i];
		struct printable line = shown(merge->label[i]);

		printable_add(&line, ": placed by %s", file->source);
		if (file->has_error && file->error_ns)
			printable_add(&line, ", to %s", units_duration((double)file->error_ns).s);
		else if (!file->has_error)
			printable_add(&line, "; how far off that is is not known");
		fprintf(stderr, "%s\n", line.s);
		if (merge->import[i].result.is_cut)
			fprintf(stderr, "%s is cut off at byte %s; everything before that is here.\n",
				shown(merge->label[i]).s, units_count(merge->import[i].result.cut_at).s);
	}
}

static void print_total(const struct merge *merge, const char *path)
{
	bool is_standard = !strcmp(path, "-");
	FILE *to = is_standard ? stderr : stdout;

	fprintf(to, "%s: ", is_standard ? "standard output" : shown(path).s);
	fprintf(to, "%s, ", printable_count(merge->n_slices, "slice").s);
	fprintf(to, "%s, ", printable_count(merge->n_instants, "instant").s);
	fprintf(to, "%s, from %s\n", printable_count(merge->n_samples, "sample").s,
		printable_count(merge->n, "file").s);
}

int merge_files(char *const *paths, size_t n, const struct opt_list *offsets, const struct convert_options *options,
		struct err *err)
{
	struct merge *merge;
	int code;

	if (!options->out)
		return opt_misused(err, "several files become one; give -o FILE, or -o - for standard output");
	merge = calloc(1, sizeof *merge);
	if (!merge)
		return err_set(err, ENOMEM, "out of memory");
	merge->n = n;
	code = open_all(merge, paths, offsets, err);
	if (!code)
		code = merge_place(merge->file, n, &merge->base, err);
	if (!code)
		code = write_output(merge, options->out, options->force, err);
	if (!code && !options->quiet) {
		print_places(merge);
		print_total(merge, options->out);
	}
	for (size_t i = 0; i < n; i++) {
		merge_facts_done(&merge->file[i].facts);
		import_close(&merge->import[i]);
		free(merge->label[i]);
	}
	free(merge);
	return code;
}
