// SPDX-License-Identifier: Apache-2.0
/* Costs that were worked out by hand. */
#include "onnx_build.h"

#include "model/onnx_cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

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

static const struct cost *cost(const char *name)
{
	const struct cost_node *node = onnx_cost_find(&costs, name);

	assert_non_null(node);
	return &node->cost;
}

static void build_weights(const char *name, const char *dims)
{
	build_tensor(&build, 5, name, ONNX_ELEM_FLOAT, dims, NULL, 0);
}

static void a_convolution_by_hand(void **state)
{
	size_t node;

	build_begin(&build);
	build_value(&build, 11, "x", ONNX_ELEM_FLOAT, "2 6 10 10");
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

static void products_of_matrices_by_hand(void **state)
{
	size_t node;

	build_begin(&build);
	build_value(&build, 11, "x", ONNX_ELEM_FLOAT, "5 4 7");
	build_value(&build, 11, "a", ONNX_ELEM_FLOAT, "7 4");
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

static void what_only_moves_or_only_renames_costs_no_operations(void **state)
{
	build_begin(&build);
	build_value(&build, 11, "x", ONNX_ELEM_FLOAT, "4 8");
	build_weights("table", "1000 16");
	build_value(&build, 11, "at", ONNX_ELEM_INT64, "5");
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

static void what_is_not_known_is_said(void **state)
{
	const struct cost_node *node;

	build_begin(&build);
	build_value(&build, 11, "x", ONNX_ELEM_FLOAT, "batch 8");
	build_value(&build, 11, "t", ONNX_ELEM_STRING, "4");
	build_plain(&build, "Relu", "x", "r");
	build_plain(&build, "Mystery", "x", "m");
	build_plain(&build, "Identity", "t", "i");
	count();
	node = onnx_cost_find(&costs, "r");
	assert_true(isnan(node->cost.flops) && isnan(node->cost.bytes));
	assert_string_equal(node->why, "x depends on the free dimension batch");
	assert_string_equal(node->dim, "batch");
	assert_string_equal(onnx_cost_find(&costs, "m")->why, "this operator is not known");
	assert_int_equal(costs.n_unknown, 2);
	assert_true(costs.total.flops == 0);
	assert_null(onnx_cost_find(&costs, "nobody"));
	assert_null(onnx_cost_find(&costs, ""));
	done();
}

static void what_is_made_of_constants_is_computed_once(void **state)
{
	build_begin(&build);
	build_value(&build, 11, "x", ONNX_ELEM_FLOAT, "8");
	build_weights("a", "8");
	build_weights("b", "8");
	build_plain(&build, "Add", "a b", "folded");
	build_plain(&build, "Mul", "x folded", "y");
	count();
	assert_true(onnx_cost_find(&costs, "folded")->is_constant && cost("folded")->flops == 0);
	assert_true(costs.total.flops == 8 && costs.n_constant == 1);
	assert_true(cost("y")->parameters == 8);
	done();
}

static void the_dearer_branch_counts(void **state)
{
	size_t node, attr, graph;

	build_begin(&build);
	build_value(&build, 11, "x", ONNX_ELEM_FLOAT, "4 4");
	build_value(&build, 11, "which", ONNX_ELEM_BOOL, "");
	node = build_node(&build, 1, "If", "if", "which", "y");
	attr = build_graph(&build, "then_branch", &graph);
	build_plain(&build, "Relu", "x", "cheap");
	build_value(&build, 12, "cheap", ONNX_ELEM_FLOAT, "4 4");
	build_graph_end(&build, attr, graph);
	attr = build_graph(&build, "else_branch", &graph);
	build_plain(&build, "MatMul", "x x", "dear");
	build_value(&build, 12, "dear", ONNX_ELEM_FLOAT, "4 4");
	build_graph_end(&build, attr, graph);
	pb_out_close(&build.out, node);
	count();
	assert_true(onnx_cost_find(&costs, "cheap")->times == 0);
	assert_true(onnx_cost_find(&costs, "dear")->times == 1);
	assert_true(costs.total.flops == 2 * 4 * 4 * 4);
	/* The same tensor twice is read once. */
	assert_true(cost("dear")->bytes == 4 * (16 + 16));
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_convolution_by_hand),
		cmocka_unit_test(products_of_matrices_by_hand),
		cmocka_unit_test(what_only_moves_or_only_renames_costs_no_operations),
		cmocka_unit_test(what_is_not_known_is_said),
		cmocka_unit_test(what_is_made_of_constants_is_computed_once),
		cmocka_unit_test(the_dearer_branch_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
