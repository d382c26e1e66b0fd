// SPDX-License-Identifier: Apache-2.0
/* What the page must know first: the tracks, rows, counters and classes of the recording; and the report. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/printable.h"
#include "base/text/units.h"
#include "show/view/view_in.h"

static void put_cut(struct view *view, struct json *json)
{
	struct printable text = { "" };

	/* one that is still being written ends anywhere */
	if (!view->result.is_cut || view->is_growing) {
		json_null(json, "cut");
		return;
	}
	printable_add(&text, "The file is cut off at byte %s of %s; this view shows the part before.",
		      units_count(view->result.cut_at).s, units_count(view->file_bytes).s);
	json_text(json, "cut", text.s);
}

/* Tracks without a name get one. */
static void put_track_name(struct view *view, struct json *json, const struct store_track *track)
{
	struct printable text = { "" };

	if (track->def.name) {
		json_text(json, "name", view_name(view, track->def.name));
		return;
	}
	if (track->def.type == TRACK_THREAD)
		printable_add(&text, "thread %d", track->def.tid);
	else if (track->def.type == TRACK_PROCESS)
		printable_add(&text, "process %d", track->def.pid);
	else
		printable_add(&text, "track %u", track->id);
	json_text(json, "name", text.s);
}

/* What a track has, as far as that is found soon: the kind of the first slice of its first rows, and all kinds. */
static void put_kinds(struct json *json, const struct store_slices *slices, uint32_t n_rows)
{
	enum { MOST_ROWS = 8, MOST_SLICES = 4096 };
	const char *of_row[MOST_ROWS] = { 0 };
	bool is_there[N_KINDS] = { 0 };
	uint32_t n = n_rows < MOST_ROWS ? n_rows : MOST_ROWS;

	for (size_t i = 0; i < slices->n && i < MOST_SLICES; i++) {
		const char *kind = event_kind_name((enum event_kind)slices->kind[i]);

		if (slices->depth[i] < n && !of_row[slices->depth[i]])
			of_row[slices->depth[i]] = kind;
		if (slices->kind[i] < N_KINDS)
			is_there[slices->kind[i]] = true;
	}
	json_array(json, "row_kinds");
	for (uint32_t i = 0; i < n; i++)
		json_text(json, NULL, of_row[i] ? of_row[i] : "");
	json_end(json, ']');
	json_array(json, "kinds");
	for (unsigned kind = 0; kind < N_KINDS; kind++)
		if (is_there[kind])
			json_text(json, NULL, event_kind_name((enum event_kind)kind));
	json_end(json, ']');
}

static void put_track(struct view *view, struct json *json, const struct view_track *of)
{
	const struct store_track *track = store_track(view->store, of->id);
	uint32_t n_rows, row = pyramid_rows_of(view->pyramid, of->id, &n_rows);

	json_object(json, NULL);
	json_count(json, "id", of->id);
	if (of->parent)
		json_count(json, "parent", of->parent);
	else
		json_null(json, "parent");
	json_text(json, "kind", of->kind);
	put_track_name(view, json, track);
	if (track->def.pid > 0)
		json_int(json, "pid", track->def.pid);
	if (track->def.type == TRACK_THREAD)
		json_int(json, "tid", track->def.tid);
	json_int(json, "row", n_rows ? (int64_t)row : -1);
	json_count(json, "rows", n_rows);
	json_count(json, "slices", track->slices.n);
	put_kinds(json, &track->slices, n_rows);
	json_end(json, '}');
}

static bool has_word(const char *name, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = name; (at = strstr(at, word)); at++)
		if ((at == name || at[-1] == ' ') && (!at[len] || at[len] == ' ' || at[len] == ','))
			return true;
	return false;
}

/* Which plot a counter belongs to, by doc/recording.md's names and units. */
static const char *group_of(const char *name, const char *unit)
{
	if (!strcmp(unit, "W") || !strcmp(unit, "J"))
		return "power";
	if (has_word(name, "gpu"))
		return "gpu";
	if (has_word(name, "npu"))
		return "npu";
	if (has_word(name, "disk"))
		return "disk";
	if (!strcmp(unit, "bytes"))
		return "memory";
	if (has_word(name, "cpu") || !strcmp(unit, "% of a CPU") || has_word(name, "throttled"))
		return "cpu";
	return "other";
}

