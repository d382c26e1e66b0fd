// SPDX-License-Identifier: Apache-2.0
/*
 * Options with several values, multiplied into runs with their labels. Reads the files of a runtime to learn its
 * version; runs nothing.
 */
#include "experiment/model_ways.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/result/model/model_compare.h"
#include "base/text/printable.h"
#include "base/text/provider.h"
#include "experiment/model_options.h"
#include "model/onnx/onnx_other.h"
#include "model/ort/ort_find.h"
#include "model/ort/ort_version.h"
#include "model/run/run_result.h"

enum { MAX_CHOICES = OPT_LIST_MAX, MAX_LABEL = 400, MAX_SLUG = 120 };

/* One value of an option. */
struct choice {
	const char *text;  /* as given; NULL: the option was not */
	const char *value; /* in a table: "4" */
	const char *label; /* "4 threads" */
	bool is_policy;
};

struct choices {
	struct choice item[MAX_CHOICES];
	int n;
};

struct finder {
	const struct model_opts *opts;
	struct choices axis[N_MODEL_AXES];
	struct arena *arena;
	struct err *err;
};

static const struct {
	const char *option, *plural;
} axes[N_MODEL_AXES] = {
	[MODEL_AXIS_MODEL] = { NULL, "models" },
	[MODEL_AXIS_RUNTIME] = { "runtime", "runtimes" },
	[MODEL_AXIS_PROVIDER] = { "ep", "providers" },
	[MODEL_AXIS_THREADS] = { "intra-op-threads", "numbers of threads" },
	[MODEL_AXIS_BATCH] = { "batch-size", "batch sizes" },
	[MODEL_AXIS_OPTIMIZATION] = { "optimization", "levels of optimization" },
};

const char *model_axis_option(enum model_axis axis)
{
	return axes[axis].option;
}

bool model_way_is_cpu(const struct model_way *way)
{
	return way->provider && provider_is("cpu", way->provider);
}

bool model_option_owner(const char *text, char *name, size_t size)
{
	const char *colon = memchr(text, ':', strcspn(text, "="));

	snprintf(name, size, "%.*s", colon ? (int)(colon - text) : 0, text);
	return colon != NULL;
}

static int out_of_memory(const struct finder *finder)
{
	return err_no_memory(finder->err, "cannot run the model");
}

__attribute__((format(printf, 2, 3))) static const char *print(struct arena *arena, const char *format, ...)
{
	char text[MAX_LABEL];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return arena_keep(arena, text);
}

/* Fails at the second one of the same text. text: borrowed; NULL: out of memory. */
static int add_choice(struct finder *finder, enum model_axis axis, const char *text)
{
	struct choices *to = &finder->axis[axis];

	if (!text)
		return out_of_memory(finder);
	if (to->n == MAX_CHOICES)
		return err_set(finder->err, E2BIG, "cannot compare more than %d %s", MAX_CHOICES, axes[axis].plural);
	for (int i = 0; i < to->n; i++)
		if (!strcmp(to->item[i].text, text))
			return axes[axis].option
				   ? err_set(finder->err, EINVAL, "cannot compare %s with itself: it is in --%s twice",
					     text, axes[axis].option)
				   : err_set(finder->err, EINVAL, "cannot compare %s with itself: it is given twice",
					     text);
	to->item[to->n++] = (struct choice){ .text = text, .value = text, .label = text };
	return 0;
}

/* Each of "a,b,c". */
static int add_parts(struct finder *finder, enum model_axis axis, const char *text)
{
	for (const char *at = text; *at; at += *at == ',') {
		size_t len = strcspn(at, ",");

		if (len && add_choice(finder, axis, arena_keep_part(finder->arena, at, len)))
			return -finder->err->code;
		at += len;
	}
	return 0;
}

static int add_list(struct finder *finder, enum model_axis axis, const struct opt_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		/* a comma may be part of a path */
		if (axis == MODEL_AXIS_RUNTIME && !access(list->item[i], F_OK) ? add_choice(finder, axis, list->item[i])
									       : add_parts(finder, axis, list->item[i]))
			return -finder->err->code;
	if (list->n && !finder->axis[axis].n)
		return err_set(finder->err, EINVAL, "cannot use '%s' as --%s: it has no value", list->item[0],
			       axes[axis].option);
	return 0;
}

