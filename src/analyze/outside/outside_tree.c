// SPDX-License-Identifier: Apache-2.0
#include "analyze/outside/outside_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/outside/outside_place.h"
#include "analyze/store/keys.h"
#include "event/process_note.h"

enum { DEPTH = 256, OBJECT = 80, CHILDREN = 64 };

/* A row below this share of the whole is one of the others. */
static const double least_share = 0.001;

struct node {
	struct outside_row row;
	uint32_t next, child; /* + 1 */
};

struct tree {
	enum outside_view view;
	struct array nodes; /* struct node; node 0 is the root */
	struct keys keys;   /* by parent, kind and name */
	struct names *names;
	const struct outside_whole *whole;
};

/* A leaf of a tree: its time in whole nanoseconds, so that sums are exact. */
struct put {
	const struct outside_leaf *leaf;
	uint64_t ns;
};

#define TEXT(name, text) text,
static const char *const views[] = { OUTSIDE_VIEWS(TEXT) }, *const kinds[] = { OUTSIDE_KINDS(TEXT) };

const char *outside_view_name(unsigned view)
{
	return view < N_OUTSIDE_VIEWS ? views[view] : "";
}

const char *outside_kind_name(unsigned kind)
{
	return kind < N_OUTSIDE_KINDS ? kinds[kind] : "";
}

static struct node *node_at(const struct tree *tree, uint32_t number)
{
	return (struct node *)tree->nodes.data + number;
}

/* The child of a node; KEYS_NONE: out of memory. */
static uint32_t child_of(struct tree *tree, uint32_t parent, const struct outside_row *row)
{
	uint32_t name = row->kind == OUTSIDE_MODEL_ROW ? row->before : row->name;
	uint32_t number = keys_number(&tree->keys, parent, keys_pair((uint32_t)row->kind, name)) + 1;
	struct node *node;

	if (!number || number < tree->nodes.n)
		return number ? number : KEYS_NONE;
	node = array_add(&tree->nodes, sizeof *node);
	if (!node)
		return KEYS_NONE;
	node->row = *row;
	node->next = node_at(tree, parent)->child;
	node_at(tree, parent)->child = number + 1;
	return number;
}

static void add_up(struct tree *tree, uint32_t number, const struct put *put)
{
	struct outside_row *row = &node_at(tree, number)->row;
	enum sample_state state = put->leaf->state;

	row->state = (!row->n && !row->ns) || row->state == state ? state : SAMPLE_UNKNOWN;
	row->ns += put->ns;
	row->ran_ns += state == SAMPLE_RAN ? put->ns : 0;
	row->n += put->leaf->n;
	if (put->leaf->longest_ns > (double)row->longest_ns)
		row->longest_ns = (uint64_t)put->leaf->longest_ns;
}

/* Goes down to a child, which has the leaf, too. */
static int go_down(struct tree *tree, uint32_t *at, struct outside_row *row, const char *words, const struct put *put)
{
	row->view = tree->view;
	row->name = names_of(tree->names, words);
	*at = child_of(tree, *at, row);
	if (*at == KEYS_NONE)
		return -ENOMEM;
	add_up(tree, *at, put);
	return 0;
}

static struct printable text_of(const struct names *names, uint32_t id)
{
	return printable_text(names_text(names, id), names_len(names, id), OBJECT, false);
}

struct printable outside_wait_words(const struct names *names, const struct outside_leaf *leaf)
{
	struct printable text = { "" };

	if (leaf->state == SAMPLE_GIL && leaf->holder_stack) {
		struct outside_place place = outside_place_of(names, leaf->holder_stack);

		printable_add(&text, "held by %s", outside_place_words(names, &place).s);
	} else if (leaf->state == SAMPLE_STOPPED) {
		if (leaf->call && strcmp(names_text(names, leaf->call), EVENT_HALT_STOPPED) != 0)
			printable_add(&text, "%s", text_of(names, leaf->call).s);
	} else if (leaf->call && leaf->state == SAMPLE_CALL) {
		printable_add(&text, "%s", text_of(names, leaf->call).s);
		if (leaf->object)
			printable_add(&text, " on %s", text_of(names, leaf->object).s);
	}
	return text;
}

