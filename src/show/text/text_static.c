// SPDX-License-Identifier: Apache-2.0
/* The static analysis of a model on a page for people. Names come from strangers' files and are made harmless. */
#include <stdlib.h>
#include <string.h>

#include "show/text/page.h"
#include "show/words/export.h"

enum { WIDTH = 96, MAX_TYPES = 16, MAX_NODES = 8, MAX_VALUES = 16, MAX_REASONS = 6, MAX_FILES = 8 };

struct writer {
	struct page page;
	const struct model_static *analysis;
	struct table table;
	uint32_t n;
};

static struct printable name_of(const struct writer *to, const char *name, int columns)
{
	return *name ? printable_text(name, strlen(name), columns, to->page.opts.is_ascii) : (struct printable){ "-" };
}

/* "8.18 G", for units that follow at once; "12 ", "0 ". Steps of 1000. */
static struct units_text si_unit(double value)
{
	static const char *const steps[] = { " ", " k", " M", " G", " T", " P", " E" };
	struct units_text text, number;
	size_t i = 0;

	for (; value >= 999.5 && i + 1 < sizeof steps / sizeof *steps; value /= 1000)
		i++;
	number = units_decimal(value);
	snprintf(text.s, sizeof text.s, "%.20s%s", number.s, steps[i]);
	return text;
}

/* The same without a unit. */
static struct units_text si(double value)
{
	struct units_text text = si_unit(value);
	size_t len = strlen(text.s);

	if (len && text.s[len - 1] == ' ')
		text.s[len - 1] = 0;
	return text;
}

static void put_fact(struct writer *to, const char *name, const char *value)
{
	table_cell(&to->table, TABLE_DIM, "%s", name);
	table_cell(&to->table, TABLE_PLAIN, "%s", value);
}

static void add_type(struct writer *to, struct printable *text, const struct onnx_type *type)
{
	static const char *const kinds[] = {
		"unknown", "", "sparse ", "sequence of ", "map to ", "optional ", "opaque"
	};
	const char *elem = onnx_elem_name(type->elem);

	printable_add(text, "%s", kinds[type->kind]);
	if (type->inner) {
		add_type(to, text, type->inner);
		return;
	}
	if (type->kind != ONNX_TENSOR && type->kind != ONNX_SPARSE_TENSOR)
		return;
	printable_add(text, "%s", elem ? elem : "unknown type");
	if (!type->has_shape) {
		printable_add(text, ", shape not known");
		return;
	}
	printable_add(text, " [");
	for (uint32_t i = 0; i < type->n_dims; i++) {
		printable_add(text, "%s", i ? ", " : "");
		if (type->dims[i].value >= 0)
			printable_add(text, "%lld", (long long)type->dims[i].value);
		else
			printable_add(text, "%s", type->dims[i].name ? name_of(to, type->dims[i].name, 40).s : "?");
	}
	printable_add(text, "]");
}

/* The sizes that count for dimensions that nobody gave one. */
struct assumed {
	int64_t least, most;
	uint32_t n;
};

static void add_assumed(void *ctx, const struct model_free_dim *dim)
{
	struct assumed *assumed = ctx;

	if (dim->given >= 0 || dim->counted < 0)
		return;
	assumed->least = !assumed->n || dim->counted < assumed->least ? dim->counted : assumed->least;
	assumed->most = !assumed->n || dim->counted > assumed->most ? dim->counted : assumed->most;
	assumed->n++;
}

static void print_assumed(struct writer *to)
{
	struct assumed assumed = { 0 };

	model_static_free_dims(to->analysis, add_assumed, &assumed);
	if (assumed.n && assumed.least == assumed.most)
		page_text(&to->page, 0, TABLE_PLAIN,
			  "Counted with %lld for each free dimension (below); --dim gives them their size.",
			  (long long)assumed.least);
	else if (assumed.n)
		page_text(&to->page, 0, TABLE_PLAIN,
			  "Counted with the sizes of free dimensions that stand below; --dim gives them another.");
}

static void print_verdict(struct writer *to)
{
	const struct cost_model *costs = &to->analysis->costs;

	page_text(&to->page, 0, TABLE_BOLD, "%s%sFLOP and %s to move per inference; %s parameters.",
		  costs->n_unknown ? "At least " : "", si_unit(costs->total.flops).s, units_bytes(costs->total.bytes).s,
		  si(costs->total.parameters).s);
	print_assumed(to);
}

