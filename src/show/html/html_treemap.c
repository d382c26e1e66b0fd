// SPDX-License-Identifier: Apache-2.0
/*
 * Operators, or kernels of devices, as a treemap: the area of a type is its share of their time, and that of a node its
 * share of the type's. Squarified: tiles are as square as they can be (Bruls, Huizing, van Wijk: Squarified Treemaps,
 * 2000).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/html/html_model.h"

enum { MAX_TYPES = 16, MAX_NODES = 24, WIDTH = 1120, HEIGHT = 380, HEADER = 17 };

struct box {
	double x, y, width, height;
};

struct tile {
	const char *name, *op_type, *provider; /* name NULL: several */
	double ns;
	uint32_t n; /* that it stands for */
	uint64_t n_calls;
	struct box box;
};

static int compare_tiles(const void *a_, const void *b_)
{
	const struct tile *a = a_, *b = b_;

	return (a->ns < b->ns) - (a->ns > b->ns);
}

/* The worst ratio of the sides of tiles that share a side of a box. */
static double worst_ratio(const struct tile *tile, uint32_t n, double side, double area_of_ns)
{
	double sum = 0, worst = 1;

	for (uint32_t i = 0; i < n; i++)
		sum += tile[i].ns * area_of_ns;
	for (uint32_t i = 0; i < n; i++) {
		double across = sum / side, along = tile[i].ns * area_of_ns / across;

		worst = fmax(worst, fmax(across / along, along / across));
	}
	return worst;
}

/* Puts tiles along the shorter side, and takes their place from the box. */
static void put_row(struct tile *tile, uint32_t n, struct box *box, double area_of_ns)
{
	double sum = 0, side = fmin(box->width, box->height), at = 0, across;
	bool is_column = box->width >= box->height;

	for (uint32_t i = 0; i < n; i++)
		sum += tile[i].ns * area_of_ns;
	across = side > 0 ? sum / side : 0;
	for (uint32_t i = 0; i < n; i++) {
		double along = across > 0 ? tile[i].ns * area_of_ns / across : 0;

		tile[i].box = is_column ? (struct box){ box->x, box->y + at, across, along }
					: (struct box){ box->x + at, box->y, along, across };
		at += along;
	}
	if (is_column) {
		box->x += across;
		box->width = fmax(box->width - across, 0);
	} else {
		box->y += across;
		box->height = fmax(box->height - across, 0);
	}
}

/* Tiles that are sorted, none of them empty. */
static void lay_out(struct tile *tile, uint32_t n, struct box box)
{
	double sum = 0, area_of_ns;

	for (uint32_t i = 0; i < n; i++)
		sum += tile[i].ns;
	area_of_ns = sum > 0 ? box.width * box.height / sum : 0;
	for (uint32_t done = 0, row; done < n; done += row) {
		double side = fmin(box.width, box.height);

		for (row = 1; done + row < n && worst_ratio(tile + done, row + 1, side, area_of_ns) <=
						    worst_ratio(tile + done, row, side, area_of_ns);)
			row++;
		put_row(tile + done, row, &box, area_of_ns);
	}
}

/* Sorted; the small ones become one, which has no name. */
static uint32_t sort_tiles(struct tile *tile, uint32_t n, uint32_t most)
{
	if (n)
		qsort(tile, n, sizeof *tile, compare_tiles);
	for (uint32_t i = most; i < n; i++) {
		tile[most - 1].ns += tile[i].ns;
		tile[most - 1].n += tile[i].n;
		tile[most - 1].n_calls += tile[i].n_calls;
		tile[most - 1].name = NULL;
	}
	n = n < most ? n : most;
	if (n)
		qsort(tile, n, sizeof *tile, compare_tiles);
	return n;
}

static bool is_of(const struct tile *type, const struct html_leaf *leaf)
{
	return leaf->ns > 0 && type->op_type && leaf->op_type && !strcmp(type->op_type, leaf->op_type);
}