static void put_frame(struct outside_row *row, const struct frame *in, const struct frame *from)
{
	row->function = in->function;
	row->file = in->file ? in->file : in->module;
	row->line = in->line;
	if (from) {
		row->caller_file = from->file ? from->file : from->module;
		row->caller_line = from->line;
	}
}

static const struct outside_row nobodys = { .process = OUTSIDE_NONE, .before = OUTSIDE_NONE };

static int go_to_state(struct tree *tree, uint32_t *at, const struct put *put)
{
	struct outside_row row = nobodys;
	bool is_known = put->leaf->state != SAMPLE_UNKNOWN;

	row.kind = is_known ? OUTSIDE_STATE : OUTSIDE_UNATTRIBUTED;
	return go_down(tree, at, &row, is_known ? sample_state_name(put->leaf->state) : "unattributed", put);
}

/* What it did, what it waited for, and where. */
static int add_what(struct tree *tree, uint32_t at, const struct put *put)
{
	const struct outside_leaf *leaf = put->leaf;
	struct outside_row row = nobodys;
	struct outside_place place = outside_place_of(tree->names, leaf->stack);
	struct printable wait = outside_wait_words(tree->names, leaf);
	int rc = go_to_state(tree, &at, put);

	row.kind = OUTSIDE_WAIT;
	if (!rc && *wait.s)
		rc = go_down(tree, &at, &row, wait.s, put);
	if (rc || !place.in || leaf->state == SAMPLE_STOPPED)
		return rc;
	row.kind = OUTSIDE_PLACE;
	put_frame(&row, place.in, place.from);
	return go_down(tree, &at, &row, outside_place_words(tree->names, &place).s, put);
}

static int add_thread(struct tree *tree, const struct put *put)
{
	const struct outside_leaf *leaf = put->leaf;
	struct outside_row row = nobodys;
	struct printable words = text_of(tree->names, leaf->thread_name);
	uint32_t at = 0;
	int rc;

	row.kind = OUTSIDE_THREAD_ROW;
	row.process = leaf->process;
	row.tid = leaf->tid;
	printable_add(&words, "%s%d", *words.s ? " " : "thread ", leaf->tid);
	rc = go_down(tree, &at, &row, words.s, put);
	return rc ? rc : add_what(tree, at, put);
}

static int add_model(struct tree *tree, const struct put *put)
{
	const struct outside_whole *whole = tree->whole;
	struct outside_row row = nobodys;
	struct printable words = { "none" };
	uint32_t at = 0;
	int rc;

	row.kind = OUTSIDE_MODEL_ROW;
	if (put->leaf->before < whole->n_before) {
		row.before = put->leaf->before;
		words = text_of(tree->names, whole->before_name[row.before]);
	}
	rc = go_down(tree, &at, &row, words.s, put);
	return rc ? rc : add_what(tree, at, put);
}

static int add_path(struct tree *tree, const struct put *put)
{
	const struct callstacks *stacks = names_callstacks(tree->names);
	const struct callstack *path[DEPTH];
	struct outside_row row = nobodys;
	uint32_t n = 0, at = 0;
	int rc = 0;

	for (const struct callstack *stack = callstacks_get(stacks, put->leaf->stack); stack && n < DEPTH;
	     stack = callstacks_get(stacks, stack->caller))
		path[n++] = stack;
	if (!n || put->leaf->state == SAMPLE_STOPPED)
		return go_to_state(tree, &at, put);
	row.kind = OUTSIDE_FRAME;
	while (!rc && n) {
		const struct frame *frame = callstacks_frame_of(stacks, path[--n]->frame);

		if (!frame || outside_is_inside_import(tree->names, frame))
			continue;
		put_frame(&row, frame, NULL);
		rc = go_down(tree, &at, &row, outside_frame_words(tree->names, frame).s, put);
	}
	return rc;
}

static int compare_nodes(const void *a_, const void *b_)
{
	const struct node *a = *(const struct node *const *)a_, *b = *(const struct node *const *)b_;

	return a->row.ns != b->row.ns ? (a->row.ns < b->row.ns ? 1 : -1) : (a < b ? -1 : a > b);
}

