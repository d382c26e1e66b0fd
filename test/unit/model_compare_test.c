// SPDX-License-Identifier: Apache-2.0
/*
 * Comparison of runs, with the names that releases 1.15 to 1.31 of ONNX Runtime gave the operators of the test models.
 */

#include "cases.h"
#include "model_sample.h"

enum { MOST = 16 };

struct graph {
	struct model_report report;
	struct model_result result[2];
	struct model_node node[MOST];
	const char *value[MOST][3];
	struct model_operator op[2][MOST];
	struct arena arena;
	struct model_comparison comparison;
};

static struct graph *graph_new(void)
{
	struct graph *g = calloc(1, sizeof *g);

	model_report_init(&g->report);
	for (int r = 0; r < 2; r++) {
		model_result_init(&g->result[r]);
		g->result[r].label = r ? "second" : "first";
		g->result[r].provider = r ? "openvino" : "cpu";
		g->result[r].operators = g->op[r];
		g->result[r].n_operator_runs = 10;
	}
	g->report.results = g->result;
	g->report.n_results = 2;
	g->report.model.nodes = g->node;
	return g;
}

static void add_node(struct graph *g, const char *name, const char *op_type, const char *in, const char *in2,
		     const char *out)
{
	uint32_t i = g->report.model.n_listed++;

	g->value[i][0] = in;
	g->value[i][1] = in2;
	g->value[i][2] = out;
	g->node[i] = (struct model_node){ name, op_type, &g->value[i][0], &g->value[i][2], in2 ? 2 : 1, 1, 100, 10 };
}

static void add_operator(struct graph *g, int r, const char *name, const char *op_type, const char *provider,
			 double mean_ns)
{
	g->op[r][g->result[r].n_operators++] =
	    (struct model_operator){ name,	     op_type, provider,	    NULL, 10, mean_ns,
				     mean_ns * 0.01, mean_ns, mean_ns * 10, -1,	  -1 };
}

static void compare(struct graph *g)
{
	assert_int_equal(model_compare(&g->comparison, &g->report, &g->arena), 0);
}

static void graph_free(struct graph *g)
{
	arena_done(&g->arena);
	free(g);
}

static const struct model_row *row_of(const struct graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->comparison.n_rows; i++)
		if (!strcmp(g->comparison.rows[i].name, name))
			return &g->comparison.rows[i];
	return NULL;
}

static void expect(const struct graph *g, const char *node, int r, enum model_join_how how, const char *operator_name)
{
	const struct model_row *row = row_of(g, node);

	assert_non_null(row);
	assert_int_equal(row->join[r].how, how);
	if (operator_name)
		assert_string_equal(g->op[r][row->join[r].at].name, operator_name);
}

/* tinycnn_f32 */
static void add_tinycnn(struct graph *g)
{
	add_node(g, "/layer1/Conv", "Conv", "x", NULL, "c1");
	add_node(g, "/layer1/Relu", "Relu", "c1", NULL, "r1");
	add_node(g, "/layer2/Conv", "Conv", "r1", NULL, "c2");
	add_node(g, "/layer2/Relu", "Relu", "c2", NULL, "r2");
	add_node(g, "/pool", "GlobalAveragePool", "r2", NULL, "g");
	add_node(g, "/flatten", "Flatten", "g", NULL, "f");
	add_node(g, "/fc", "Gemm", "f", NULL, "l");
	add_node(g, "/softmax", "Softmax", "l", NULL, "y");
}

static void add_nchwc(struct graph *g, int r)
{
	add_operator(g, r, "r2_nchwc", "Conv", "CPUExecutionProvider", 21000);
	add_operator(g, r, "r1_nchwc", "Conv", "CPUExecutionProvider", 9000);
	add_operator(g, r, "g_nchwc", "GlobalAveragePool", "CPUExecutionProvider", 4000);
	add_operator(g, r, "/softmax", "Softmax", "CPUExecutionProvider", 500);
	add_operator(g, r, "/fc", "Gemm", "CPUExecutionProvider", 400);
	add_operator(g, r, "ReorderOutput", "ReorderOutput", "CPUExecutionProvider", 300);
	add_operator(g, r, "/flatten", "Flatten", "CPUExecutionProvider", 250);
}