static uint32_t find_types(const struct html_tree *tree, struct tile *type)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < tree->n; i++) {
		const struct html_leaf *leaf = &tree->leaf[i];
		uint32_t k = 0;

		if (!(leaf->ns > 0) || !leaf->op_type)
			continue;
		while (k < n && strcmp(type[k].op_type, leaf->op_type) != 0)
			k++;
		if (k == n)
			type[n++] = (struct tile){ .name = leaf->op_type, .op_type = leaf->op_type };
		type[k].ns += leaf->ns;
		type[k].n++;
	}
	return n;
}

static void draw_words(const struct plot *plot, const struct box *box, double y, const char *kind, const char *text)
{
	int columns = (int)((box->width - 8) / (strstr(kind, "head") ? 8.2 : 7.2));

	if (columns >= 4)
		plot_text(plot, box->x + 5, y, "start", kind, "%s", model_text(text, columns, false).s);
}

/*
 * Where one colour would have most of the area, it says nothing: there a longer call has a stronger color. The longest
 * call of a node has the colour itself, one of a hundredth of it the palest shade.
 */
struct shades {
	bool is_on;
	double all_ns, longest_ns;
};

static double ns_of_call(double ns, uint64_t n_calls)
{
	return n_calls ? ns / (double)n_calls : NAN;
}

static struct shades shades_of(const struct html_tree *tree, const struct tile *type, uint32_t n, double all_ns)
{
	struct shades shades = { .all_ns = all_ns };
	double family_ns[HTML_FAMILIES] = { 0 };

	for (uint32_t i = 0; i < n; i++)
		family_ns[html_family(type[i].op_type)] += type[i].ns;
	for (uint32_t i = 0; i < HTML_FAMILIES; i++)
		shades.is_on |= family_ns[i] > 0.75 * all_ns;
	for (uint32_t i = 0; i < tree->n; i++) {
		shades.longest_ns = fmax(shades.longest_ns, ns_of_call(tree->leaf[i].ns, tree->leaf[i].n_calls));
		shades.is_on &= tree->leaf[i].n_calls || !(tree->leaf[i].ns > 0);
	}
	return shades;
}

/* " t3"; "": the colour itself */
static struct units_text shade_of(const struct shades *shades, const struct tile *tile)
{
	double part = ns_of_call(tile->ns, tile->n_calls) / shades->longest_ns;
	struct units_text text = { "" };

	if (shades->is_on && part < 0.56)
		snprintf(text.s, sizeof text.s, " t%d", part > 0.01 ? 5 + (int)floor(2 * log10(part)) : 1);
	return text;
}

static void draw_tile(const struct plot *plot, const struct html_tree *tree, const struct tile *tile,
		      const struct shades *shades)
{
	struct printable name = { "" };
	double call_ns = ns_of_call(tile->ns, tile->n_calls);

	if (tile->name)
		printable_add(&name, "%s", html_name(tile->name).s);
	else
		printable_add(&name, "%s", printable_count(tile->n, tree->smaller).s);
	fprintf(plot->out, "<rect class=\"tree f%u%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
		html_family(tile->op_type), shade_of(shades, tile).s, tile->box.x, tile->box.y,
		fmax(tile->box.width - 1, 0.3), fmax(tile->box.height - 1, 0.3));
	html_words(plot->out, "%s (%s%s%s): ", name.s, html_name(tile->op_type).s, tile->provider ? ", " : "",
		   tile->provider ? model_provider(tile->provider, 40, false).s : "");
	if (tree->n_runs > 0)
		html_words(plot->out, "%s of an inference, ", units_duration(tile->ns / tree->n_runs).s);
	else
		html_words(plot->out, "%s, ", units_duration(tile->ns).s);
	if (shades->is_on && isfinite(call_ns))
		html_words(plot->out, "%s a call, ", units_duration(call_ns).s);
	html_words(plot->out, "%s of all %s", units_percent(tile->ns / shades->all_ns).s, tree->what);
	fputs("</title></rect>", plot->out);
	if (tile->box.height >= 15)
		draw_words(plot, &tile->box, tile->box.y + 12, "on", name.s);
	fputc('\n', plot->out);
}