int model_ways_runtimes(const struct model_opts *opts, const char *runtime[OPT_LIST_MAX], struct arena *arena,
			struct err *err)
{
	struct finder finder = { .opts = opts, .arena = arena, .err = err };
	const struct choices *found = &finder.axis[MODEL_AXIS_RUNTIME];
	int code = add_list(&finder, MODEL_AXIS_RUNTIME, &opts->runtime);

	for (int i = 0; i < found->n; i++)
		runtime[i] = found->item[i].text;
	return code ? code : found->n;
}

/* The last n parts of a path: "int8/model.onnx". */
static const char *tail_of(const char *path, int n)
{
	const char *at = path + strlen(path);

	while (at > path && at[-1] == '/')
		at--;
	for (; at > path && n > 0; n -= at > path && at[-1] == '/')
		do
			at--;
		while (at > path && at[-1] != '/');
	return at;
}

static bool are_distinct(const struct choices *of, int n)
{
	for (int i = 1; i < of->n; i++)
		for (int k = 0; k < i; k++)
			if (!strcmp(tail_of(of->item[i].text, n), tail_of(of->item[k].text, n)))
				return false;
	return true;
}

/* Paths as short as they can be and still differ. */
static void shorten(struct choices *of)
{
	int n = 1;

	while (n < 64 && !are_distinct(of, n))
		n++;
	for (int i = 0; i < of->n; i++)
		of->item[i].value = of->item[i].label = tail_of(of->item[i].text, n);
}

/* Only the runner knows which files are llama.cpp, and of what version. */
static bool are_all_gguf(const struct finder *finder)
{
	const struct choices *models = &finder->axis[MODEL_AXIS_MODEL];
	int n = 0;

	while (n < models->n && onnx_other_is_gguf(models->item[n].text))
		n++;
	return n == models->n;
}

/* Their versions tell them apart, or their paths. */
static int name_runtimes(struct finder *finder)
{
	struct choices *of = &finder->axis[MODEL_AXIS_RUNTIME];
	const char *version[MAX_CHOICES];
	bool are_of_ort = !are_all_gguf(finder), are_known = are_of_ort;

	for (int i = 0; i < of->n && are_of_ort; i++) {
		struct ort_found found;
		char text[64];

		if (ort_find_one(of->item[i].text, &found, finder->err))
			return -finder->err->code;
		ort_version_find(found.path, text, sizeof text);
		version[i] = arena_keep(finder->arena, text);
		are_known &= version[i] && *text;
		for (int k = 0; are_known && k < i; k++)
			are_known = strcmp(version[i], version[k]) != 0;
	}
	shorten(of);
	for (int i = 0; i < of->n; i++) {
		of->item[i].value = are_known ? version[i] : of->item[i].value;
		of->item[i].label = print(finder->arena, "runtime %s", of->item[i].value);
	}
	return 0;
}

static int name_threads(struct finder *finder)
{
	struct choices *of = &finder->axis[MODEL_AXIS_THREADS];

	for (int i = 0; i < of->n; i++) {
		struct choice *one = &of->item[i];
		size_t len = strspn(one->text, "0123456789");
		long n = strtol(one->text, NULL, 10);

		if (one->text[len] || len > 6 || n > 4096)
			return opt_misused(finder->err,
					   "cannot use '%s' as --intra-op-threads: expected numbers up to 4096, such "
					   "as 4 or 1,2,4",
					   one->text);
		one->value = n ? one->text : "default";
		one->label = n ? print(finder->arena, "%ld thread%s", n, n == 1 ? "" : "s") : "default threads";
	}
	return 0;
}

static int name_batches(struct finder *finder)
{
	struct choices *of = &finder->axis[MODEL_AXIS_BATCH];
	struct err why;
	int64_t n;

	for (int i = 0; i < of->n; i++) {
		if (run_opts_numbers(of->item[i].text, &n, 1, &why) != 1)
			return opt_misused(finder->err, "cannot use '%s' as --batch-size: %s", of->item[i].text,
					   why.msg);
		of->item[i].label = print(finder->arena, "batch %s", of->item[i].text);
	}
	return 0;
}

