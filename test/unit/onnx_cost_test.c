// SPDX-License-Identifier: Apache-2.0
/* Compares costs with values computed by hand. */
#include "model/onnx/onnx_cost.h"

#include <stdio.h>

#include "cases.h"
#include "onnx_build.h"

static struct build build;
static struct onnx_model model;
static struct shape_model shapes;
static struct cost_model costs;
static struct err err;

static void count(void)
{
	build_end(&build);
	assert_false(build.out.is_full);
	assert_int_equal(onnx_read_bytes(&model, build.data, build.out.len, &err), 0);
	assert_int_equal(onnx_shape_infer(&shapes, &model, NULL, 0, &err), 0);
	assert_int_equal(onnx_cost_count(&costs, &shapes, &err), 0);
}

static void done(void)
{
	onnx_cost_done(&costs);
	onnx_shape_done(&shapes);
	onnx_done(&model);
}

static const struct cost_node *find(const char *name)
{
	for (uint32_t i = 0; i < costs.n_nodes; i++)
		if (!strcmp(costs.nodes[i].name, name))
			return &costs.nodes[i];
	return NULL;
}

static const struct cost *cost(const char *name)
{
	const struct cost_node *node = find(name);

	assert_non_null(node);
	return &node->cost;
}

static void build_weights(const char *name, const char *dims)
{
	build_tensor(&build, 5, name, TENSOR_FLOAT, dims, NULL, 0);
}

TEST(a_convolution_by_hand)
{
	size_t node;

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "2 6 10 10");
	build_weights("w", "8 3 3 3"); /* two groups of three channels */
	build_weights("b", "8");
	node = build_node(&build, 1, "Conv", "conv", "x w b", "y");
	build_attr_int(&build, "group", 2);
	build_attr_ints(&build, "pads", "1 1 1 1");
	pb_out_close(&build.out, node);
	count();
	/* 2 x 8 x 10 x 10 outputs of 27 multiply-adds, and as many sums with the bias. */
	assert_true(cost("conv")->flops == 1600 * 27 * 2 + 1600);
	assert_true(cost("conv")->parameters == 216 + 8);
	assert_true(cost("conv")->weight_bytes == 4 * (216 + 8));
	assert_true(cost("conv")->bytes == 4 * (1200 + 216 + 8 + 1600));
	assert_true(costs.total.parameters == 224 && costs.n_unknown == 0);
	done();
}

TEST(products_of_matrices_by_hand)
{
	size_t node;

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "5 4 7");
	build_value(&build, 11, "a", TENSOR_FLOAT, "7 4");
	build_weights("w", "7 3");
	build_weights("c", "3");
	build_plain(&build, "MatMul", "x w", "mul");
	node = build_node(&build, 1, "Gemm", "gemm", "a w c", "g");
	build_attr_int(&build, "transA", 1);
	pb_out_close(&build.out, node);
	count();
	assert_true(cost("mul")->flops == 2 * 5 * 4 * 3 * 7);
	assert_true(cost("gemm")->flops == 2 * 4 * 3 * 7 + 4 * 3);
	/* The weights that both use count once. */
	assert_true(costs.total.parameters == 21 + 3);
	done();
}

TEST(what_only_moves_or_only_renames_costs_no_operations)
{
	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "4 8");
	build_weights("table", "1000 16");
	build_value(&build, 11, "at", TENSOR_INT64, "5");
	build_plain(&build, "Transpose", "x", "turned");
	build_plain(&build, "Flatten", "x", "flat");
	build_plain(&build, "Gather", "table at", "picked");
	count();
	assert_true(cost("turned")->flops == 0 && cost("turned")->bytes == 2 * 4 * 32);
	assert_true(cost("flat")->flops == 0 && cost("flat")->bytes == 0);
	/* Five rows are read and written, not the whole table. */
	assert_true(cost("picked")->bytes == 2 * 4 * 5 * 16 + 8 * 5);
	assert_true(cost("picked")->parameters == 16000);
	done();
}