static const char *scope_of(const struct view *view, const struct store_track *track, uint32_t process)
{
	const struct store_track *parent = store_track(view->store, track->def.parent);
	const char *above = parent ? view_name(view, parent->def.name) : "";

	if (process)
		return "process";
	return !strncmp(above, "gpu ", 4) || !strncmp(above, "npu ", 4) ? "device" : "machine";
}

static void put_counter(struct view *view, struct json *json, const struct store_track *track)
{
	uint32_t process = store_process_of(view->store, track->id);
	const char *name = view_name(view, track->def.name), *unit = view_name(view, track->def.unit);
	double min = NAN, max = NAN;

	for (size_t i = 0; i < track->samples.n; i++) {
		min = fmin(min, track->samples.value[i]);
		max = fmax(max, track->samples.value[i]);
	}
	json_object(json, NULL);
	json_count(json, "id", track->id);
	json_text(json, "name", name);
	json_text(json, "unit", strcmp(unit, "%") ? unit : "percent");
	json_text(json, "scope", scope_of(view, track, process));
	if (process) {
		json_count(json, "process", process);
		if (store_track(view->store, process)->def.pid > 0)
			json_int(json, "pid", store_track(view->store, process)->def.pid);
	}
	if (store_track(view->store, track->def.parent) && view->is_shown[track->def.parent])
		json_count(json, "track", track->def.parent);
	else
		json_null(json, "track");
	json_text(json, "group", group_of(name, unit));
	json_count(json, "samples", track->samples.n);
	json_real(json, "min", min);
	json_real(json, "max", max);
	json_end(json, '}');
}

static void put_counters(struct view *view, struct json *json)
{
	json_array(json, "counters");
	for (uint32_t id = 1; id <= store_n_tracks(view->store); id++) {
		const struct store_track *track = store_track(view->store, id);

		if (track && track->samples.n)
			put_counter(view, json, track);
	}
	json_end(json, ']');
}

static void put_classes(struct view *view, struct json *json)
{
	uint32_t n = pyramid_n_classes(view->pyramid);

	json_array(json, "classes");
	for (uint32_t i = 0; i < n; i++)
		json_text(json, NULL, view_class_name(view, (uint16_t)i));
	json_end(json, ']');
	json_array(json, "class_kinds");
	for (uint32_t i = 0; i < n; i++)
		json_text(json, NULL, event_kind_name(pyramid_class(view->pyramid, i)->kind));
	json_end(json, ']');
}

/* Memory that this process has for itself, as the kernel counts it; 0: not known. */
static uint64_t own_memory(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned long long kib = 0;
	char line[128];

	while (status && fgets(line, sizeof line, status))
		if (sscanf(line, "RssAnon: %llu kB", &kib) == 1)
			break;
	if (status)
		fclose(status);
	return kib * 1024;
}

static void put_sizes(struct view *view, struct json *json)
{
	const struct store_counts *counts = store_counts(view->store);
	uint64_t n = counts->n_slices + counts->n_instants + counts->n_samples, bytes = own_memory();

	json_count(json, "events", n);
	json_real(json, "bytes_per_event", n && bytes ? (double)bytes / (double)n : NAN);
	json_known(json, "memory_bytes", bytes ? (int64_t)bytes : -1);
}

/* Of the recording's beginning; -1: the file does not say. */
static int64_t start_realtime(struct view *view)
{
	size_t n;
	const struct store_instant *instants = store_instants(view->store, &n);

	for (size_t i = 0; i < n; i++) {
		const struct arg *arg;

		if (instants[i].kind != KIND_NOTE)
			continue;
		arg = store_arg(view->store, instants[i].args, KEY_START_REALTIME_NS);
		if (arg)
			return store_int(arg, -1);
	}
	return -1;
}

