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

#include "base/text/json_fields.h"

#define RUN(field) offsetof(struct baseline_run, field)
#define ALL(field) offsetof(struct model_baseline, field)

static const struct json_field latency_fields[] = {
	{ "mean_ns", JSON_FIELD_REAL, RUN(mean_ns) },
	{ "mean_interval_95_ns", JSON_FIELD_REAL, RUN(interval_ns) },
	{ "p50_ns", JSON_FIELD_REAL, RUN(p50_ns) },
	{ NULL },
};
static const struct json_field prompt_fields[] = {
	{ "prompt_tokens", JSON_FIELD_WHOLE, 0 },
	{ NULL },
};
static void add_prompt(struct json_fields *reader, enum json_token token, void *to)
{
	struct baseline_run *run = to;
	int64_t tokens = 0;

	if (token == JSON_OBJECT)
		json_fields_read(reader, prompt_fields, &tokens);
	else
		json_fields_skip(reader, token);
	if (tokens > 0 && __builtin_add_overflow(run->prompt_tokens, tokens, &run->prompt_tokens))
		run->prompt_tokens = -1;
}
static const struct json_field generation_fields[] = {
	{ "output_tokens", JSON_FIELD_WHOLE, RUN(n_tokens) },
	{ "prompts", JSON_FIELD_LIST, .element = add_prompt },
	{ NULL },
};
static const struct json_field run_fields[] = {
	{ "label", JSON_FIELD_TEXT, RUN(label) },
	{ "error", JSON_FIELD_TEXT, RUN(error) },
	{ "version", JSON_FIELD_TEXT, RUN(version) },
	{ "rounds", JSON_FIELD_WHOLE, RUN(n_rounds) },
	{ "batch_size", JSON_FIELD_WHOLE, RUN(n_items) },
	{ "lowest_mean_of_a_round_ns", JSON_FIELD_REAL, RUN(round_low_ns) },
	{ "highest_mean_of_a_round_ns", JSON_FIELD_REAL, RUN(round_high_ns) },
	{ "latency", JSON_FIELD_OBJECT, 0, latency_fields },
	{ "generations", JSON_FIELD_OBJECT, 0, generation_fields },
	{ NULL },
};
static void add_run(struct json_fields *reader, enum json_token token, void *to)
{
	struct model_baseline *baseline = to;
	struct baseline_run *run;

	if (token != JSON_OBJECT || baseline->n_runs == MODEL_BASELINE_RUNS) {
		json_fields_skip(reader, token);
		return;
	}
	run = &baseline->run[baseline->n_runs++];
	*run = (struct baseline_run){ .n_rounds = -1, .n_items = -1 };
	run->mean_ns = run->interval_ns = run->p50_ns = run->round_low_ns = run->round_high_ns = NAN;
	json_fields_read(reader, run_fields, run);
}

static const struct json_field setting_fields[] = {
	{ "name", JSON_FIELD_TEXT, offsetof(struct baseline_setting, name) },
	{ "value", JSON_FIELD_TEXT, offsetof(struct baseline_setting, value) },
	{ NULL },
};
static void add_setting(struct json_fields *reader, enum json_token token, void *to)
{
	struct model_baseline *baseline = to;

	if (token == JSON_OBJECT && baseline->n_settings < MODEL_BASELINE_SETTINGS)
		json_fields_read(reader, setting_fields, &baseline->setting[baseline->n_settings++]);
	else
		json_fields_skip(reader, token);
}

static const struct json_field model_fields[] = {
	{ "name", JSON_FIELD_TEXT, ALL(model_name) },
	{ "file_bytes", JSON_FIELD_WHOLE, ALL(model_bytes) },
	{ NULL },
};
static const struct json_field machine_fields[] = {
	{ "cpu", JSON_FIELD_TEXT, ALL(cpu) },
	{ "kernel", JSON_FIELD_TEXT, ALL(kernel) },
	{ "cpus", JSON_FIELD_WHOLE, ALL(n_cpus) },
	{ NULL },
};
static const struct json_field report_fields[] = {
	{ "version", JSON_FIELD_TEXT, ALL(version) },
	{ "start_realtime_ns", JSON_FIELD_WHOLE, ALL(start_realtime_ns) },
	{ "model", JSON_FIELD_OBJECT, 0, model_fields },
	{ "machine", JSON_FIELD_OBJECT, 0, machine_fields },
	{ "settings", JSON_FIELD_LIST, .element = add_setting },
	{ "runs", JSON_FIELD_LIST, .element = add_run },
	{ NULL },
};

int model_baseline_parse(struct model_baseline *baseline, const char *text, size_t size, struct arena *arena,
			 struct err *err)
{
	struct json_fields reader = { .arena = arena };
	enum json_token token;
	uint32_t n_named = 0;

	*baseline = (struct model_baseline){ .start_realtime_ns = -1, .n_cpus = -1, .model_bytes = -1 };
	json_read_init(&reader.json, text, size);
	token = json_read_next(&reader.json);
	if (token == JSON_OBJECT)
		json_fields_read(&reader, report_fields, baseline);
	else
		json_fields_skip(&reader, token);
	if (reader.is_out_of_memory)
		return err_set(err, ENOMEM, "out of memory");
	if (reader.json.is_broken || json_read_next(&reader.json) != JSON_END)
		return err_set(err, EINVAL, "it is not JSON from byte %zu on", (size_t)(reader.json.at - text));
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