TEST(what_is_not_known_is_said)
{
	const struct cost_node *node;

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "batch 8");
	build_value(&build, 11, "t", TENSOR_STRING, "4");
	build_plain(&build, "Relu", "x", "r");
	build_plain(&build, "Mystery", "x", "m");
	build_plain(&build, "Identity", "t", "i");
	count();
	node = find("r");
	assert_true(isnan(node->cost.flops) && isnan(node->cost.bytes));
	assert_string_equal(node->why, "x depends on the free dimension batch");
	assert_string_equal(node->dim, "batch");
	assert_string_equal(find("m")->why, "this operator is not known");
	assert_int_equal(costs.n_unknown, 2);
	assert_true(costs.total.flops == 0);
	done();
}

/* Weights from elsewhere: their shape determines the cost. */
TEST(a_convolution_with_unknown_weights_is_not_known)
{
	size_t node;

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "1 3 9 9");
	build_value(&build, 11, "w", TENSOR_FLOAT, "n 3 3 3");
	for (int i = 0; i < 2; i++) {
		node = build_node(&build, 1, i ? "ConvTranspose" : "Conv", i ? "back" : "conv", "x w", i ? "b" : "c");
		pb_out_close(&build.out, node);
	}
	build_value(&build, 12, "c", TENSOR_FLOAT, "1 4 7 7");
	count();
	assert_true(isnan(cost("conv")->flops));
	assert_true(isnan(cost("back")->flops));
	assert_int_equal(costs.n_unknown, 2);
	done();
}

TEST(nothing_costs_less_than_nothing)
{
	size_t node;

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "1 3 9 9");
	node = build_node(&build, 1, "MaxPool", "pool", "x", "p");
	build_attr_ints(&build, "kernel_shape", "-3 3");
	build_attr_ints(&build, "strides", "1 1");
	pb_out_close(&build.out, node);
	node = build_node(&build, 1, "LRN", "lrn", "x", "n");
	build_attr_int(&build, "size", -7);
	pb_out_close(&build.out, node);
	build_value(&build, 13, "p", TENSOR_FLOAT, "1 3 7 7");
	count();
	assert_true(isnan(cost("pool")->flops) && isnan(cost("lrn")->flops));
	assert_non_null(find("lrn")->why);
	done();
}

TEST(what_is_made_of_constants_is_computed_once)
{
	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "8");
	build_weights("a", "8");
	build_weights("b", "8");
	build_plain(&build, "Add", "a b", "folded");
	build_plain(&build, "Mul", "x folded", "y");
	count();
	assert_true(find("folded")->is_constant && cost("folded")->flops == 0);
	assert_true(costs.total.flops == 8 && costs.n_constant == 1);
	assert_true(cost("y")->parameters == 8);
	done();
}

TEST(the_dearer_branch_counts)
{
	size_t node, attr, graph;

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "4 4");
	build_value(&build, 11, "which", TENSOR_BOOL, "");
	node = build_node(&build, 1, "If", "if", "which", "y");
	attr = build_graph(&build, "then_branch", &graph);
	build_plain(&build, "Relu", "x", "cheap");
	build_value(&build, 12, "cheap", TENSOR_FLOAT, "4 4");
	build_graph_end(&build, attr, graph);
	attr = build_graph(&build, "else_branch", &graph);
	build_plain(&build, "MatMul", "x x", "dear");
	build_value(&build, 12, "dear", TENSOR_FLOAT, "4 4");
	build_graph_end(&build, attr, graph);
	pb_out_close(&build.out, node);
	count();
	assert_true(find("cheap")->times == 0);
	assert_true(find("dear")->times == 1);
	assert_true(costs.total.flops == 2 * 4 * 4 * 4);
	/* The same tensor twice is read once. */
	assert_true(cost("dear")->bytes == 4 * (16 + 16));
	done();
}