static void put_opsets(struct writer *to)
{
	const struct onnx_model *model = &to->analysis->model;
	struct printable text = { "" };

	printable_add(&text, "ONNX, IR version %lld; operators of", (long long)model->ir_version);
	for (uint32_t i = 0; i < model->n_opsets && i < MAX_VALUES; i++)
		printable_add(&text, "%s %s %lld", i ? "," : "",
			      *model->opsets[i].domain ? name_of(to, model->opsets[i].domain, 40).s : "ai.onnx",
			      (long long)model->opsets[i].version);
	put_fact(to, "format", text.s);
}

static void put_graph(struct writer *to)
{
	const struct onnx_model *model = &to->analysis->model;
	struct printable text = name_of(to, model->graph.name, 60);

	printable_add(&text, ": %s", printable_count(model->graph.n_nodes, "node").s);
	if (to->analysis->n_all_nodes > model->graph.n_nodes)
		printable_add(&text, ", %s with those inside", units_count(to->analysis->n_all_nodes).s);
	if (model->n_graphs > 1)
		printable_add(&text, "; %s", printable_count(model->n_graphs - 1, "inner graph").s);
	if (model->n_functions)
		printable_add(&text, "; %s", printable_count(model->n_functions, "function").s);
	if (model->n_training)
		printable_add(&text, "; %s, not looked into",
			      printable_count(model->n_training, "part for training").s);
	put_fact(to, "graph", text.s);
}

static void print_head(struct writer *to)
{
	const struct onnx_model *model = &to->analysis->model;
	struct printable text = name_of(to, model->path, 60);

	to->table = page_table(&to->page);
	to->table.indent = 0;
	table_column(&to->table, NULL, TABLE_LEFT);
	table_column(&to->table, NULL, TABLE_LEFT | TABLE_SHRINKS);
	printable_add(&text, " (%s)", units_bytes((double)model->file.size).s);
	put_fact(to, "file", text.s);
	if (*model->producer_name || *model->producer_version) {
		text = name_of(to, model->producer_name, 40);
		if (*model->producer_version)
			printable_add(&text, " %s", name_of(to, model->producer_version, 30).s);
		put_fact(to, "producer", text.s);
	}
	put_opsets(to);
	put_graph(to);
	if (model->doc.size) {
		text = printable_text((const char *)model->doc.data, model->doc.size, 70, to->page.opts.is_ascii);
		put_fact(to, "description", text.s);
	}
	fputc('\n', to->page.out);
	table_print(&to->table, to->page.out);
}

static uint32_t put_values(struct writer *to, const char *what, struct shape_value **values, uint32_t n)
{
	uint32_t left = 0, most = to->page.opts.is_all ? UINT32_MAX : MAX_VALUES;

	for (uint32_t i = 0, shown = 0; i < n; i++) {
		struct printable text = { "" };

		if (values[i]->is_initializer || shown++ >= most) {
			left += !values[i]->is_initializer;
			continue;
		}
		add_type(to, &text, &values[i]->type);
		table_cell(&to->table, TABLE_DIM, "%s", what);
		table_cell(&to->table, TABLE_PLAIN, "%s", name_of(to, values[i]->name, 60).s);
		table_cell(&to->table, TABLE_PLAIN, "%s", text.s);
	}
	return left;
}

static void print_values(struct writer *to)
{
	const struct shape_scope *scope = to->analysis->shapes.main;
	uint32_t left;

	page_heading(&to->page, "Inputs and outputs");
	to->table = page_table(&to->page);
	table_column(&to->table, NULL, TABLE_LEFT);
	table_column(&to->table, NULL, TABLE_LEFT | TABLE_SHRINKS);
	table_column(&to->table, NULL, TABLE_LEFT | TABLE_SHRINKS);
	left = put_values(to, "input", scope->inputs, scope->n_inputs);
	left += put_values(to, "output", scope->outputs, scope->n_outputs);
	table_print(&to->table, to->page.out);
	if (left)
		page_text(&to->page, 2, TABLE_DIM, "%s more: --all shows them.", units_count(left).s);
}

