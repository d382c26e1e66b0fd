// SPDX-License-Identifier: Apache-2.0
/*
 * The flame graph of a range: samples of threads by their stacks, outermost frame first, and below the innermost what
 * the thread waited for. Threads together or apart; all of it, or what was on a CPU, or off it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/outside/outside_place.h"
#include "analyze/store/keys.h"
#include "show/view/view_in.h"
#include "show/view/view_samples.h"

enum { MOST_CHILDREN = 200, DEPTH = 256 };

static const double least_share = 0.0002;

struct node {
	uint32_t name, next, child; /* next, child: + 1 */
	uint64_t ns, n, ran_ns;
};

struct tree {
	struct view *view;
	struct array nodes;  /* struct node; node 0 is the root */
	struct keys keys;    /* by parent and name */
	struct array labels; /* uint32_t: texts, by frame */
	bool is_apart, has_on, has_off;
};

static struct node *node_at(const struct tree *tree, uint32_t number)
{
	return (struct node *)tree->nodes.data + number;
}

static struct names *names_of_store(const struct tree *tree)
{
	return store_sink((struct store *)tree->view->store)->names;
}

static void add_up(struct node *node, uint64_t ns, bool has_run)
{
	node->ns += ns;
	node->ran_ns += has_run ? ns : 0;
	node->n++;
}

/* KEYS_NONE: out of memory. */
static uint32_t child_of(struct tree *tree, uint32_t parent, uint32_t name)
{
	uint32_t number = keys_number(&tree->keys, parent, name) + 1;
	struct node *node;

	if (!number || number < tree->nodes.n)
		return number ? number : KEYS_NONE;
	node = array_add(&tree->nodes, sizeof *node);
	if (!node)
		return KEYS_NONE;
	*node = (struct node){ .name = name, .next = node_at(tree, parent)->child };
	node_at(tree, parent)->child = number + 1;
	return number;
}

static uint32_t label_of(struct tree *tree, uint32_t frame)
{
	const struct callstacks *stacks = store_callstacks(tree->view->store);
	uint32_t *label;

	while (tree->labels.n <= frame)
		if (!array_add(&tree->labels, sizeof *label))
			return 0;
	label = (uint32_t *)tree->labels.data + frame;
	if (!*label)
		*label = names_of(names_of_store(tree),
				  outside_frame_words(names_of_store(tree), callstacks_frame_of(stacks, frame)).s);
	return *label;
}

static int go_down(struct tree *tree, uint32_t *at, uint32_t name, uint64_t ns, bool has_run)
{
	*at = child_of(tree, *at, name);
	if (*at == KEYS_NONE)
		return -ENOMEM;
	add_up(node_at(tree, *at), ns, has_run);
	return 0;
}

static int add_sample(struct tree *tree, uint32_t top, const struct event_sample *sample, uint64_t ns)
{
	const struct callstacks *stacks = store_callstacks(tree->view->store);
	bool has_run = sample->state == SAMPLE_RAN;
	uint32_t frame[DEPTH], n = 0, at = top;
	int code = 0;

	for (const struct callstack *stack = callstacks_get(stacks, sample->stack); stack && n < DEPTH;
	     stack = callstacks_get(stacks, stack->caller))
		frame[n++] = stack->frame;
	while (!code && n)
		if (!outside_is_inside_import(names_of_store(tree), callstacks_frame_of(stacks, frame[--n])))
			code = go_down(tree, &at, label_of(tree, frame[n]), ns, has_run);
	if (!code && (!has_run || !sample->stack))
		code =
		    go_down(tree, &at, names_of(names_of_store(tree), view_state_words(names_of_store(tree), sample).s),
			    ns, has_run);
	return code;
}

static uint32_t thread_label(struct tree *tree, const struct store_thread *thread)
{
	struct printable text = { "" };

	printable_add(&text, "%s %d", thread->name ? view_name(tree->view, thread->name) : "thread", thread->tid);
	return names_of(names_of_store(tree), text.s);
}

static int add_thread(struct tree *tree, const struct store_thread *thread, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t label = tree->is_apart ? thread_label(tree, thread) : 0, top = 0;
	int code = 0;

	for (size_t i = store_sample_from(thread, from_ns); !code && i < thread->n; i++) {
		const struct store_sample *sample = &thread->sample[i];
		uint64_t ns = store_sample_within(sample, from_ns, to_ns);
		bool has_run = sample->is.state == SAMPLE_RAN;

		if (sample->time_ns - sample->is.weight_ns >= to_ns)
			break;
		if (!ns || (has_run ? !tree->has_on : !tree->has_off))
			continue;
		add_up(node_at(tree, 0), ns, has_run);
		top = 0;
		if (tree->is_apart)
			code = go_down(tree, &top, label, ns, has_run);
		if (!code)
			code = add_sample(tree, top, &sample->is, ns);
	}
	return code;
}

static int by_time(const void *left, const void *right)
{
	const struct node *a = *(const struct node *const *)left, *b = *(const struct node *const *)right;

	return a->ns != b->ns ? (a->ns < b->ns ? 1 : -1) : (a->name > b->name) - (a->name < b->name);
}

static void put_node(struct tree *tree, struct json *json, uint32_t number, const char *name)
{
	const struct node *node = node_at(tree, number);
	const struct node **child;
	uint32_t n = 0;

	json_object(json, NULL);
	json_text(json, "name", name);
	json_count(json, "ns", node->ns);
	json_count(json, "n", node->n);
	json_count(json, "ran_ns", node->ran_ns);
	json_array(json, "children");
	for (uint32_t at = node->child; at; at = node_at(tree, at - 1)->next)
		n++;
	child = calloc(n + 1, sizeof *child);
	n = 0;
	for (uint32_t at = child ? node->child : 0; at; at = node_at(tree, at - 1)->next)
		if ((double)node_at(tree, at - 1)->ns >= least_share * (double)node_at(tree, 0)->ns)
			child[n++] = node_at(tree, at - 1);
	if (n)
		qsort(child, n, sizeof *child, by_time);
	for (uint32_t i = 0; i < n && i < MOST_CHILDREN; i++)
		put_node(tree, json, (uint32_t)(child[i] - node_at(tree, 0)), view_name(tree->view, child[i]->name));
	free(child);
	json_end(json, ']');
	json_end(json, '}');
}

static bool is_asked(const struct http_request *request, const char *key, const char *value)
{
	const char *text = http_request_text(request, key);

	return text && !strcmp(text, value);
}

VIEW_ANSWER(stacks)
{
	struct tree tree = { .view = view,
			     .is_apart = is_asked(request, "threads", "apart"),
			     .has_on = !is_asked(request, "cpu", "off"),
			     .has_off = !is_asked(request, "cpu", "on") };
	uint64_t from_ns, to_ns;
	struct view_text text;
	int code;

	if (!view_range(view, request, &from_ns, &to_ns)) {
		http_say(answer, 400, "from and to must be times, from before to");
		return NULL;
	}
	code = array_add(&tree.nodes, sizeof(struct node)) ? 0 : -ENOMEM;
	for (uint32_t i = 0; !code && i < store_n_threads(view->store); i++)
		code = add_thread(&tree, store_thread(view->store, i), from_ns, to_ns);
	if (code) {
		view_say_no_memory(answer);
	} else {
		view_text_begin(&text);
		if (text.out)
			put_node(&tree, &text.json, 0, "threads");
		view_text_end(&text, answer);
	}
	keys_done(&tree.keys);
	array_done(&tree.nodes, sizeof(struct node));
	array_done(&tree.labels, sizeof(uint32_t));
	return NULL;
}