/* What of a live view is kept, and what is left out. */
static void put_live(struct view *view, struct json *json)
{
	const struct view_live *live = view->live;
	const struct store_thinned *thinned = store_thinned(view->store);
	uint64_t begin_ns = pyramid_begin(view->pyramid), kept_ns = store_kept_from(view->store);

	json_object(json, "live");
	json_bool(json, "over", live->is_over);
	json_text(json, "file", live->opts->file);
	json_text(json, "problem", live->opts->problem);
	json_count(json, "interval_ns", live->opts->interval_ns);
	json_count(json, "window_ns", live->opts->window_ns);
	json_count(json, "max_bytes", live->opts->max_bytes);
	view_put_time(view, json, "kept_from", kept_ns > begin_ns ? kept_ns : begin_ns);
	view_put_time(view, json, "operators_from", thinned->before_ns > begin_ns ? thinned->before_ns : begin_ns);
	view_put_time(view, json, "inferences_from",
		      thinned->inferences_before_ns > begin_ns ? thinned->inferences_before_ns : begin_ns);
	json_count(json, "operators_left_out", thinned->n_details);
	json_count(json, "inferences_left_out", thinned->n_inferences);
	json_count(json, "forgotten", store_counts(view->store)->n_forgotten);
	json_count(json, "not_kept", store_live_n_left_out(live->store));
	json_end(json, '}');
}

uint64_t view_first_inference(const struct view *view)
{
	uint64_t first_ns = UINT64_MAX;

	for (uint32_t i = 0; i < view->n_lanes; i++) {
		const struct store_slices *slices = &store_track(view->store, view->lanes[i].track)->slices;
		size_t at = 0;

		while (at < slices->n && slices->kind[at] != KIND_INFERENCE)
			at++;
		if (at < slices->n && slices->begin_ns[at] < first_ns)
			first_ns = slices->begin_ns[at];
	}
	return first_ns;
}

/* Where it is, whatever folder inftrace was started in. */
static void put_path(const struct view *view, struct json *json)
{
	char *path = view->live || !strcmp(view->path, "-") ? NULL : realpath(view->path, NULL);

	json_text(json, "path", path);
	free(path);
}

/* What it is compared with, and how far it was moved for that. */
static void put_beside(struct view *view, struct json *json)
{
	uint64_t first_ns = view_first_inference(view);

	if (first_ns == UINT64_MAX)
		json_null(json, "first_inference");
	else
		view_put_time(view, json, "first_inference", first_ns);
	json_known(json, "beside", view->live ? -1 : view->beside);
	json_count(json, "shift_ns", view->shift_ns);
}

VIEW_ANSWER(recording)
{
	int64_t realtime_ns = start_realtime(view);
	struct view_text text;
	char realtime[24];

	view_text_begin(&text);
	if (text.out) {
		json_object(&text.json, NULL);
		json_text(&text.json, "version", INFTRACE_VERSION);
		json_text(&text.json, "file", view->path);
		put_path(view, &text.json);
		snprintf(realtime, sizeof realtime, "%" PRId64, realtime_ns);
		json_text(&text.json, "begin_realtime_ns", realtime_ns >= 0 ? realtime : NULL);
		view_put_time(view, &text.json, "end", pyramid_end(view->pyramid));
		put_beside(view, &text.json);
		put_sizes(view, &text.json);
		put_cut(view, &text.json);
		json_bool(&text.json, "growing", view->is_growing);
		json_count(&text.json, "tiles_version", view->version);
		if (view->live)
			put_live(view, &text.json);
		json_array(&text.json, "tracks");
		for (uint32_t i = 0; i < view->n_tracks; i++)
			put_track(view, &text.json, &view->tracks[i]);
		json_end(&text.json, ']');
		put_counters(view, &text.json);
		put_classes(view, &text.json);
		json_end(&text.json, '}');
	}
	view_text_end(&text, answer);
	return NULL;
}

VIEW_ANSWER(report)
{
	if (view->live)
		view_live_report(view);
	return view_report_answer(&view->report, answer);
}

VIEW_ANSWER(names)
{
	enum { AT_ONCE = 65536 };
	uint64_t from = 0, n = (uint64_t)names_count(store_names(view->store)) + 1;
	struct view_text text;

	if (!http_request_count(request, "from", UINT32_MAX, &from)) {
		http_say(answer, 400, "from must be the number of a name");
		return NULL;
	}
	view_text_begin(&text);
	if (text.out) {
		json_array(&text.json, NULL);
		for (uint64_t i = from; i < n && i < from + AT_ONCE; i++)
			json_text(&text.json, NULL, view_name(view, (uint32_t)i));
		json_end(&text.json, ']');
	}
	view_text_end(&text, answer);
	return NULL;
}
