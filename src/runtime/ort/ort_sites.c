// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the probe sites of ONNX Runtime. Three methods: a virtual slot of all classes that derive from one (ort.c knows
 * the slots); a text that only one function refers to; the instruction behind the only call of a virtual slot in such a
 * function. Run, Initialize and Load must let no exception out: each must contain a catch-all handler with the known
 * message.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "runtime/find/function.h"
#include "runtime/find/text_anchor.h"
#include "runtime/ort/ort.h"
#include "runtime/probe_sites.h"

enum { MAX_SITES = 1 << 14, MAX_ENDS = 8, WORD = 8 };

enum anchor {
	RUN,
	RUN_CATCH,
	PARTIAL_RUN,
	INITIALIZE,
	INITIALIZE_CATCH,
	LOAD_CATCH,
	OLD_LOAD_CATCH,
	KERNEL,
	APPLY,
	APPLY_FILE,
	WEIGHTS,
	TRANSFORM_GRAPH,
	RESOLVE,
	CONNECT,
	PLACEMENTS,
	PARTITIONER,
	N_ANCHORS
};

struct finder {
	struct probe_sites *sites;
	const struct image_file *file;
	struct rtti rtti;
	struct runtime_found ort;
	struct eh_frame frames;
	struct text_anchor anchor[N_ANCHORS];
	struct arena arena;
	size_t capacity;
	bool has_types, is_out_of_memory;
};

__attribute__((format(printf, 3, 4))) static void leave_out(struct finder *finder, enum probe_kind kind,
							    const char *why, ...)
{
	char *text = finder->sites->left_out;
	size_t used = strlen(text), size = sizeof finder->sites->left_out;
	char reason[160];
	va_list args;

	va_start(args, why);
	vsnprintf(reason, sizeof reason, why, args);
	va_end(args);
	snprintf(text + used, size - used, "%s%s (%s)", used ? "; " : "", probe_kind_name(kind), reason);
}

static void add_site(struct finder *finder, enum probe_kind kind, const struct function_site *found)
{
	struct probe_sites *sites = finder->sites;
	struct probe_site site = {
		.address = found->address, .kind = kind, .depth = found->depth, .is_cheap = found->is_cheap
	};

	if (sites->n >= MAX_SITES || !image_file_offset(finder->file, found->address, &site.offset))
		return;
	if (ARRAY_ROOM(sites->site, finder->capacity, sites->n + 1))
		sites->site[sites->n++] = site;
	else
		finder->is_out_of_memory = true;
}

static size_t count_of(const struct finder *finder, enum probe_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < finder->sites->n; i++)
		n += finder->sites->site[i].kind == (uint32_t)kind;
	return n;
}

/* Kinds of which nothing is read, so that any place will do; but it is passed for less than what it tells. */
static bool is_border(enum probe_kind kind)
{
	return kind >= SITE_READ && kind <= SITE_SHARE_PACKED;
}

static bool add_entry(struct finder *finder, enum probe_kind kind, uint64_t function)
{
	struct function_site site;
	bool is_found = is_border(kind)		   ? function_early(&finder->frames, function, &site)
			: probe_kind_returns(kind) ? function_entry(&finder->frames, function, &site)
						   : function_arguments(&finder->frames, function, &site);

	if (!is_found)
		return false;
	add_site(finder, kind, &site);
	return true;
}

static void note_run(struct finder *finder)
{
	struct probe_sites *sites = finder->sites;
	struct eh_function run;

	for (size_t i = 0; i < sites->n; i++)
		if (sites->site[i].kind == SITE_RUN &&
		    eh_frame_function(&finder->frames, sites->site[i].address, &run)) {
			sites->run_start = run.start;
			sites->run_end = run.end;
		}
}

static int by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/*
 * The functions in a slot of all classes that derive from the family's, each once, in *functions (in the arena). most:
 * the one that most classes use.
 */
