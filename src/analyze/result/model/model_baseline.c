// SPDX-License-Identifier: Apache-2.0
/* Picks what a comparison needs out of a report's JSON; skips the rest, which is most of it. Compares nothing. */
#include "analyze/result/model/model_baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/json_read.h"

struct reading {
	struct json_reader json;
	struct model_baseline *to;
	struct arena *arena;
	bool is_out_of_memory;
};

enum field_type { FIELD_TEXT, FIELD_WHOLE, FIELD_REAL, FIELD_OBJECT, FIELD_LIST };

/* A member of an object. Members of an object inside of it are fields of the same struct. */
struct field {
	const char *key;
	enum field_type type;
	size_t offset;			       /* of texts and numbers */
	const struct field *inner;	       /* of an object's members, and of those of a list's elements */
	void *(*add)(struct model_baseline *); /* of a list: room for one more; NULL: there is none */
};

static void *add_run(struct model_baseline *to)
{
	struct baseline_run *run = to->n_runs < MODEL_BASELINE_RUNS ? &to->run[to->n_runs++] : NULL;

	if (!run)
		return NULL;
	*run = (struct baseline_run){ .n_rounds = -1, .n_items = -1 };
	run->mean_ns = run->interval_ns = run->p50_ns = run->round_low_ns = run->round_high_ns = NAN;
	return run;
}

static void *add_setting(struct model_baseline *to)
{
	return to->n_settings < MODEL_BASELINE_SETTINGS ? &to->setting[to->n_settings++] : NULL;
}

#define RUN(field) offsetof(struct baseline_run, field)
#define ALL(field) offsetof(struct model_baseline, field)

static const struct field latency_fields[] = {
	{ "mean_ns", FIELD_REAL, RUN(mean_ns) },
	{ "mean_interval_95_ns", FIELD_REAL, RUN(interval_ns) },
	{ "p50_ns", FIELD_REAL, RUN(p50_ns) },
	{ NULL },
};
static const struct field run_fields[] = {
	{ "label", FIELD_TEXT, RUN(label) },
	{ "error", FIELD_TEXT, RUN(error) },
	{ "version", FIELD_TEXT, RUN(version) },
	{ "rounds", FIELD_WHOLE, RUN(n_rounds) },
	{ "batch_size", FIELD_WHOLE, RUN(n_items) },
	{ "lowest_mean_of_a_round_ns", FIELD_REAL, RUN(round_low_ns) },
	{ "highest_mean_of_a_round_ns", FIELD_REAL, RUN(round_high_ns) },
	{ "latency", FIELD_OBJECT, 0, latency_fields },
	{ NULL },
};
static const struct field setting_fields[] = {
	{ "name", FIELD_TEXT, offsetof(struct baseline_setting, name) },
	{ "value", FIELD_TEXT, offsetof(struct baseline_setting, value) },
	{ NULL },
};
static const struct field model_fields[] = {
	{ "name", FIELD_TEXT, ALL(model_name) },
	{ "file_bytes", FIELD_WHOLE, ALL(model_bytes) },
	{ NULL },
};
static const struct field machine_fields[] = {
	{ "cpu", FIELD_TEXT, ALL(cpu) },
	{ "kernel", FIELD_TEXT, ALL(kernel) },
	{ "cpus", FIELD_WHOLE, ALL(n_cpus) },
	{ NULL },
};
static const struct field report_fields[] = {
	{ "version", FIELD_TEXT, ALL(version) },
	{ "start_realtime_ns", FIELD_WHOLE, ALL(start_realtime_ns) },
	{ "model", FIELD_OBJECT, 0, model_fields },
	{ "machine", FIELD_OBJECT, 0, machine_fields },
	{ "settings", FIELD_LIST, 0, setting_fields, add_setting },
	{ "runs", FIELD_LIST, 0, run_fields, add_run },
	{ NULL },
};

static void take_text(struct reading *reading, const char **to)
{
	size_t size = reading->json.value.len + 1;
	char *text = arena_alloc(reading->arena, size);

	reading->is_out_of_memory |= !text;
	if (text) {
		json_span_text(reading->json.value, text, size);
		*to = text;
	}
}

static void take_real(const struct reading *reading, double *to)
{
	char text[64];
	char *end;
	double value;

	if (reading->json.value.len >= sizeof text)
		return;
	snprintf(text, sizeof text, "%.*s", (int)reading->json.value.len, reading->json.value.start);
	value = strtod(text, &end);
	if (!*end && isfinite(value) && value >= 0)
		*to = value;
}

static void skip(struct reading *reading, enum json_token token)
{
	if (token == JSON_OBJECT || token == JSON_ARRAY)
		json_read_skip(&reading->json);
}