#define CASE(name) TEST_OF_NEW(name, struct graph, g, graph_new(), graph_free(g))

CASE(layouts_are_named_after_values)
{
	add_tinycnn(g);
	add_nchwc(g, 0);
	compare(g);
	expect(g, "/layer1/Conv", 0, MODEL_RENAMED, "r1_nchwc");
	expect(g, "/layer1/Relu", 0, MODEL_FUSED, "r1_nchwc");
	expect(g, "/layer2/Conv", 0, MODEL_RENAMED, "r2_nchwc");
	expect(g, "/pool", 0, MODEL_RENAMED, "g_nchwc");
	expect(g, "/fc", 0, MODEL_SAME, "/fc");
	assert_int_equal(g->comparison.n_nodes_of[0][0], 2);
	assert_int_equal(g->comparison.reach[0].n_joined, 8);
	assert_int_equal(g->comparison.reach[0].n_not_run, 0);
	assert_int_equal(g->comparison.reach[0].n_unjoined, 1);
	assert_int_equal(row_of(g, "ReorderOutput")->node, MODEL_NONE);
	assert_string_equal(g->comparison.rows[0].name, "/layer2/Conv");
}

CASE(a_subgraph_is_all_that_ran_nowhere_else)
{
	add_tinycnn(g);
	add_nchwc(g, 0);
	add_operator(g, 1, "OpenVINOExecutionProvider_OpenVINO-EP-subgraph_1_0", "OpenVINO-EP-subgraph_1",
		     "OpenVINOExecutionProvider", 30000);
	add_operator(g, 1, "/softmax", "Softmax", "CPUExecutionProvider", 400);
	compare(g);
	expect(g, "/layer1/Conv", 1, MODEL_INSIDE, "OpenVINOExecutionProvider_OpenVINO-EP-subgraph_1_0");
	expect(g, "/softmax", 1, MODEL_SAME, "/softmax");
	assert_int_equal(g->comparison.reach[1].n_own_nodes, 7);
	assert_int_equal(g->comparison.reach[1].n_other_nodes, 1);
	assert_string_equal(g->comparison.reach[1].own_provider, "OpenVINOExecutionProvider");
	assert_true(row_of(g, "/softmax")->speed[1].is_known && row_of(g, "/softmax")->speed[1].value == 1.25);
	assert_false(row_of(g, "/layer1/Conv")->speed[1].is_known);
}

CASE(of_two_subgraphs_nothing_is_guessed)
{
	add_tinycnn(g);
	add_operator(g, 1, "OpenVINOExecutionProvider_OpenVINO-EP-subgraph_1_0", "OpenVINO-EP-subgraph_1",
		     "OpenVINOExecutionProvider", 2);
	add_operator(g, 1, "OpenVINOExecutionProvider_OpenVINO-EP-subgraph_2_0", "OpenVINO-EP-subgraph_2",
		     "OpenVINOExecutionProvider", 3);
	compare(g);
	assert_null(row_of(g, "/layer1/Conv"));
	assert_int_equal(g->comparison.reach[1].n_not_run, 8);
	assert_int_equal(g->comparison.reach[1].n_unjoined, 2);
	assert_int_equal(g->comparison.n_rows, 2);
}