static void put_free_dim(void *ctx, const struct model_free_dim *dim)
{
	struct writer *to = ctx;
	struct printable option = { "" };

	if (to->n++ >= MAX_VALUES && !to->page.opts.is_all)
		return;
	if (dim->given >= 0)
		printable_add(&option, "given: %lld", (long long)dim->given);
	else if (dim->counted >= 0)
		printable_add(&option, "counts as %lld; ", (long long)dim->counted);
	if (dim->given < 0 && dim->name)
		printable_add(&option, "--dim %s=N", name_of(to, dim->name, 40).s);
	else if (dim->given < 0)
		printable_add(&option, "--dim %s:%u=N", name_of(to, dim->input, 40).s, dim->axis);
	table_cell(&to->table, TABLE_PLAIN, "%s", dim->name ? name_of(to, dim->name, 40).s : "(no name)");
	table_cell(&to->table, TABLE_PLAIN, "dimension %u of %s", dim->axis, name_of(to, dim->input, 40).s);
	table_cell(&to->table, TABLE_DIM, "%s", option.s);
}

static void print_free_dims(struct writer *to)
{
	to->n = 0;
	to->table = page_table(&to->page);
	table_column(&to->table, NULL, TABLE_LEFT | TABLE_SHRINKS);
	table_column(&to->table, NULL, TABLE_LEFT | TABLE_SHRINKS);
	table_column(&to->table, NULL, TABLE_LEFT);
	model_static_free_dims(to->analysis, put_free_dim, to);
	if (to->n)
		page_heading(&to->page, "Free dimensions");
	table_print(&to->table, to->page.out);
	if (to->n > MAX_VALUES && !to->page.opts.is_all)
		page_text(&to->page, 2, TABLE_DIM, "%s more: --all shows them.", units_count(to->n - MAX_VALUES).s);
}

static void put_share(struct writer *to, double part, double whole)
{
	if (whole > 0)
		table_cell(&to->table, TABLE_PLAIN, "%s", units_percent(part / whole).s);
	else
		table_cell(&to->table, TABLE_PLAIN, "-");
}

/* "Conv"; "FusedConv (com.microsoft)": what matters most first, for it may be cut. */
static struct printable type_name(const struct writer *to, const char *domain, const char *op_type)
{
	struct printable text = name_of(to, op_type, 40);

	if (*domain)
		printable_add(&text, " (%s)", name_of(to, domain, 30).s);
	return text;
}

static void print_types(struct writer *to)
{
	const struct cost_model *costs = &to->analysis->costs;
	uint32_t n = costs->n_types;

	if (!n)
		return;
	if (n > MAX_TYPES + 1 && !to->page.opts.is_all)
		n = MAX_TYPES;
	page_heading(&to->page, "Operators by type, per inference");
	to->table = page_table(&to->page);
	table_column(&to->table, "type", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&to->table, "nodes", TABLE_RIGHT);
	table_column(&to->table, "FLOP", TABLE_RIGHT);
	table_column(&to->table, "share", TABLE_RIGHT);
	table_column(&to->table, "moved", TABLE_RIGHT);
	table_column(&to->table, "share", TABLE_RIGHT);
	table_column(&to->table, "parameters", TABLE_RIGHT);
	table_column(&to->table, "FLOP/B", TABLE_RIGHT);
	if (costs->n_unknown)
		table_column(&to->table, "not known", TABLE_RIGHT);
	for (uint32_t i = 0; i < n; i++) {
		const struct cost_type *type = &costs->types[i];
		bool is_unknown = type->n_unknown == type->n;

		table_cell(&to->table, TABLE_PLAIN, "%s", type_name(to, type->domain, type->op_type).s);
		table_cell(&to->table, TABLE_PLAIN, "%s", units_count(type->n).s);
		table_cell(&to->table, TABLE_PLAIN, "%s", is_unknown ? "?" : si(type->cost.flops).s);
		put_share(to, type->cost.flops, is_unknown ? 0 : costs->total.flops);
		table_cell(&to->table, TABLE_PLAIN, "%s", is_unknown ? "?" : units_bytes(type->cost.bytes).s);
		put_share(to, type->cost.bytes, is_unknown ? 0 : costs->total.bytes);
		table_cell(&to->table, TABLE_PLAIN, "%s", type->cost.parameters > 0 ? si(type->cost.parameters).s : "");
		table_cell(&to->table, TABLE_PLAIN, "%s",
			   type->cost.bytes > 0 ? units_decimal(type->cost.flops / type->cost.bytes).s : "");
		if (costs->n_unknown)
			table_cell(&to->table, TABLE_PLAIN, "%s",
				   type->n_unknown ? units_count(type->n_unknown).s : "");
	}
	table_print(&to->table, to->page.out);
	if (n < costs->n_types)
		page_text(&to->page, 2, TABLE_DIM, "%s more: --all shows them.",
			  printable_count(costs->n_types - n, "type").s);
	page_text(&to->page, 2, TABLE_DIM,
		  "A multiply-add is 2 FLOP. Moved: inputs, weights and outputs, each once. Providers fuse and fold, "
		  "so they may do less.");
	if (costs->n_constant)
		page_text(&to->page, 2, TABLE_DIM, "%s made of constants alone: computed once, and counted nowhere.",
			  printable_count(costs->n_constant, "node").s);
}