static size_t find_functions(struct finder *finder, enum ort_family family, uint64_t **functions, uint64_t *most)
{
	struct rtti_vtable *vtable;
	size_t n = rtti_derived(&finder->rtti, ort_families[family].class_name, &vtable);
	size_t n_functions = 0, n_most = 0, same = 0, kept = 0;
	uint64_t slot = (uint64_t)finder->ort.slot[family];

	*most = 0;
	*functions = arena_alloc(&finder->arena, n * sizeof **functions);
	if (!*functions)
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t function = image_word(finder->rtti.image, vtable[i].slots + WORD * slot);
		/* 0: a pure one; it may be an address of code where the first segment is executable */
		if (function && image_has(finder->rtti.image, function, IMAGE_X))
			(*functions)[n_functions++] = function;
	}
	if (n_functions)
		qsort(*functions, n_functions, sizeof **functions, by_value);
	for (size_t i = 0; i < n_functions; i++) {
		same = i && (*functions)[i] == (*functions)[i - 1] ? same + 1 : 1;
		if (same > n_most)
			n_most = same, *most = (*functions)[i];
		if (same == 1)
			(*functions)[kept++] = (*functions)[i];
	}
	return kept;
}

/*
 * Entries of a virtual function in all classes. `but_default`: without the one that most classes use, which does
 * nothing.
 */
static void find_virtual(struct finder *finder, enum probe_kind kind, enum ort_family family, bool but_default)
{
	uint64_t *functions, most;
	size_t n, n_odd = 0;

	if (finder->ort.slot[family] < 0) {
		leave_out(finder, kind, "its slot is not known in this version");
		return;
	}
	n = find_functions(finder, family, &functions, &most);
	for (size_t i = 0; i < n; i++)
		if (!but_default || functions[i] != most)
			n_odd += !add_entry(finder, kind, functions[i]);
	if (n_odd && (!is_border(kind) || n_odd == n))
		leave_out(finder, kind, "%zu of %zu functions cannot be decoded", n_odd, n);
	else if (!n)
		leave_out(finder, kind, "no class has it");
}

/* Training builds have a second, stepwise run with the same texts and one of its own. */
static bool is_partial_run(const struct finder *finder, const struct eh_function *function)
{
	const struct text_anchor *own = &finder->anchor[PARTIAL_RUN];

	for (unsigned i = 0; i < own->n_functions && i < TEXT_ANCHOR_FUNCTIONS; i++)
		if (own->function[i].start == function->start)
			return true;
	return false;
}

/*
 * The functions that refer to an anchor's text, each once and complete, at most TEXT_ANCHOR_FUNCTIONS: *n. NULL, or why
 * there are none.
 */
static const char *find_users(const struct finder *finder, enum anchor anchor, struct eh_function *user, unsigned *n)
{
	const struct text_anchor *found = &finder->anchor[anchor];
	struct eh_function whole;
	unsigned k;

	*n = 0;
	if (found->n_functions > TEXT_ANCHOR_FUNCTIONS)
		return "several functions use its text";
	for (unsigned i = 0; i < found->n_functions; i++) {
		if (!function_whole(&finder->frames, &found->function[i], &whole))
			return "its code cannot be decoded";
		for (k = 0; k < *n && user[k].start != whole.start; k++)
			;
		if (k == *n && !is_partial_run(finder, &whole))
			user[(*n)++] = whole;
	}
	return *n ? NULL : "its text is missing";
}

/* The only such function. NULL, or why there is none. */
static const char *find_user(const struct finder *finder, enum anchor anchor, struct eh_function *user)
{
	struct eh_function users[TEXT_ANCHOR_FUNCTIONS];
	unsigned n;
	const char *why = find_users(finder, anchor, users, &n);

	if (!why && n > 1)
		return "several functions use its text";
	if (!why)
		*user = users[0];
	return why;
}

/*
 * A function that catches all exceptions, found by the message of its handler. `text` confirms it: the function with
 * that text is the same, or is called by it (1.31 has split Initialize in two, and exceptions pass the inner one).
 */