static int name_optimizations(struct finder *finder)
{
	static const char *const levels[] = { "none", "basic", "extended", "layout", "all" };
	struct choices *of = &finder->axis[MODEL_AXIS_OPTIMIZATION];

	for (int i = 0; i < of->n; i++) {
		struct choice *one = &of->item[i];
		bool is_known = false;

		for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
			is_known |= !strcmp(levels[k], one->text);
		if (!is_known)
			return opt_misused(finder->err,
					   "cannot use '%s' as --optimization: expected none, basic, extended, layout "
					   "or all, or several with commas",
					   one->text);
		one->label = print(finder->arena, "optimization %s", one->text);
	}
	return 0;
}

static int find_choices(struct finder *finder, char *const *models, int n_models)
{
	const struct model_opts *opts = finder->opts;

	for (int i = 0; i < n_models; i++)
		if (add_choice(finder, MODEL_AXIS_MODEL, models[i]))
			return -finder->err->code;
	shorten(&finder->axis[MODEL_AXIS_MODEL]);
	if (add_list(finder, MODEL_AXIS_RUNTIME, &opts->runtime) || name_runtimes(finder) ||
	    add_list(finder, MODEL_AXIS_PROVIDER, &opts->ep) || add_list(finder, MODEL_AXIS_THREADS, &opts->threads) ||
	    name_threads(finder) || add_list(finder, MODEL_AXIS_BATCH, &opts->batch) || name_batches(finder) ||
	    add_list(finder, MODEL_AXIS_OPTIMIZATION, &opts->optimization) || name_optimizations(finder))
		return -finder->err->code;
	if (opts->run.policy) {
		if (add_choice(finder, MODEL_AXIS_PROVIDER, opts->run.policy))
			return -finder->err->code;
		finder->axis[MODEL_AXIS_PROVIDER].item[finder->axis[MODEL_AXIS_PROVIDER].n - 1].is_policy = true;
	}
	return finder->axis[MODEL_AXIS_PROVIDER].n ? 0 : add_choice(finder, MODEL_AXIS_PROVIDER, "cpu");
}

/* "48 runs (3 models, 16 numbers of threads)" */
static int check_number(const struct finder *finder)
{
	struct printable text = { "" };
	double n = 1;

	for (int axis = 0; axis < N_MODEL_AXES; axis++) {
		int own = finder->axis[axis].n;

		if (own > 1)
			printable_add(&text, "%s%d %s", *text.s ? ", " : "", own, axes[axis].plural);
		n *= own ? own : 1;
	}
	return n <= MODEL_MAX_WAYS
		   ? 0
		   : opt_misused(finder->err,
				 "cannot compare %.0f runs (%s): at most %d are possible in one report; leave "
				 "some values out",
				 n, text.s, MODEL_MAX_WAYS);
}

static void set_axis(struct model_way *way, enum model_axis axis, const struct choice *choice)
{
	switch (axis) {
	case MODEL_AXIS_MODEL:
		way->model = choice->text;
		return;
	case MODEL_AXIS_RUNTIME:
		way->runtime = choice->text;
		return;
	case MODEL_AXIS_PROVIDER:
		way->provider = choice->is_policy ? NULL : choice->text;
		way->policy = choice->is_policy ? choice->text : NULL;
		return;
	case MODEL_AXIS_THREADS:
		way->threads = atoi(choice->text);
		return;
	case MODEL_AXIS_OPTIMIZATION:
		way->optimization = choice->text;
		return;
	case MODEL_AXIS_BATCH:
		way->batch = atoll(choice->text);
		return;
	case N_MODEL_AXES:
		return;
	}
}

/* The i-th of all combinations; the last axis changes first. */
static int make_way(struct finder *finder, struct model_ways *ways, int i)
{
	struct model_way *way = &ways->way[i];
	struct printable label = { "" };
	int index[N_MODEL_AXES], rest = i;

	for (int axis = N_MODEL_AXES - 1; axis >= 0; axis--) {
		int n = finder->axis[axis].n;

		index[axis] = n ? rest % n : 0;
		rest /= n ? n : 1;
	}
	for (int axis = 0; axis < N_MODEL_AXES; axis++) {
		const struct choice *choice = &finder->axis[axis].item[index[axis]];

		if (finder->axis[axis].n)
			set_axis(way, (enum model_axis)axis, choice);
		if (finder->axis[axis].n < 2)
			continue;
		if (!choice->label || !choice->value)
			return out_of_memory(finder);
		way->differs[axis] = choice->value;
		printable_add(&label, "%s%s", *label.s ? ", " : "", choice->label);
	}
	if (!*label.s)
		printable_add(&label, "%s", way->policy ? way->policy : way->provider);
	way->label = arena_keep(finder->arena, label.s);
	return way->label ? 0 : out_of_memory(finder);
}