/* The nodes that cost most by one measure. */
struct most {
	const struct cost_node *node;
	double value;
};

static double measure(const struct cost_node *node, bool is_flops)
{
	double value = (is_flops ? node->cost.flops : node->cost.bytes) * node->times;

	return isnan(value) ? 0 : value;
}

static uint32_t find_most(const struct cost_model *costs, bool is_flops, struct most *to, uint32_t max)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < costs->n_nodes; i++) {
		struct most own = { &costs->nodes[i], measure(&costs->nodes[i], is_flops) };
		uint32_t at = n;

		if (!(own.value > 0) || (n == max && own.value <= to[n - 1].value))
			continue;
		n += n < max;
		for (at = n - 1; at && to[at - 1].value < own.value; at--)
			to[at] = to[at - 1];
		to[at] = own;
	}
	return n;
}

static void print_most(struct writer *to, bool is_flops)
{
	const struct cost_model *costs = &to->analysis->costs;
	double total = is_flops ? costs->total.flops : costs->total.bytes;
	struct most most[MAX_NODES];
	uint32_t n = find_most(costs, is_flops, most, MAX_NODES);

	if (!n)
		return;
	page_heading(&to->page, is_flops ? "Most FLOP" : "Most bytes moved");
	to->table = page_table(&to->page);
	table_column(&to->table, "node", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&to->table, "type", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&to->table, "output", TABLE_LEFT | TABLE_SHRINKS);
	table_column(&to->table, is_flops ? "FLOP" : "moved", TABLE_RIGHT);
	table_column(&to->table, "share", TABLE_RIGHT);
	for (uint32_t i = 0; i < n; i++) {
		const struct shape_node *node = most[i].node->node;
		struct printable text = { "" };

		if (node->node->n_outputs && node->outputs[0])
			add_type(to, &text, &node->outputs[0]->type);
		table_cell(&to->table, TABLE_PLAIN, "%s", name_of(to, most[i].node->name, 60).s);
		table_cell(&to->table, TABLE_PLAIN, "%s", name_of(to, most[i].node->op_type, 40).s);
		table_cell(&to->table, TABLE_PLAIN, "%s", text.s);
		table_cell(&to->table, TABLE_PLAIN, "%s",
			   is_flops ? si(most[i].value).s : units_bytes(most[i].value).s);
		put_share(to, most[i].value, total);
	}
	table_print(&to->table, to->page.out);
}

static void print_externals(struct writer *to)
{
	const struct onnx_externals *externals = &to->analysis->externals;
	uint32_t n = externals->n;

	if (n > MAX_FILES + 1 && !to->page.opts.is_all)
		n = MAX_FILES;
	for (uint32_t i = 0; i < n; i++) {
		const struct onnx_external *file = &externals->files[i];

		page_text(&to->page, 2, TABLE_PLAIN, "External data: %s in %s, %s.",
			  printable_count(file->n_tensors, "tensor").s, name_of(to, file->location, 60).s,
			  units_bytes((double)file->bytes).s);
		if (file->problem)
			page_text(&to->page, 2, TABLE_RED, "%s.", name_of(to, file->problem, 300).s);
	}
	if (n < externals->n)
		page_text(&to->page, 2, TABLE_DIM, "External data in %s more: --all shows them.",
			  printable_count(externals->n - n, "file").s);
}