static int put_others(struct array *rows, uint32_t parent, const struct outside_row *like,
		      const struct outside_row *sum)
{
	struct outside_row *row = sum->ns ? array_add(rows, sizeof *row) : NULL;

	if (!row)
		return sum->ns ? -ENOMEM : 0;
	*row = *sum;
	row->view = like->view;
	row->kind = OUTSIDE_OTHERS;
	row->state = SAMPLE_UNKNOWN;
	row->process = row->before = OUTSIDE_NONE;
	row->parent = parent;
	row->depth = like->depth;
	return 0;
}

/* The children of a node, with theirs. parent: its row. */
static int put_children(const struct tree *tree, uint32_t number, struct array *rows, uint32_t parent, uint32_t depth)
{
	struct outside_row others = { 0 }, *row;
	struct node **child;
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t at = node_at(tree, number)->child; at; at = node_at(tree, at - 1)->next)
		n++;
	child = n ? calloc(n, sizeof *child) : NULL;
	if (!n)
		return 0;
	if (!child)
		return -ENOMEM;
	n = 0;
	for (uint32_t at = node_at(tree, number)->child; at; at = node_at(tree, at - 1)->next)
		child[n++] = node_at(tree, at - 1);
	qsort(child, n, sizeof *child, compare_nodes);
	for (uint32_t i = 0; !rc && i < n; i++) {
		child[i]->row.depth = depth;
		if (i >= CHILDREN || (double)child[i]->row.ns < least_share * (double)tree->whole->ns) {
			others.ns += child[i]->row.ns;
			others.ran_ns += child[i]->row.ran_ns;
			others.n += child[i]->row.n;
			continue;
		}
		row = array_add(rows, sizeof *row);
		if (!row) {
			rc = -ENOMEM;
			break;
		}
		*row = child[i]->row;
		row->parent = parent;
		rc =
		    put_children(tree, (uint32_t)(child[i] - node_at(tree, 0)), rows, (uint32_t)rows->n - 1, depth + 1);
	}
	others.name = others.ns ? names_of(tree->names, "others") : 0;
	if (!rc)
		rc = put_others(rows, parent, &child[0]->row, &others);
	free(child);
	return rc;
}

/* What no leaf has. */
static int add_rest(struct tree *tree, uint64_t rest_ns)
{
	struct outside_leaf leaf = { .before = OUTSIDE_NONE };
	struct put put = { &leaf, rest_ns };
	uint32_t at = 0;

	return rest_ns ? go_to_state(tree, &at, &put) : 0;
}

static int add_leaf(struct tree *tree, const struct put *put)
{
	switch (tree->view) {
	case OUTSIDE_BY_PATH:
		return add_path(tree, put);
	case OUTSIDE_BY_THREAD:
		return add_thread(tree, put);
	case OUTSIDE_BY_MODEL:
		return add_model(tree, put);
	default:
		return add_what(tree, 0, put);
	}
}

static int make_view(struct array *rows, struct names *names, enum outside_view view, const struct outside_whole *whole)
{
	struct tree tree = { .view = view, .names = names, .whole = whole };
	uint64_t left_ns = whole->ns;
	double sum_ns = 0, scale;
	int rc = array_add(&tree.nodes, sizeof(struct node)) ? 0 : -ENOMEM;

	for (size_t i = 0; i < whole->n; i++)
		sum_ns += whole->leaf[i].ns;
	scale = sum_ns > (double)whole->ns ? (double)whole->ns / sum_ns : 1;
	for (size_t i = 0; !rc && i < whole->n; i++) {
		struct put put = { &whole->leaf[i], (uint64_t)(whole->leaf[i].ns * scale) };

		put.ns = put.ns < left_ns ? put.ns : left_ns;
		left_ns -= put.ns;
		rc = add_leaf(&tree, &put);
	}
	if (!rc)
		rc = add_rest(&tree, left_ns);
	if (!rc)
		rc = put_children(&tree, 0, rows, OUTSIDE_NONE, 0);
	keys_done(&tree.keys);
	array_done(&tree.nodes, sizeof(struct node));
	return rc;
}

int outside_tree_make(struct array *rows, struct names *names, const struct outside_whole *whole)
{
	int rc = 0;

	for (int view = 0; !rc && view < N_OUTSIDE_VIEWS; view++)
		rc = make_view(rows, names, (enum outside_view)view, whole);
	return rc;
}
