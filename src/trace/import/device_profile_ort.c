// SPDX-License-Identifier: Apache-2.0
/*
 * Finds device kernels in ONNX Runtime's own profile, and the operator or inference that each ran in. ort_profile.c
 * reads the file.
 *
 * A row of category Kernel has the begin of its operator, in microseconds since 1970. A row of category Api does not,
 * but lies inside the inference (category Session, model_run) whose commands the device executed. Of operators
 * (category Node) only names and times are read: the profile's own times count from a moment that it does not state.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/import/device_profile.h"
#include "trace/import/ort_profile.h"

enum { MAX_TRIES = 1000 };

struct node {
	uint32_t name;
	int64_t ts;
};

/* An inference. */
struct model_run {
	int64_t ts, dur;
};

struct kernel {
	struct ort_profile_event line;
	size_t at; /* in the file: keeps the order */
};

struct profile {
	struct ort_profile file;
	struct device_profile *to;
	struct node *nodes;
	struct kernel *kernels;
	struct model_run *runs;
	size_t n_nodes, n_kernels, n_runs, node_room, kernel_room, run_room;
};

static bool keep(struct profile *profile, const struct ort_profile_event *line)
{
	if (line->kind == ORT_PROFILE_NODE) {
		if (!ARRAY_ROOM(profile->nodes, profile->node_room, profile->n_nodes + 1))
			return false;
		profile->nodes[profile->n_nodes++] = (struct node){ line->name, line->ts };
	} else if (line->kind == ORT_PROFILE_RUN) {
		if (!ARRAY_ROOM(profile->runs, profile->run_room, profile->n_runs + 1))
			return false;
		profile->runs[profile->n_runs++] = (struct model_run){ line->ts, line->dur };
	} else if (line->kind == ORT_PROFILE_KERNEL || line->kind == ORT_PROFILE_API) {
		if (!ARRAY_ROOM(profile->kernels, profile->kernel_room, profile->n_kernels + 1))
			return false;
		profile->kernels[profile->n_kernels] = (struct kernel){ *line, profile->n_kernels };
		profile->n_kernels++;
	}
	return true;
}