CASE(what_depends_on_no_input_need_not_run)
{
	static const struct model_value input = { "x", "float32", "1" };

	g->report.model.inputs = &input;
	g->report.model.n_inputs = 1;
	add_node(g, "/fill", "ConstantOfShape", "shape", NULL, "w0");
	add_node(g, "/scale", "Mul", "w0", "factor", "w");
	add_node(g, "/conv", "Conv", "x", "w", "c");
	add_node(g, "/relu", "Relu", "c", NULL, "y");
	add_operator(g, 0, "/conv", "Conv", "CPUExecutionProvider", 100);
	add_operator(g, 1, "OpenVINOExecutionProvider_OpenVINO-EP-subgraph_1_0", "OpenVINO-EP-subgraph_1",
		     "OpenVINOExecutionProvider", 100);
	add_node(g, "/shape", "Shape", "x", NULL, "s");
	add_node(g, "/expand", "Expand", "w", "s", "e");
	compare(g);
	assert_int_equal(g->comparison.reach[0].n_not_run, 5);
	/* two of weights, two of shapes alone; a subgraph taken as a whole contains the latter */
	assert_int_equal(g->comparison.reach[0].n_constant, 4);
	assert_int_equal(g->comparison.reach[1].n_joined, 4);
	assert_int_equal(g->comparison.reach[1].n_constant, 2);
	expect(g, "/relu", 1, MODEL_INSIDE, NULL);
}

CASE(decorations_come_off)
{
	add_node(g, "/layer1/Conv", "Conv", "x_dq", "w_dq", "c1");
	add_node(g, "/layer1/Relu", "Relu", "c1", NULL, "r1");
	add_node(g, "x_dq", "DequantizeLinear", "x_q", NULL, "x_dq");
	add_node(g, "w_dq", "DequantizeLinear", "w_q", NULL, "w_dq");
	add_node(g, "r1_q", "QuantizeLinear", "r1", NULL, "r1_q");
	add_node(g, "r1_dq", "DequantizeLinear", "r1_q", NULL, "r1_dq");
	add_node(g, "/mm", "MatMul", "r1_dq", NULL, "m");
	add_node(g, "/add", "Add", "m", NULL, "a");
	add_operator(g, 0, "/layer1/Conv_token_1", "QLinearConv", "CPUExecutionProvider", 100);
	add_operator(g, 0, "/mm/MatMulAddFusion", "Gemm", "CPUExecutionProvider", 100);
	add_operator(g, 1, "x_dq", "DequantizeLinear", "CPUExecutionProvider", 10);
	add_operator(g, 1, "fused /layer1/Conv", "FusedConv", "CPUExecutionProvider", 100);
	compare(g);
	expect(g, "/layer1/Conv", 0, MODEL_RENAMED, "/layer1/Conv_token_1");
	expect(g, "/layer1/Relu", 0, MODEL_FUSED, "/layer1/Conv_token_1");
	expect(g, "w_dq", 0, MODEL_FUSED, "/layer1/Conv_token_1");
	expect(g, "r1_q", 0, MODEL_FUSED, "/layer1/Conv_token_1");
	expect(g, "/add", 0, MODEL_FUSED, "/mm/MatMulAddFusion");
	expect(g, "/layer1/Conv", 1, MODEL_RENAMED, "fused /layer1/Conv");
	expect(g, "/layer1/Relu", 1, MODEL_FUSED, "fused /layer1/Conv");
	/* one stands for five nodes, the other for four: no ratio */
	assert_false(row_of(g, "/layer1/Conv")->speed[1].is_known);
}