static void find_catching(struct finder *finder, enum probe_kind kind, enum anchor text, enum anchor catch)
{
	struct eh_function function, handler;
	const char *why = find_user(finder, text, &function);

	if (!why)
		why = find_user(finder, catch, &handler);
	if (!why && function.start != handler.start && !function_calls(&finder->frames, &handler, function.start))
		why = "its exception handler was not found";
	if (!why && !add_entry(finder, kind, handler.start))
		why = "its entry cannot be decoded";
	if (why)
		leave_out(finder, kind, "%s", why);
}

static void find_plain(struct finder *finder, enum probe_kind kind, enum anchor text)
{
	struct eh_function function;
	const char *why = find_user(finder, text, &function);

	if (!why && !add_entry(finder, kind, function.start))
		why = "its entry cannot be decoded";
	if (why)
		leave_out(finder, kind, "%s", why);
}

/*
 * The sites behind the virtual calls of functions with a text. Each function must have one: a call without a site would
 * not end. False: the kind is left out.
 */
static bool find_ends(struct finder *finder, enum probe_kind kind, const struct eh_function *function, unsigned n,
		      enum ort_family family)
{
	struct function_site end[TEXT_ANCHOR_FUNCTIONS][MAX_ENDS];
	int n_ends[TEXT_ANCHOR_FUNCTIONS];

	for (unsigned i = 0; i < n; i++) {
		n_ends[i] = function_after_calls(&finder->frames, &function[i], WORD * finder->ort.slot[family], end[i],
						 MAX_ENDS);
		if (n_ends[i] > 0)
			continue;
		leave_out(finder, kind, n_ends[i] ? "its caller cannot be decoded" : "its call was not found");
		return false;
	}
	for (unsigned i = 0; i < n; i++)
		for (int k = 0; k < n_ends[i]; k++)
			add_site(finder, kind, &end[i][k]);
	return true;
}

/* Of the functions with that text, the one that calls the only function with the other text. */
static void find_calling(struct finder *finder, enum probe_kind kind, enum anchor text, enum anchor called)
{
	struct eh_function user[TEXT_ANCHOR_FUNCTIONS], callee;
	const char *why = find_user(finder, called, &callee);
	unsigned n = 0, n_found = 0;

	if (!why)
		why = find_users(finder, text, user, &n);
	for (unsigned i = 0; i < n && !why; i++)
		if (function_calls(&finder->frames, &user[i], callee.start) && !n_found++ &&
		    !add_entry(finder, kind, user[i].start))
			why = "its entry cannot be decoded";
	if (!why && n_found != 1)
		why = n_found ? "several functions are like it" : "no function is like it";
	if (why)
		leave_out(finder, kind, "%s", why);
}

/* In 1.23 weights are copied after the last transformer; since 1.24 before the first one. */
static void find_borders(struct finder *finder)
{
	enum { FIRST = 14, COPIES_LATE = 23 };
	int minor = finder->ort.minor;

	find_plain(finder, !minor || minor >= COPIES_LATE ? SITE_INITIALIZE_WEIGHTS : SITE_SAVE_WEIGHTS, WEIGHTS);
	if (minor && minor < FIRST)
		return;
	find_plain(finder, minor > COPIES_LATE ? SITE_COPY_WEIGHTS : SITE_PREPARE, TRANSFORM_GRAPH);
	if (minor != COPIES_LATE)
		find_calling(finder, SITE_RESOLVE, RESOLVE, CONNECT);
	find_plain(finder, SITE_LOOK_UP, PLACEMENTS);
	find_plain(finder, SITE_PLAN, PARTITIONER);
	if (!finder->has_types)
		return;
	find_virtual(finder, SITE_READ, ORT_READ, false);
	find_virtual(finder, SITE_PREDEFINED, ORT_PREDEFINED_TRANSFORMERS, false);
	find_virtual(finder, SITE_WEIGHT, ORT_WEIGHT, false);
	/* older ones do not call it; without it a packing lasts until the next one */
	if (minor >= 22 && finder->ort.slot[ORT_SHARE_PACKED] >= 0)
		find_virtual(finder, SITE_SHARE_PACKED, ORT_SHARE_PACKED, true);
}