static bool has_slug(const struct model_ways *ways, int n, const char *slug)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(ways->way[i].slug, slug))
			return true;
	return false;
}

static int make_slug(const struct finder *finder, struct model_ways *ways, int i)
{
	struct model_way *way = &ways->way[i];
	char text[MAX_SLUG + 16];
	size_t n = 0;

	for (const char *at = way->label; *at && n < MAX_SLUG; at++) {
		if (*at == ',')
			continue;
		text[n++] = *at == ' ' ? '-' : *at;
		if (*at == '/' || iscntrl((unsigned char)*at))
			text[n - 1] = '_';
	}
	text[n] = 0;
	if (*text == '.')
		*text = '_';
	for (int k = 2; has_slug(ways, i, text); k++)
		snprintf(text + n, sizeof text - n, "-%d", k);
	way->slug = arena_keep(finder->arena, text);
	return way->slug ? 0 : out_of_memory(finder);
}

/* An option that no run gets would be left out without a word. Which providers a policy chooses from, the runner knows.
 */
static int check_provider_options(const struct finder *finder, const struct model_ways *ways)
{
	const struct opt_list *list = &finder->opts->run.provider_option;

	for (size_t i = 0; i < list->n; i++) {
		char name[RUN_NAME];
		bool has_owner = model_option_owner(list->item[i], name, sizeof name), is_taken = false;

		for (int k = 0; k < ways->n; k++)
			is_taken |= ways->way[k].policy || (has_owner ? provider_is(name, ways->way[k].provider)
								      : !model_way_is_cpu(&ways->way[k]));
		if (!is_taken && has_owner)
			return err_set(finder->err, EINVAL, "cannot use '%s' as --ep-option: %s is not among --ep",
				       list->item[i], name);
		if (!is_taken)
			return err_set(finder->err, EINVAL, "cannot use '%s' as --ep-option: the CPU provider has none",
				       list->item[i]);
	}
	return 0;
}

static int describe_axes(const struct finder *finder, struct model_ways *ways)
{
	for (int axis = 0; axis < N_MODEL_AXES; axis++) {
		const struct choices *of = &finder->axis[axis];
		struct printable text = { "" };

		if (of->n == 1)
			set_axis(&ways->shared, (enum model_axis)axis, &of->item[0]);
		for (int i = 0; of->n > 1 && i < of->n; i++)
			printable_add(&text, "%s%s", i ? "," : "", of->item[i].value);
		ways->all[axis] = *text.s ? arena_keep(finder->arena, text.s) : NULL;
		if (*text.s && !ways->all[axis])
			return out_of_memory(finder);
	}
	return 0;
}

static int make_all(struct finder *finder, struct model_ways *ways)
{
	int n = 1, code = check_number(finder);

	for (int axis = 0; axis < N_MODEL_AXES; axis++)
		n *= !code && finder->axis[axis].n ? finder->axis[axis].n : 1;
	for (int i = 0; i < n && !code; i++) {
		code = make_way(finder, ways, i);
		code = code ? code : make_slug(finder, ways, i);
		ways->n += !code;
	}
	code = code ? code : describe_axes(finder, ways);
	return code ? code : check_provider_options(finder, ways);
}

int model_ways_find(struct model_ways *ways, const struct model_opts *opts, char *const *models, int n_models,
		    struct arena *arena, struct err *err)
{
	struct finder *finder = calloc(1, sizeof *finder);
	int code;

	memset(ways, 0, sizeof *ways);
	if (!finder)
		return err_no_memory(err, "cannot run the model");
	*finder = (struct finder){ .opts = opts, .arena = arena, .err = err };
	code = find_choices(finder, models, n_models);
	code = code ? code : make_all(finder, ways);
	free(finder);
	return code;
}