/* One type with its nodes inside; with a header where there is room. */
static void draw_type(const struct plot *plot, const struct html_tree *tree, const struct tile *type, struct tile *node,
		      const struct shades *shades)
{
	struct box inside = type->box;
	struct printable words = { "" };
	uint32_t n = 0;

	printable_add(&words, "%s", html_name(type->op_type).s);
	if (inside.width >= 60 + 7.2 * printable_width(words.s))
		printable_add(&words, " %s", units_percent(type->ns / shades->all_ns).s);
	if (inside.height >= 2 * HEADER && inside.width >= 50) {
		draw_words(plot, &type->box, type->box.y + 13, "on head", words.s);
		inside.y += HEADER;
		inside.height -= HEADER;
	}
	inside.width = fmax(inside.width - 3, 1);
	inside.height = fmax(inside.height - 3, 1);
	for (uint32_t i = 0; i < tree->n; i++) {
		const struct html_leaf *leaf = &tree->leaf[i];

		if (is_of(type, leaf))
			node[n++] = (struct tile){ leaf->name, leaf->op_type, leaf->provider, leaf->ns,
						   1,	       leaf->n_calls, { 0 } };
	}
	n = sort_tiles(node, n, MAX_NODES);
	lay_out(node, n, inside);
	for (uint32_t i = 0; i < n; i++)
		draw_tile(plot, tree, &node[i], shades);
}

static void put_key(struct html_page *page, const struct tile *type, uint32_t n)
{
	fputs("<ul class=\"key\">", page->out);
	for (uint32_t family = 0; family < HTML_FAMILIES; family++) {
		for (uint32_t i = 0; i < n; i++) {
			if (html_family(type[i].op_type) != family)
				continue;
			fprintf(page->out, "<li class=\"f%u\">%s</li>", family, html_family_name(family));
			break;
		}
	}
	fputs("</ul>\n", page->out);
}

static void draw(struct html_page *page, const struct html_tree *tree, struct tile *type, struct tile *node)
{
	struct plot plot = plot_of(page->out, WIDTH, HEIGHT);
	uint32_t n_all = find_types(tree, type), n;
	struct shades shades;
	double all_ns = 0;

	for (uint32_t i = 0; i < n_all; i++)
		all_ns += type[i].ns;
	n = sort_tiles(type, n_all, n_all);
	n = n < MAX_TYPES ? n : MAX_TYPES;
	if (!n)
		return;
	lay_out(type, n, (struct box){ 0, 0, WIDTH, HEIGHT });
	plot.kind = "long";
	shades = shades_of(tree, type, n, all_ns);
	html_figure(page, "%s%sThe area is the share of the %s\342\200\231 time: types, and in each its %s%s.%s",
		    tree->label ? tree->label : "", tree->label ? ". " : "", tree->what, tree->inside,
		    n < n_all ? ", without the types that take least" : "",
		    shades.is_on ? " The stronger the color, the longer a call takes." : "");
	put_key(page, type, n);
	plot_begin(&plot, html_plot_id(page).s, tree->title, "The figures are in the tables of this section.");
	for (uint32_t i = 0; i < n; i++)
		draw_type(&plot, tree, &type[i], node, &shades);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

void html_tree(struct html_page *page, const struct html_tree *tree)
{
	struct tile *type = calloc((size_t)tree->n + 1, sizeof *type);
	struct tile *node = calloc((size_t)tree->n + 1, sizeof *node);

	if (type && node)
		draw(page, tree, type, node);
	free(type);
	free(node);
}

void html_treemap(struct html_page *page, uint32_t r)
{
	const struct model_result *result = &page->report->results[r];
	struct html_leaf *leaf = calloc((size_t)result->n_operators + 1, sizeof *leaf);
	struct html_tree tree = { .title = "Operators by type and node",
				  .what = "operators",
				  .inside = "nodes",
				  .smaller = "smaller node",
				  .label = page->report->n_results > 1 ? page->label[r].s : NULL,
				  .n_runs = fmax((double)result->n_operator_runs, 1),
				  .leaf = leaf,
				  .n = leaf ? result->n_operators : 0 };

	for (uint32_t i = 0; i < tree.n; i++) {
		const struct model_operator *op = &result->operators[i];

		leaf[i] = (struct html_leaf){ op->name, op->op_type, op->provider, op->share_ns, op->n };
	}
	html_tree(page, &tree);
	free(leaf);
}