/* A transformer is called by one function, which has the entry, too. */
static void find_transforms(struct finder *finder)
{
	enum anchor text = finder->anchor[APPLY].n_functions ? APPLY : APPLY_FILE;
	struct eh_function apply;
	const char *why = find_user(finder, text, &apply);

	if (why)
		leave_out(finder, SITE_TRANSFORM_END, "%s", why);
	else if (find_ends(finder, SITE_TRANSFORM_END, &apply, 1, ORT_TRANSFORM) &&
		 !add_entry(finder, SITE_TRANSFORM, apply.start))
		leave_out(finder, SITE_TRANSFORM, "its entry cannot be decoded");
}

/* Up to 1.13 there are two executors, one for operators side by side. */
static void find_operators(struct finder *finder)
{
	struct eh_function executor[TEXT_ANCHOR_FUNCTIONS];
	unsigned n;
	const char *why = find_users(finder, KERNEL, executor, &n);

	if (why)
		leave_out(finder, SITE_OPERATOR_END, "%s", why);
	else if (find_ends(finder, SITE_OPERATOR_END, executor, n, ORT_COMPUTE))
		find_virtual(finder, SITE_OPERATOR, ORT_COMPUTE, false);
}

static void find_texts(struct finder *finder)
{
	static const char *const texts[N_ANCHORS] = {
		[RUN] = "Running with tag: ",
		[RUN_CATCH] = "Encountered unknown exception in Run()",
		[PARTIAL_RUN] = "PartialRun",
		[INITIALIZE] = "Session successfully initialized",
		[INITIALIZE_CATCH] = "Encountered unknown exception in Initialize()",
		[LOAD_CATCH] = "Encountered unknown exception in LoadWithLoader()",
		[OLD_LOAD_CATCH] = "Encountered unknown exception in Load()", /* before 1.13 */
		[KERNEL] = "Non-zero status code returned while running ",
		[APPLY] = " modified: ",
		/* before 1.17 */
		[APPLY_FILE] = "/onnxruntime/core/optimizer/graph_transformer.cc",
		[WEIGHTS] = "Done saving initialized tensors",
		[TRANSFORM_GRAPH] = "TransformGraph",
		[RESOLVE] = "Resolve",
		[CONNECT] = "BuildConnections",
		[PLACEMENTS] = "Node placements",
		[PARTITIONER] = "Use DeviceBasedPartition as default",
	};

	for (int i = 0; i < N_ANCHORS; i++)
		finder->anchor[i] = (struct text_anchor){ .text = texts[i],
							  .is_whole = i == RESOLVE || i == CONNECT,
							  .is_tail = i == APPLY_FILE };
	text_anchor_find(finder->anchor, N_ANCHORS, &finder->frames);
}

/* The sites that a build without type information still has, found by texts. */
static void find_by_texts(struct finder *finder)
{
	enum anchor load = finder->anchor[LOAD_CATCH].n_functions ? LOAD_CATCH : OLD_LOAD_CATCH;
	struct probe_sites *sites = finder->sites;

	find_catching(finder, SITE_RUN, RUN, RUN_CATCH);
	note_run(finder);
	find_catching(finder, SITE_INITIALIZE, INITIALIZE, INITIALIZE_CATCH);
	find_catching(finder, SITE_LOAD, load, load);
	find_borders(finder);
	if (!finder->has_types)
		snprintf(sites->left_out + strlen(sites->left_out), sizeof sites->left_out - strlen(sites->left_out),
			 "%soperators, releases and everything else in virtual tables (built without type information)",
			 *sites->left_out ? "; " : "");
}