static int take(struct ort_profile *file, const struct ort_profile_event *event, struct err *err)
{
	return keep((struct profile *)file, event) ? 0 : err_no_memory(err, "cannot read it");
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static bool is_apart(const struct kernel *kernel)
{
	return kernel->line.kind == ORT_PROFILE_API || !kernel->line.correlation;
}

/* Sorts by execution; rows without one come last. */
static int by_execution(const void *left, const void *right)
{
	const struct kernel *a = left, *b = right;
	int order = is_apart(a) - is_apart(b);

	if (!order && !is_apart(a))
		order = compare(a->line.correlation, b->line.correlation);
	if (!order)
		order = compare((uint64_t)a->line.ts, (uint64_t)b->line.ts);
	return order ? order : compare(a->at, b->at);
}

static int by_time(const void *left, const void *right)
{
	const struct node *a = left, *b = right;

	return compare((uint64_t)a->ts, (uint64_t)b->ts);
}

static int by_begin(const void *left, const void *right)
{
	const struct model_run *a = left, *b = right;

	return compare((uint64_t)a->ts, (uint64_t)b->ts);
}

/* Sorts inferences. Concurrent ones are of no use: it is unknown whose commands a device executes then. */
static void sort_runs(struct profile *profile)
{
	if (profile->n_runs)
		qsort(profile->runs, profile->n_runs, sizeof *profile->runs, by_begin);
	for (size_t i = 1; i < profile->n_runs; i++)
		if (profile->runs[i].ts < profile->runs[i - 1].ts + profile->runs[i - 1].dur)
			profile->n_runs = 0;
}

/* The number of operators that began before ts. */
static size_t n_before(const struct profile *profile, int64_t ts)
{
	size_t low = 0, high = profile->n_nodes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (profile->nodes[middle].ts < ts)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The moment from which the profile's times count. A kernel has its operator's begin since 1970; that operator is the
 * last of its name that began before the kernel. 0: no kernel's operator was found.
 */
static uint64_t zero_us(const struct profile *profile, size_t n_kernels)
{
	for (size_t i = 0; i < n_kernels; i++) {
		const struct ort_profile_event *line = &profile->kernels[i].line;

		for (size_t n = n_before(profile, line->ts + 1); n-- > 0;)
			if (profile->nodes[n].name == line->operator)
				return line->correlation - (uint64_t)profile->nodes[n].ts;
		if (i == MAX_TRIES)
			break;
	}
	return 0;
}

/*
 * The operator that began then; of several, the one that the kernel names. The name alone is unreliable: at times it is
 * that of an outer event.
 */
static const struct node *operator_at(const struct profile *profile, const struct ort_profile_event *line,
				      uint64_t zero)
{
	uint64_t ts = line->correlation - zero;
	const struct node *found = NULL;

	if (!zero || line->correlation < zero || ts >= INT64_MAX)
		return NULL;
	for (size_t n = n_before(profile, (int64_t)ts); n < profile->n_nodes && (uint64_t)profile->nodes[n].ts == ts;
	     n++)
		if (!found || profile->nodes[n].name == line->operator)
			found = &profile->nodes[n];
	return found;
}

/* begin: of its operator or inference; -1: unknown. */
static bool add_row(struct device_profile *to, const struct ort_profile_event *line, int64_t begin)
{
	struct device_row *row = device_profile_row(to);

	if (row)
		*row = (struct device_row){ .name = line->name,
					    .op_type = line->op_type,
					    .implementation = line->implementation,
					    .unit = DEVICE_US,
					    .value = line->dur,
					    .offset_us = begin >= 0 && line->ts >= begin ? line->ts - begin : -1 };
	return row != NULL;
}

static bool add_execution(struct profile *profile, size_t first, size_t end, uint64_t zero)
{
	const struct ort_profile_event *line = &profile->kernels[first].line;
	const struct node *node = operator_at(profile, line, zero);
	struct device_execution *execution = device_profile_execution(profile->to);

	if (!execution)
		return false;
	*execution = (struct device_execution){ .operator = node ? node->name : line->operator,
						.whole = DEVICE_NO_ROW,
						.first = profile->to->n_rows,
						.n = end - first };
	for (size_t i = first; i < end; i++)
		if (!add_row(profile->to, &profile->kernels[i].line, node ? node->ts : -1))
			return false;
	return true;
}

static bool is_inside(const struct ort_profile_event *line, const struct model_run *run)
{
	return line->ts >= run->ts && line->ts + line->dur <= run->ts + run->dur;
}

/*
 * Adds an execution for each inference, even without kernels, because inferences are matched by their order. Rows
 * without one stay in order.
 */
static bool add_inferences(struct profile *profile, size_t first)
{
	size_t n_left = 0, at = first, n_before = profile->to->n_executions;

	for (size_t i = 0; i < profile->n_runs; i++) {
		struct device_execution *execution = device_profile_execution(profile->to);

		if (!execution)
			return false;
		*execution = (struct device_execution){ .is_inference = true,
							.whole = DEVICE_NO_ROW,
							.first = profile->to->n_rows };
		for (; at < profile->n_kernels &&
		       profile->kernels[at].line.ts < profile->runs[i].ts + profile->runs[i].dur;
		     at++) {
			const struct ort_profile_event *line = &profile->kernels[at].line;

			if (!is_inside(line, &profile->runs[i]))
				profile->kernels[first + n_left++] = profile->kernels[at];
			else if (!add_row(profile->to, line, profile->runs[i].ts))
				return false;
		}
		execution = &profile->to->executions[profile->to->n_executions - 1];
		execution->n = profile->to->n_rows - execution->first;
	}
	for (; at < profile->n_kernels; at++)
		profile->kernels[first + n_left++] = profile->kernels[at];
	if (first + n_left == profile->n_kernels)
		profile->to->n_executions = n_before;
	profile->n_kernels = first + n_left;
	return true;
}

static bool add_all(struct profile *profile)
{
	size_t n_kernels = 0, at = 0, next;
	uint64_t zero;

	if (profile->n_kernels)
		qsort(profile->kernels, profile->n_kernels, sizeof *profile->kernels, by_execution);
	if (profile->n_nodes)
		qsort(profile->nodes, profile->n_nodes, sizeof *profile->nodes, by_time);
	sort_runs(profile);
	while (n_kernels < profile->n_kernels && !is_apart(&profile->kernels[n_kernels]))
		n_kernels++;
	zero = zero_us(profile, n_kernels);
	for (; at < n_kernels; at = next) {
		for (next = at; next < n_kernels &&
				profile->kernels[next].line.correlation == profile->kernels[at].line.correlation;)
			next++;
		if (!add_execution(profile, at, next, zero))
			return false;
	}
	if (at < profile->n_kernels && !add_inferences(profile, at))
		return false;
	profile->to->n_apart = profile->n_kernels - n_kernels;
	for (; at < profile->n_kernels; at++)
		if (!add_row(profile->to, &profile->kernels[at].line, -1))
			return false;
	return true;
}

int device_profile_ort(struct device_profile *to, struct names *names, const char *data, size_t size, struct err *err)
{
	struct profile profile = { .file = { .names = names, .take = take }, .to = to };
	int code;

	*to = (struct device_profile){ .names = names, .source = names_of(names, "ONNX Runtime's profile") };
	code = ort_profile_read(&profile.file, &(struct import_bytes){ data, size, NULL }, err);
	if (!code && !add_all(&profile))
		code = err_no_memory(err, "cannot read it");
	to->n_unread = profile.file.n_unread;
	to->is_cut = profile.file.is_cut;
	free(profile.nodes);
	free(profile.runs);
	free(profile.kernels);
	return code;
}