static void read_members(struct reading *reading, const struct field *fields, void *to);

static void read_list(struct reading *reading, const struct field *list)
{
	enum json_token token;

	while ((token = json_read_next(&reading->json)) != JSON_CLOSE && token != JSON_BROKEN) {
		void *element = token == JSON_OBJECT ? list->add(reading->to) : NULL;

		if (element)
			read_members(reading, list->inner, element);
		else
			skip(reading, token);
	}
}

static void read_field(struct reading *reading, const struct field *field, enum json_token token, void *to)
{
	char *at = (char *)to + field->offset;

	if (field->type == FIELD_TEXT && token == JSON_TEXT)
		take_text(reading, (const char **)(void *)at);
	else if (field->type == FIELD_WHOLE && token == JSON_NUMBER)
		json_span_int(reading->json.value, (int64_t *)(void *)at);
	else if (field->type == FIELD_REAL && token == JSON_NUMBER)
		take_real(reading, (double *)(void *)at);
	else if (field->type == FIELD_OBJECT && token == JSON_OBJECT)
		read_members(reading, field->inner, to);
	else if (field->type == FIELD_LIST && token == JSON_ARRAY)
		read_list(reading, field);
	else
		skip(reading, token);
}

/* Behind the begin of an object, up to behind its end. */
static void read_members(struct reading *reading, const struct field *fields, void *to)
{
	enum json_token token;

	while ((token = json_read_next(&reading->json)) != JSON_CLOSE && token != JSON_BROKEN) {
		const struct field *field = fields;

		while (field->key && !json_span_is(reading->json.key, field->key))
			field++;
		if (field->key)
			read_field(reading, field, token, to);
		else
			skip(reading, token);
	}
}

int model_baseline_parse(struct model_baseline *baseline, const char *text, size_t size, struct arena *arena,
			 struct err *err)
{
	struct reading reading = { .to = baseline, .arena = arena };
	enum json_token token;
	uint32_t n_named = 0;

	*baseline = (struct model_baseline){ .start_realtime_ns = -1, .n_cpus = -1, .model_bytes = -1 };
	json_read_init(&reading.json, text, size);
	token = json_read_next(&reading.json);
	if (token == JSON_OBJECT)
		read_members(&reading, report_fields, baseline);
	else
		skip(&reading, token);
	if (reading.is_out_of_memory)
		return err_set(err, ENOMEM, "out of memory");
	if (reading.json.is_broken || json_read_next(&reading.json) != JSON_END)
		return err_set(err, EINVAL, "it is not JSON from byte %zu on", (size_t)(reading.json.at - text));
	for (uint32_t i = 0; i < baseline->n_runs; i++)
		n_named += baseline->run[i].label != NULL;
	if (!n_named)
		return err_set(err, EINVAL, "it is not a report of inftrace model: it has no runs");
	return 0;
}

static int parse_file(struct model_baseline *baseline, int fd, struct arena *arena, struct err *err)
{
	struct stat stat;
	void *text;
	int code;

	if (fstat(fd, &stat))
		return err_set(err, errno, "%s", strerror(errno));
	if (!S_ISREG(stat.st_mode) || stat.st_size <= 0)
		return err_set(err, EINVAL, "it is %s", S_ISREG(stat.st_mode) ? "empty" : "not a file");
	text = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return err_set(err, errno, "%s", strerror(errno));
	code = model_baseline_parse(baseline, text, (size_t)stat.st_size, arena, err);
	munmap(text, (size_t)stat.st_size);
	return code;
}

int model_baseline_read(struct model_baseline *baseline, const char *path, struct arena *arena, struct err *err)
{
	char inside[PATH_MAX];
	struct stat stat_of;
	int fd, code;

	if (!stat(path, &stat_of) && S_ISDIR(stat_of.st_mode))
		snprintf(inside, sizeof inside, "%s/report.json", path);
	else
		snprintf(inside, sizeof inside, "%s", path);
	fd = open(inside, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	code = fd < 0 ? err_set(err, errno, "%s", strerror(errno)) : parse_file(baseline, fd, arena, err);
	if (fd >= 0)
		close(fd);
	if (code)
		return err_wrap(err, "cannot use %s as --baseline", inside);
	baseline->path = path;
	return 0;
}

const struct baseline_run *model_baseline_find(const struct model_baseline *baseline, const char *label)
{
	for (uint32_t i = 0; i < baseline->n_runs; i++)
		if (baseline->run[i].label && !strcmp(baseline->run[i].label, label))
			return &baseline->run[i];
	return NULL;
}