static void find_runtime(struct finder *finder)
{
	find_by_texts(finder);
	/* the destructor before the deleting one: the deleting one is often bypassed, this one never */
	if (finder->ort.slot[ORT_SESSION_DELETE] > 0)
		finder->ort.slot[ORT_SESSION_DELETE]--;
	find_virtual(finder, SITE_SESSION_DELETE, ORT_SESSION_DELETE, false);
	find_transforms(finder);
	find_operators(finder);
}

static void find_ort(struct finder *finder, const struct probe_sites *host)
{
	struct probe_sites *sites = finder->sites;
	struct runtime_found host_ort = { .version = "" };

	if (host) {
		host_ort.version = host->version;
		host_ort.minor = host->minor;
		for (int i = 0; i < N_ORT_FAMILIES; i++)
			host_ort.slot[i] = host->slot[i];
	}
	finder->ort =
	    (struct runtime_found){ .runtime = &runtime_onnxruntime, .image = finder->rtti.image, .version = "" };
	ort_find(&finder->ort, &finder->rtti, host ? &host_ort : NULL);
	snprintf(sites->version, sizeof sites->version, "%s", finder->ort.version);
	sites->minor = finder->ort.minor;
	sites->is_library = finder->has_types && !rtti_named(&finder->rtti, ORT_SESSION_CLASS);
	sites->is_old_string = finder->ort.is_old_string;
	for (int i = 0; i < N_ORT_FAMILIES; i++)
		sites->slot[i] = finder->ort.slot[i];
}

static void find_families(struct finder *finder)
{
	if (finder->sites->is_library)
		find_virtual(finder, SITE_OPERATOR, ORT_COMPUTE, false);
	else
		find_runtime(finder);
	find_virtual(finder, SITE_GET_CAPABILITY, ORT_GET_CAPABILITY, false);
	find_virtual(finder, SITE_COMPILE, ORT_COMPILE, false);
	find_virtual(finder, SITE_PREPACK, ORT_PREPACK, true);
}

static int find(struct finder *finder, const struct probe_sites *host, struct err *err)
{
	const struct image *image = image_file_image(finder->file);
	struct probe_sites *sites = finder->sites;
	int failed;

	if (rtti_scan(&finder->rtti, image, &finder->file->set, &finder->arena))
		return err_set(err, ENOMEM, "cannot analyse %s: out of memory", image->path);
	finder->has_types = ort_has_types(&finder->rtti);
	find_ort(finder, host);
	failed = eh_frame_open(&finder->frames, image, finder->file->frames, finder->file->frames_end, err);
	if (!failed && !sites->is_library)
		find_texts(finder);
	if (failed && finder->has_types)
		return failed;
	if (finder->has_types)
		find_families(finder);
	else if (!failed)
		find_by_texts(finder);
	if (!finder->has_types && !count_of(finder, SITE_RUN))
		return err_set(err, ENOENT, "cannot analyse %s: it contains no ONNX Runtime", image->path);
	if (finder->is_out_of_memory)
		return err_set(err, ENOMEM, "cannot analyse %s: out of memory", image->path);
	probe_sites_order(sites);
	if (!sites->is_library && !count_of(finder, SITE_RUN) && !count_of(finder, SITE_OPERATOR))
		return err_set(err, ENOTSUP,
			       "cannot analyse %s: this build of ONNX Runtime %s, build id %s, is not supported: %s",
			       image->path, *sites->version ? sites->version : "(unknown version)",
			       *sites->build_id ? sites->build_id : "unknown", sites->left_out);
	return 0;
}

int ort_sites_find(struct probe_sites *sites, const struct image_file *file, const struct probe_sites *host,
		   struct err *err)
{
	struct finder finder = { .sites = sites, .file = file };
	int failed;

	image_file_build_id(file, sites->build_id);
	failed = find(&finder, host, err);
	arena_done(&finder.arena);
	return failed;
}