CASE(fusions_hold_what_only_they_read)
{
	add_node(g, "conv", "Conv", "x", "w", "c");
	add_node(g, "gate", "Sigmoid", "c", NULL, "s");
	add_node(g, "swish", "Mul", "c", "s", "m");
	add_node(g, "mm", "MatMul", "m", "w2", "d");
	add_node(g, "bias", "Add", "d", "b", "e");
	add_node(g, "shortcut", "Add", "e", "m", "f");
	add_node(g, "scores", "MatMul", "f", "x", "h");
	add_node(g, "scale", "Div", "h", "four", "i");
	add_node(g, "shape", "Reshape", "i", "dims", "y");
	add_operator(g, 0, "conv", "Conv", "CPUExecutionProvider", 100);
	add_operator(g, 0, "swish/QuickGeluFusion/", "QuickGelu", "CPUExecutionProvider", 50);
	add_operator(g, 0, "mm/MatMulAddFusion_token_7", "Gemm", "CPUExecutionProvider", 40);
	add_operator(g, 0, "SkipLayerNormalization", "SkipLayerNormalization", "CPUExecutionProvider", 30);
	add_operator(g, 0, "scores/MatMulScaleFusion/", "FusedMatMul", "CPUExecutionProvider", 20);
	compare(g);
	expect(g, "conv", 0, MODEL_SAME, "conv");
	expect(g, "swish", 0, MODEL_RENAMED, "swish/QuickGeluFusion/");
	expect(g, "gate", 0, MODEL_FUSED, "swish/QuickGeluFusion/");
	expect(g, "bias", 0, MODEL_FUSED, "mm/MatMulAddFusion_token_7");
	/* adds the result of another node, not the bias of a Gemm; and no kernel reshapes its output */
	assert_null(row_of(g, "shortcut"));
	expect(g, "scale", 0, MODEL_FUSED, "scores/MatMulScaleFusion/");
	assert_null(row_of(g, "shape"));
}

CASE(kernels_bear_names_of_nodes)
{
	static const struct model_kernel kernels[] = {
		{ .name = "conv" }, { .name = "conv_token_12" }, { .name = "other" }, { .name = NULL }
	};

	add_node(g, "conv", "Conv", "x", "w", "c");
	g->result[0].kernels = kernels;
	g->result[0].n_kernels = 4;
	compare(g);
	assert_int_equal(g->comparison.kernel_of[0][0], 0);
	assert_int_equal(g->comparison.kernel_of[0][1], 0);
	assert_int_equal(g->comparison.kernel_of[0][2], MODEL_NONE);
	assert_int_equal(g->comparison.kernel_of[0][3], MODEL_NONE);
}

CASE(strange_graphs_do_no_harm)
{
	/* a cycle, empty and missing names, values that no node makes, the same name twice */
	add_node(g, "a", "X", "b", NULL, "a");
	add_node(g, "b", "X", "a", NULL, "b");
	add_node(g, "", "X", "", NULL, "");
	add_node(g, NULL, "X", NULL, NULL, NULL);
	add_node(g, "a", NULL, "nobody", NULL, "c");
	add_operator(g, 0, "a_nchwc", "Y", NULL, 1);
	add_operator(g, 0, NULL, NULL, NULL, 1);
	add_operator(g, 0, "", "", "", 1);
	add_operator(g, 0, "_token_1", "X", "X", 1);
	add_operator(g, 0, "fused fused _nchwc_token_9999999999999999999999", "X", "X", 1);
	add_operator(g, 1, "a", "Fused", "X", 1);
	compare(g);
	expect(g, "a", 1, MODEL_SAME, "a");
	assert_true(g->comparison.n_types >= 3);
}

CASE(what_a_device_computes_later_is_not_compared)
{
	add_node(g, "conv", "Conv", "x", "w", "c");
	add_node(g, "relu", "Relu", "c", NULL, "y");
	add_operator(g, 0, "conv", "Conv", "CPUExecutionProvider", 1000);
	add_operator(g, 0, "relu", "Relu", "CPUExecutionProvider", 1000);
	add_operator(g, 1, "conv", "Conv", "WebGpuExecutionProvider", 100);
	add_operator(g, 1, "relu", "Relu", "CPUExecutionProvider", 100);
	compare(g);
	assert_false(row_of(g, "conv")->speed[1].is_known);
	assert_true(row_of(g, "relu")->speed[1].is_known);
}

CASE(types_are_summed_per_inference)
{
	add_tinycnn(g);
	add_nchwc(g, 0);
	compare(g);
	assert_string_equal(g->comparison.types[0].op_type, "Conv");
	assert_true(g->comparison.types[0].share_ns[0] == 30000 && isnan(g->comparison.types[0].share_ns[1]));
	assert_int_equal(g->comparison.types[0].n_operators[0], 2);
}

