// SPDX-License-Identifier: Apache-2.0
/*
 * Where the time of inferences went, as a tree: model > setup, operators, what a stop of the process hit, unattributed
 * > type > operator. Times of operators are their own, without those inside them; on several threads at a time they may
 * exceed the inference.
 */
#include <stdlib.h>

#include "show/view/view_scan.h"

enum { MOST_OPERATORS = 200, MOST_NODES = 20000 };

struct writer {
	struct view *view;
	struct json json;
	const struct group **group; /* by model, type, time */
	size_t n;
	size_t n_nodes;
};

static int order_of(const struct group *group)
{
	return group->kind == KIND_INFERENCE ? 0 : group->kind == KIND_SETUP ? 1 : 2;
}

static int by_place(const void *left, const void *right)
{
	const struct group *a = *(const struct group *const *)left, *b = *(const struct group *const *)right;

	if (a->model != b->model)
		return a->model < b->model ? -1 : 1;
	if (order_of(a) != order_of(b))
		return order_of(a) - order_of(b);
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->self_ns > b->self_ns ? -1 : a->self_ns < b->self_ns;
}

/* Opens a node; its children follow, and then the end. */
static void begin(struct writer *to, const char *name, uint64_t ns, uint64_t n, int class)
{
	to->n_nodes++;
	json_object(&to->json, NULL);
	json_text(&to->json, "name", name);
	json_count(&to->json, "ns", ns);
	json_count(&to->json, "n", n);
	json_known(&to->json, "class", class);
	json_array(&to->json, "children");
}

static void end(struct writer *to)
{
	json_end(&to->json, ']');
	json_end(&to->json, '}');
}

static void leaf(struct writer *to, const char *name, uint64_t ns, uint64_t n, int class)
{
	begin(to, name, ns, n, class);
	end(to);
}

/* The sums of groups first..last-1. */
static uint64_t sum(const struct writer *to, size_t first, size_t last, uint64_t *n)
{
	uint64_t ns = 0;

	*n = 0;
	for (size_t i = first; i < last; i++) {
		ns += order_of(to->group[i]) == 2 ? to->group[i]->self_ns : to->group[i]->total_ns;
		*n += to->group[i]->n;
	}
	return ns;
}

/* Of operators and setup during which the process was halted. */
static uint64_t sum_halted(const struct writer *to, size_t first, size_t last, uint64_t *n)
{
	uint64_t ns = 0;

	*n = 0;
	for (size_t i = first; i < last; i++) {
		ns += to->group[i]->halted_ns;
		*n += to->group[i]->n_halted;
	}
	return ns;
}

static void put_type(struct writer *to, size_t first, size_t last)
{
	uint64_t n, ns = sum(to, first, last, &n), rest_ns;
	uint16_t class = to->group[first]->class;
	size_t shown = first;

	begin(to, view_class_name(to->view, class), ns, n, class);
	for (; shown < last && shown - first < MOST_OPERATORS && to->n_nodes < MOST_NODES; shown++)
		leaf(to, view_name(to->view, to->group[shown]->name), to->group[shown]->self_ns, to->group[shown]->n,
		     class);
	rest_ns = sum(to, shown, last, &n);
	if (shown < last)
		leaf(to, "others", rest_ns, n, class);
	end(to);
}

static void put_types(struct writer *to, size_t first, size_t last)
{
	for (size_t i = first, next; i < last; i = next) {
		next = i + 1;
		while (next < last && to->group[next]->class == to->group[i]->class)
			next++;
		put_type(to, i, next);
	}
}

/* Where the groups of an order end. */
static size_t end_of(const struct writer *to, size_t first, size_t last, int order)
{
	while (first < last && order_of(to->group[first]) <= order)
		first++;
	return first;
}

static void put_model(struct writer *to, size_t first, size_t last)
{
	size_t setup = end_of(to, first, last, 0), operators = end_of(to, setup, last, 1);
	uint64_t n, n_setup, n_operators, ns = sum(to, first, setup, &n);
	uint64_t setup_ns = sum(to, setup, operators, &n_setup);
	uint64_t operators_ns = sum(to, operators, last, &n_operators), n_halted;
	uint64_t halted_ns = sum_halted(to, setup, last, &n_halted), known_ns = setup_ns + operators_ns + halted_ns;
	const char *name = view_name(to->view, to->group[first]->model);

	begin(to, *name ? name : "no model", n ? ns : known_ns, n, -1);
	if (n_setup)
		leaf(to, "setup", setup_ns, n_setup, KIND_SETUP);
	if (n_operators) {
		begin(to, "operators", operators_ns, n_operators, -1);
		put_types(to, operators, last);
		end(to);
	}
	if (n_halted)
		leaf(to, "process stopped", halted_ns, n_halted, -1);
	if (n && ns > known_ns)
		leaf(to, "unattributed", ns - known_ns, n, -1);
	end(to);
}

static size_t end_of_model(const struct writer *to, size_t first)
{
	size_t next = first + 1;

	while (next < to->n && to->group[next]->model == to->group[first]->model)
		next++;
	return next;
}

/* What the models take, and their inferences. */
static uint64_t sum_all(const struct writer *to, size_t first, uint64_t *n)
{
	uint64_t ns = 0, ns_of_model, n_of_model;

	*n = 0;
	for (size_t i = first, next; i < to->n; i = next) {
		next = end_of_model(to, i);
		ns_of_model = sum(to, i, end_of(to, i, next, 0), &n_of_model);
		*n += n_of_model;
		ns += n_of_model ? ns_of_model : sum(to, i, next, &n_of_model);
	}
	return ns;
}

/* Operators of no inference, as session creation runs, are no part of the time of inferences: model 0 comes first. */
static size_t first_of_inferences(const struct writer *to)
{
	size_t next = to->n && !to->group[0]->model ? end_of_model(to, 0) : 0;

	return next < to->n && order_of(to->group[0]) ? next : 0;
}

static void put_tree(struct writer *to)
{
	const size_t first = first_of_inferences(to);
	uint64_t n, ns = sum_all(to, first, &n);

	begin(to, "inferences", ns, n, -1);
	for (size_t i = first, next; i < to->n; i = next) {
		next = end_of_model(to, i);
		put_model(to, i, next);
	}
	end(to);
}

static void finish(struct groups *groups, struct http_answer *answer)
{
	struct writer to = { .view = groups->scan.view, .n = groups->rows.n };
	struct view_text text;

	to.group = malloc((to.n + 1) * sizeof *to.group);
	if (!to.group) {
		view_say_no_memory(answer);
		return;
	}
	for (size_t i = 0; i < to.n; i++)
		to.group[i] = (const struct group *)groups->rows.data + i;
	qsort(to.group, to.n, sizeof *to.group, by_place);
	view_text_begin(&text);
	if (text.out) {
		to.json = text.json;
		put_tree(&to);
		text.json = to.json;
	}
	view_text_end(&text, answer);
	free(to.group);
}

VIEW_ANSWER(icicle)
{
	struct groups *groups = groups_new(view, sizeof *groups, request, answer);

	if (!groups)
		return NULL;
	groups->kinds = 1u << KIND_INFERENCE | 1u << KIND_SETUP | 1u << KIND_OPERATOR;
	groups->finished = finish;
	return &groups->scan.job;
}