static void print_weights(struct writer *to)
{
	const struct model_weights *weights = to->analysis->weights;
	const struct onnx_repeats *repeats = &to->analysis->repeats;
	uint32_t n = 0;

	to->table = page_table(&to->page);
	table_column(&to->table, "type", TABLE_LEFT);
	table_column(&to->table, "initializers", TABLE_RIGHT);
	table_column(&to->table, "elements", TABLE_RIGHT);
	table_column(&to->table, "size", TABLE_RIGHT);
	for (uint32_t e = 0; e < TENSOR_N_TYPES; e++) {
		if (!weights[e].n)
			continue;
		n++;
		table_cell(&to->table, TABLE_PLAIN, "%s", onnx_elem_name(e) ? onnx_elem_name(e) : "unknown type");
		table_cell(&to->table, TABLE_PLAIN, "%s", units_count(weights[e].n).s);
		table_cell(&to->table, TABLE_PLAIN, "%s", si(weights[e].elements).s);
		table_cell(&to->table, TABLE_PLAIN, "%s",
			   isnan(weights[e].bytes) ? "?" : units_bytes(weights[e].bytes).s);
	}
	if (n || to->analysis->externals.n)
		page_heading(&to->page, "Weights");
	table_print(&to->table, to->page.out);
	print_externals(to);
	if (repeats->n)
		page_text(&to->page, 2, TABLE_PLAIN,
			  "%s in the file more than once, which takes %s; the first is %s (%u times).",
			  printable_count(repeats->n, "initializer is").s, units_bytes((double)repeats->bytes).s,
			  name_of(to, repeats->groups[0].tensor->name, 60).s, repeats->groups[0].n);
}

/* Nodes that are not in the total, by reason. */
static void print_unknown(struct writer *to)
{
	const struct cost_model *costs = &to->analysis->costs;
	uint32_t n = 0, most = to->page.opts.is_all ? UINT32_MAX : MAX_REASONS;

	for (uint32_t i = 0; i < costs->n_nodes; i++) {
		const struct cost_node *node = &costs->nodes[i];

		if (!node->why || !node->times)
			continue;
		if (!n)
			page_heading(&to->page, "Not known: %s of %s are not in these sums",
				     units_count(costs->n_unknown).s, units_count(costs->n_nodes).s);
		if (n++ < most)
			page_text(&to->page, 2, TABLE_PLAIN, "%s %s: %s.", type_name(to, node->domain, node->op_type).s,
				  name_of(to, node->name, 40).s,
				  printable_text(node->why, strlen(node->why), 160, to->page.opts.is_ascii).s);
	}
	if (n > most)
		page_text(&to->page, 2, TABLE_DIM, "%s more: --all shows them.", units_count(n - most).s);
}

static void print_doubts(struct writer *to)
{
	const struct shape_model *shapes = &to->analysis->shapes;
	int64_t opset = onnx_opset_version(&to->analysis->model, "");

	if (!shapes->n_conflicts && !shapes->is_cut && opset <= ONNX_NEWEST_OPSET)
		return;
	page_heading(&to->page, "Doubts");
	if (opset > ONNX_NEWEST_OPSET)
		page_text(&to->page, 2, TABLE_PLAIN,
			  "The model has operators of ai.onnx %lld; they are known here up to %d, so shapes and costs "
			  "may be others.",
			  (long long)opset, ONNX_NEWEST_OPSET);
	if (shapes->n_conflicts)
		page_text(&to->page, 2, TABLE_PLAIN, "The file contradicts itself in %s; first: %s.",
			  printable_count(shapes->n_conflicts, "place").s,
			  printable_text(shapes->conflict, strlen(shapes->conflict), 300, to->page.opts.is_ascii).s);
	if (shapes->is_cut)
		page_text(&to->page, 2, TABLE_PLAIN,
			  "Graphs in graphs, or calls in calls, are too many: some were not looked into.");
}

void export_static_text(FILE *out, const struct model_static *analysis, const struct report_look *opts)
{
	struct writer to = { .page = { .out = out, .opts = *opts }, .analysis = analysis };

	to.page.opts.width = opts->width ? opts->width : WIDTH;
	print_verdict(&to);
	print_head(&to);
	print_values(&to);
	print_free_dims(&to);
	print_types(&to);
	print_most(&to, true);
	print_most(&to, false);
	print_weights(&to);
	print_unknown(&to);
	print_doubts(&to);
}