/* One long call raises the mean of an operator, not its rank. */
CASE(nodes_are_in_the_order_of_their_medians)
{
	add_node(g, "a", "Conv", "x", NULL, "y");
	add_node(g, "b", "Gemm", "y", NULL, "z");
	add_node(g, "c", "Relu", "z", NULL, "o");
	add_operator(g, 0, "a", "Conv", "CPUExecutionProvider", 5000);
	add_operator(g, 0, "b", "Gemm", "CPUExecutionProvider", 2000);
	add_operator(g, 0, "c", "Relu", "CPUExecutionProvider", 1000);
	g->op[0][0].p50_ns = 500;
	g->op[0][2].n = 30; /* three times in an inference */
	compare(g);
	assert_string_equal(g->comparison.rows[0].name, "c");
	assert_string_equal(g->comparison.rows[1].name, "b");
	assert_string_equal(g->comparison.rows[2].name, "a");
	assert_true(g->comparison.rows[0].weight_ns == 3000 && g->comparison.rows[2].weight_ns == 500);
}

/* A quantized model and two shapes of a model beside it: nodes of one name, or of one place in the same file. */
CASE(several_models_share_rows_by_the_names_of_nodes)
{
	struct model_node node[2];
	struct model_facts other = { .nodes = node, .n_listed = 2, .path = "b.onnx" };
	const struct model_row *row;

	add_node(g, "conv", "Conv", "x", NULL, "c");
	add_node(g, "fc", "Gemm", "c", NULL, "y");
	memcpy(node, g->node, sizeof node);
	node[0].name = "conv_quant";
	node[0].op_type = "QLinearConv";
	node[0].flops = 7;
	node[1].name = "head";
	g->report.model.path = "a.onnx";
	g->result[1].facts = &other;
	g->result[1].provider = "cpu";
	add_operator(g, 0, "conv", "Conv", "CPUExecutionProvider", 3000);
	add_operator(g, 0, "fc", "Gemm", "CPUExecutionProvider", 2000);
	add_operator(g, 1, "conv_quant", "QLinearConv", "CPUExecutionProvider", 1000);
	add_operator(g, 1, "head", "Gemm", "CPUExecutionProvider", 500);
	compare(g);
	assert_int_equal(g->comparison.n_rows, 3);
	expect(g, "conv", 0, MODEL_SAME, "conv");
	expect(g, "conv", 1, MODEL_SAME, "conv_quant");
	row = row_of(g, "conv");
	assert_true(row->model == &g->report.model && fabs(row->speed[1].value - 3) < 1e-9);
	expect(g, "fc", 0, MODEL_SAME, "fc");
	expect(g, "fc", 1, MODEL_NOT_RUN, NULL);
	expect(g, "head", 1, MODEL_SAME, "head");
	assert_true(row_of(g, "head")->model == &other && row_of(g, "head")->node == 1);
	assert_int_equal(g->comparison.reach[1].n_joined, 2);
}

CASE(shapes_of_one_file_share_rows_by_the_place_of_nodes)
{
	struct model_node node[2];
	struct model_facts other = { .nodes = node, .n_listed = 2, .path = "a.onnx" };

	add_node(g, "", "Conv", "x", NULL, "c");
	add_node(g, "", "Gemm", "c", NULL, "y");
	memcpy(node, g->node, sizeof node);
	g->report.model.path = "a.onnx";
	g->result[1].facts = &other;
	g->result[1].provider = "cpu";
	g->result[1].n_items = 8;
	for (int r = 0; r < 2; r++) {
		add_operator(g, r, "c_nchwc", "Conv", "CPUExecutionProvider", r ? 4000 : 1000);
		add_operator(g, r, "y_nchwc", "Gemm", "CPUExecutionProvider", 2000);
	}
	compare(g);
	assert_int_equal(g->comparison.n_rows, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct model_row *row = &g->comparison.rows[i];

		assert_true(row->join[0].how != MODEL_NOT_RUN && row->join[1].how != MODEL_NOT_RUN);
		/* of an item */
		assert_true(fabs(row->speed[1].value - (row->node ? 8 : 2)) < 1e-9);
	}
}
