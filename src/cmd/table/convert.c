// SPDX-License-Identifier: Apache-2.0
/* From an importer to an exporter: opens both ends, counts what passes, prints the line. Knows no format. */
#include "cmd/table/convert.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "base/text/printable.h"
#include "base/text/units.h"
#include "event/event_args.h"
#include "trace/export/output_folder.h"
#include "trace/import/import.h"

struct counter {
	struct sink sink;
	struct sink *out;
	uint64_t n_slices, n_instants, n_samples, n_lost;
	struct export_losses losses;
	struct err out_err; /* code: 0 until the output fails */
};

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct counter *counter = (struct counter *)sink;

	counter->n_slices += event->type == EVENT_BEGIN;
	counter->n_instants += event->type == EVENT_INSTANT;
	counter->n_samples += event->type == EVENT_COUNTER;
	if (event->type == EVENT_INSTANT && event->kind == KIND_LOST && event_int(event, KEY_COUNT, 0) > 0)
		counter->n_lost += (uint64_t)event_int(event, KEY_COUNT, 0);
	if (sink_put(counter->out, event, err))
		counter->out_err = *err;
	return -counter->out_err.code;
}

/* "dir/profile.json.gz" becomes "profile.pftrace". */
static int name_output(const char *path, const char *suffix, char *name, size_t size, struct err *err)
{
	static const char *const known[] = { ".gz", ".zst", ".json", ".csv", ".pftrace", ".perfetto-trace" };
	const char *base = basename(path);
	size_t len = strlen(base);

	if (!strcmp(path, "-"))
		return opt_misused(err, "standard input has no name to make another of; give -o FILE, or -o - for "
					"standard output");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (len > strlen(known[i]) && !strncmp(base + len - strlen(known[i]), known[i], strlen(known[i])))
			len -= strlen(known[i]);
	if (len + strlen(suffix) >= size)
		return err_set(err, ENAMETOOLONG, "cannot name a file after %s: its name is too long; give -o FILE",
			       path);
	snprintf(name, size, "%.*s%s", (int)len, base, suffix);
	return 0;
}

static void print(const struct import *import, const struct counter *counter, const char *path)
{
	bool is_standard = !strcmp(path, "-");
	FILE *to = is_standard ? stderr : stdout;
	struct printable from = printable_text(import->path, strlen(import->path), 200, false);

	if (is_standard)
		path = "standard output";
	fprintf(to, "%s: ", printable_text(path, strlen(path), 200, false).s);
	fprintf(to, "%s, ", printable_count(counter->n_slices, "slice").s);
	fprintf(to, "%s, ", printable_count(counter->n_instants, "instant").s);
	fprintf(to, "%s, from %s (%s)\n", printable_count(counter->n_samples, "sample").s, from.s,
		import->format->name);
	if (import->result.is_cut)
		fprintf(to, "The input is cut off at byte %s of %s; everything before that is here.\n",
			units_count(import->result.cut_at).s, units_count(import->input.size).s);
	if (counter->n_lost)
		fprintf(to, "The input reports %s.\n", printable_count(counter->n_lost, "lost event").s);
}

/* What the format has no place for. */
static void print_losses(const struct export_losses *losses)
{
	if (losses->n)
		fprintf(stderr, "Lost in this format: ");
	for (size_t i = 0; i < losses->n; i++)
		fprintf(stderr, "%s%s%s", printable_count(losses->loss[i].n, losses->loss[i].what).s,
			losses->loss[i].rest, i + 1 < losses->n ? ", " : "\n");
}

/* Where it goes: a file, or a folder of tables. */
struct target {
	const struct exporter *to;
	const char *table;
	bool is_folder;
	struct output file;
	struct output_folder folder;
};

static int target_open(struct target *target, const char *path, bool is_forced, struct err *err)
{
	if (target->is_folder)
		return output_folder_open(&target->folder, path, is_forced, err);
	return output_open(&target->file, path, is_forced, err);
}

static const char *target_path(const struct target *target)
{
	return target->is_folder ? target->folder.path : target->file.path;
}

static int target_keep(struct target *target, struct err *err)
{
	return target->is_folder ? output_folder_keep(&target->folder, err) : output_keep(&target->file, err);
}

static void target_drop(struct target *target)
{
	if (target->is_folder)
		output_folder_drop(&target->folder);
	else
		output_drop(&target->file);
}

static struct sink *open_sink(const struct target *target, struct names *names, uint32_t *last_track, struct err *err)
{
	int fd = target->is_folder ? target->folder.fd : target->file.fd;

	if (target->to->open_table)
		return target->to->open_table(fd, target->table, names, last_track, err);
	return target->to->open(fd, names, last_track, err);
}

/* What the output said, without the place in the input at which it failed. */
static int say_output(const struct target *target, const struct err *out_err, struct err *err)
{
	*err = *out_err;
	return strcmp(target_path(target), "-") ? err_wrap(err, "%s", target_path(target)) : -err->code;
}

static int copy(struct import *import, const struct target *target, struct counter *counter, struct err *err)
{
	const struct exporter *to = target->to;
	struct names *names = names_new();
	uint32_t last_track = 0;
	struct err closing = { 0 };
	int code = -ENOMEM;

	counter->out = names ? open_sink(target, names, &last_track, err) : NULL;
	if (!names)
		err_set(err, ENOMEM, "cannot read %s: out of memory", import->path);
	else if (!counter->out)
		code = -err->code;
	if (counter->out) {
		counter->sink = (struct sink){ put, names, &last_track };
		code = import_read(import, &counter->sink, err);
		if (to->close(counter->out, &counter->losses, &closing) && !code)
			counter->out_err = closing;
		if (counter->out_err.code)
			code = say_output(target, &counter->out_err, err);
	}
	names_free(names);
	return code;
}

/* What its name ends with, if the user gives none. */
static void suffix_of(const struct target *target, char *suffix, size_t size)
{
	if (target->is_folder)
		snprintf(suffix, size, "-%s", target->to->name);
	else
		snprintf(suffix, size, "%s%.40s%s", target->table ? "." : "", target->table ? target->table : "",
			 target->to->suffix);
}

int convert(const char *path, const struct exporter *to, const struct convert_options *options, struct err *err)
{
	char name[NAME_MAX + 1], suffix[100];
	struct target target = { .to = to,
				 .table = options->table,
				 .is_folder = to->open_table && !options->table,
				 .file = { .fd = -1 },
				 .folder = { .fd = -1 } };
	struct import import = { 0 };
	struct counter counter = { 0 };
	const char *out = options->out ? options->out : name;
	int code = 0;

	if (options->table && !to->open_table)
		return opt_misused(err, "--table is for formats of tables; %s is one file", to->name);
	suffix_of(&target, suffix, sizeof suffix);
	if (!options->out)
		code = name_output(path, suffix, name, sizeof name, err);
	if (!code)
		code = import_open(&import, path, err);
	if (!code)
		code = target_open(&target, out, options->force, err);
	if (!code)
		code = copy(&import, &target, &counter, err);
	if (!code)
		code = target_keep(&target, err);
	if (!code && !options->quiet) {
		print(&import, &counter, out);
		print_losses(&counter.losses);
	}
	target_drop(&target);
	import_close(&import);
	return code;
}
