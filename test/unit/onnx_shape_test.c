// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/onnx_shape.h"

#include <stdio.h>

#include "cases.h"
#include "onnx_build.h"

static struct build build;
static struct onnx_model model;
static struct shape_model shapes;
static struct err err;

static int infer(struct shape_dim *dims, uint32_t n_dims)
{
	build_end(&build);
	assert_false(build.out.is_full);
	assert_int_equal(onnx_read_bytes(&model, build.data, build.out.len, &err), 0);
	return onnx_shape_infer(&shapes, &model, dims, n_dims, &err);
}

/* "4 n ?", or "-" for no shape. */
static void expect(const char *name, const char *dims)
{
	const struct shape_value *value = onnx_shape_find(shapes.main, name);
	char text[200] = "";
	size_t used = 0;

	assert_non_null(value);
	for (uint32_t i = 0; i < value->type.n_dims; i++) {
		const struct onnx_dim *dim = &value->type.dims[i];

		if (dim->value >= 0)
			used += (size_t)snprintf(text + used, sizeof text - used, " %lld", (long long)dim->value);
		else
			used += (size_t)snprintf(text + used, sizeof text - used, " %s", dim->name ? dim->name : "?");
	}
	assert_string_equal(value->type.has_shape ? text + (used > 0) : "-", dims);
}

static void done(void)
{
	onnx_shape_done(&shapes);
	onnx_done(&model);
}

static void build_matrix(const char *name, const char *dims)
{
	build_tensor(&build, 5, name, TENSOR_FLOAT, dims, NULL, 0);
}

/* A node with the attribute axis = 0. */
static void build_along_0(const char *op_type, const char *inputs, const char *output)
{
	size_t node = build_node(&build, 1, op_type, output, inputs, output);

	build_attr_int(&build, "axis", 0);
	pb_out_close(&build.out, node);
}

TEST(names_of_free_dimensions_go_through_operators)
{
	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "batch 3 8");
	build_matrix("w", "8 5");
	build_plain(&build, "MatMul", "x w", "m");
	build_plain(&build, "Relu", "m", "r");
	build_plain(&build, "Add", "r m", "s");
	build_plain(&build, "Transpose", "s", "t");
	assert_int_equal(infer(NULL, 0), 0);
	expect("s", "batch 3 5");
	expect("t", "5 3 batch");
	done();
}

TEST(a_dimension_that_is_given_is_a_number_everywhere)
{
	struct shape_dim dims[] = { { .name = "batch", .value = 4 },
				    { .name = "x:2", .value = 7 },
				    { .name = "nowhere", .value = 1 } };

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "batch 3 ?");
	build_plain(&build, "Relu", "x", "y");
	build_value(&build, 12, "y", TENSOR_FLOAT, "batch 3 ?");
	assert_int_equal(infer(dims, 3), 0);
	expect("y", "4 3 7");
	assert_true(dims[0].is_used && dims[1].is_used && !dims[2].is_used);
	done();
}

/* The usual export of x.reshape(x.shape[0], -1). */
TEST(a_shape_that_is_computed_is_known)
{
	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "batch 4 6");
	build_ints(&build, "zero", 0);
	build_ints(&build, "rest", -1);
	build_plain(&build, "Shape", "x", "s");
	build_plain(&build, "Gather", "s zero", "n");
	build_along_0("Concat", "n rest", "c");
	build_plain(&build, "Reshape", "x c", "y");
	assert_int_equal(infer(NULL, 0), 0);
	expect("y", "batch 24");
	done();
}

TEST(unknown_stays_unknown)
{
	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "n 4");
	build_value(&build, 11, "y", TENSOR_FLOAT, "m 4");
	build_value(&build, 11, "shape", TENSOR_INT64, "3");
	build_plain(&build, "Add", "x y", "sum");
	build_plain(&build, "Reshape", "x shape", "r");
	build_plain(&build, "Mystery", "x", "z");
	build_plain(&build, "Relu", "z", "zz");
	assert_int_equal(infer(NULL, 0), 0);
	/* One of them may be 1. */
	expect("sum", "? 4");
	expect("r", "? ? ?");
	expect("zz", "-");
	assert_true(shapes.main->nodes[1].is_handled && !shapes.main->nodes[2].is_handled);
	done();
}

TEST(windows_slide_as_their_attributes_say)
{
	static const struct {
		const char *strides, *pads, *dilations;
		int64_t ceil_mode;
		const char *dims;
	} cases[] = {
		{ "1 1", "0 0 0 0", "1 1", 0, "1 4 5 6" },
		{ "2 2", "1 1 1 1", "1 1", 0, "1 4 4 4" },
		{ "2 2", "0 0 0 0", "1 1", 1, "1 4 3 4" },
		{ "1 1", "0 0 0 0", "2 2", 0, "1 4 3 4" },
		{ "3 3", "0 0 1 1", "1 1", 1, "1 4 3 3" },
		/* Rounded up, a third window would begin in the padding. */
		{ "4 4", "0 0 2 2", "1 1", 1, "1 4 2 2" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t node;

		build_begin(&build);
		build_value(&build, 11, "x", TENSOR_FLOAT, "1 4 7 8");
		node = build_node(&build, 1, "MaxPool", "p", "x", "y");
		build_attr_ints(&build, "kernel_shape", "3 3");
		build_attr_ints(&build, "strides", cases[i].strides);
		build_attr_ints(&build, "pads", cases[i].pads);
		build_attr_ints(&build, "dilations", cases[i].dilations);
		build_attr_int(&build, "ceil_mode", cases[i].ceil_mode);
		pb_out_close(&build.out, node);
		assert_int_equal(infer(NULL, 0), 0);
		expect("y", cases[i].dims);
		done();
	}
}

TEST(nodes_may_come_in_any_order)
{
	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "2 3");
	build_plain(&build, "Relu", "b", "c");
	build_plain(&build, "Add", "a x", "b");
	build_plain(&build, "Sin", "x", "a");
	assert_int_equal(infer(NULL, 0), 0);
	expect("c", "2 3");
	assert_int_equal(shapes.n_conflicts, 0);
	done();
}

TEST(a_circle_is_an_error)
{
	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "2 3");
	build_plain(&build, "Add", "x c", "b");
	build_plain(&build, "Relu", "b", "c");
	assert_true(infer(NULL, 0) < 0);
	assert_non_null(strstr(err.msg, "cycle"));
	done();
}

TEST(what_the_file_says_fills_gaps_and_contradictions_are_counted)
{
	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "2 3");
	build_plain(&build, "Mystery", "x", "a");
	build_plain(&build, "Relu", "x", "b");
	build_plain(&build, "Relu", "nothing", "c");
	build_value(&build, 13, "a", TENSOR_INT8, "5 k");
	build_value(&build, 13, "b", TENSOR_FLOAT, "2 4");
	assert_int_equal(infer(NULL, 0), 0);
	expect("a", "5 k");
	expect("b", "2 3");
	assert_int_equal(shapes.n_conflicts, 2);
	done();
}

static void build_loop(const char *body_op)
{
	size_t node = build_node(&build, 1, "Loop", "loop", "turns yes x", "last all"), graph,
	       attr = build_graph(&build, "body", &graph);

	build_value(&build, 11, "i", TENSOR_INT64, "");
	build_value(&build, 11, "go", TENSOR_BOOL, "");
	build_value(&build, 11, "sum", TENSOR_FLOAT, NULL);
	build_along_0(body_op, "sum sum", "next");
	build_plain(&build, "Identity", "go", "go_on");
	build_value(&build, 12, "go_on", TENSOR_BOOL, "");
	build_value(&build, 12, "next", TENSOR_FLOAT, NULL);
	build_value(&build, 12, "sum", TENSOR_FLOAT, NULL);
	build_graph_end(&build, attr, graph);
	pb_out_close(&build.out, node);
}

TEST(loops_know_their_turns_and_what_keeps_its_shape)
{
	static const uint8_t yes = 1;
	static const int64_t turns = 3;

	for (int grows = 0; grows < 2; grows++) {
		build_begin(&build);
		build_value(&build, 11, "x", TENSOR_FLOAT, "4");
		build_tensor(&build, 5, "turns", TENSOR_INT64, "", &turns, sizeof turns);
		build_tensor(&build, 5, "yes", TENSOR_BOOL, "", &yes, sizeof yes);
		build_loop(grows ? "Concat" : "Add");
		assert_int_equal(infer(NULL, 0), 0);
		assert_int_equal(shapes.main->nodes[0].n_turns, 3);
		expect("last", grows ? "?" : "4");
		expect("all", grows ? "3 ?" : "3 4");
		done();
	}
}

TEST(functions_are_gone_through_with_the_inputs_of_each_call)
{
	size_t node, function;

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "2 3");
	build_value(&build, 11, "z", TENSOR_FLOAT, "5");
	node = build_node(&build, 1, "Turn", "t1", "x", "a");
	build_text(&build, 7, "local");
	pb_out_close(&build.out, node);
	node = build_node(&build, 1, "Turn", "t2", "z", "b");
	build_text(&build, 7, "local");
	pb_out_close(&build.out, node);
	build_graph_done(&build);
	build_opset(&build, 8, "", 17);
	function = pb_out_open(&build.out, 25);
	build_text(&build, 1, "Turn");
	build_text(&build, 4, "in");
	build_text(&build, 5, "out");
	pb_out_close(&build.out, build_node(&build, 7, "Transpose", "turn", "in", "out"));
	build_text(&build, 10, "local");
	pb_out_close(&build.out, function);
	assert_int_equal(onnx_read_bytes(&model, build.data, build.out.len, &err), 0);
	assert_int_equal(onnx_shape_infer(&shapes, &model, NULL, 0, &err), 0);
	expect("a", "3 2");
	expect("b", "5");
	done();
}

/* f0 calls f1 twice, f1 calls f2 twice, ...: 2^40 nodes. */
TEST(calls_that_multiply_come_to_an_end)
{
	size_t node, function;
	char name[16], next[16];

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "2");
	build_plain(&build, "f0", "x", "y");
	build_graph_done(&build);
	build_opset(&build, 8, "", 17);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof name, "f%d", i);
		snprintf(next, sizeof next, "f%d", i + 1);
		function = pb_out_open(&build.out, 25);
		build_text(&build, 1, name);
		build_text(&build, 4, "in");
		build_text(&build, 5, "out");
		node = build_node(&build, 7, next, "a", "in", "mid");
		pb_out_close(&build.out, node);
		node = build_node(&build, 7, next, "b", "mid", "out");
		pb_out_close(&build.out, node);
		pb_out_close(&build.out, function);
	}
	assert_int_equal(onnx_read_bytes(&model, build.data, build.out.len, &err), 0);
	assert_int_equal(onnx_shape_infer(&shapes, &model, NULL, 0, &err), 0);
	assert_true(shapes.is_cut);
	done();
}

/* Each call must be inferred, and each is large. */
TEST(calls_of_what_is_wide_come_to_an_end)
{
	size_t function;

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "2");
	for (int i = 0; i < 1500; i++)
		build_plain(&build, "f", "x", "");
	build_graph_done(&build);
	build_opset(&build, 8, "", 17);
	function = pb_out_open(&build.out, 25);
	build_text(&build, 1, "f");
	build_text(&build, 4, "in");
	size_t node = pb_out_open(&build.out, 7);
	for (int i = 0; i < 3000; i++)
		build_text(&build, 1, "in");
	build_text(&build, 4, "Sum");
	pb_out_close(&build.out, node);
	pb_out_close(&build.out, function);
	assert_false(build.out.is_full);
	assert_int_equal(onnx_read_bytes(&model, build.data, build.out.len, &err), 0);
	assert_int_equal(onnx_shape_infer(&shapes, &model, NULL, 0, &err), 0);
	assert_true(shapes.is_cut);
	done();
}

TEST(containers_in_containers_have_a_bound)
{
	const struct onnx_type *type;
	char from[16] = "x", to[16];
	int depth = 0;

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "2");
	for (int i = 0; i < 500; i++) {
		snprintf(to, sizeof to, "s%d", i);
		build_plain(&build, "SequenceConstruct", from, to);
		strcpy(from, to);
	}
	assert_int_equal(infer(NULL, 0), 0);
	for (type = &onnx_shape_find(shapes.main, "s5")->type; type; type = type->inner)
		depth++;
	assert_int_equal(depth, 7);
	for (type = &onnx_shape_find(shapes.main, to)->type; type; type = type->inner)
		depth++;
	assert_in_range(depth, 8, 100);
	done();
}

/* A tensor list without a tensor: the first one must not be read. */
TEST(a_constant_of_no_tensor_is_not_known)
{
	size_t node, attr;

	build_begin(&build);
	node = build_node(&build, 1, "Constant", "c", "", "y");
	attr = pb_out_open(&build.out, 5);
	build_text(&build, 1, "value");
	pb_out_uint(&build.out, 20, ONNX_ATTR_TENSORS);
	pb_out_close(&build.out, attr);
	pb_out_close(&build.out, node);
	assert_int_equal(infer(NULL, 0), 0);
	assert_int_equal(onnx_shape_find(shapes.main, "y")->type.kind, ONNX_UNKNOWN);
	done();
}

/* Impossible window sizes: nothing overflows (checked by UBSan), and the result is unknown. */
TEST(windows_of_impossible_sizes_are_not_known)
{
	size_t node;

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "1 3 9");
	build_value(&build, 11, "w", TENSOR_FLOAT, "3 3 9223372036854775807");
	for (int i = 0; i < 2; i++) {
		node = build_node(&build, 1, i ? "ConvTranspose" : "Conv", "", "x w", i ? "t" : "c");
		build_attr_ints(&build, "dilations", "3");
		build_attr_ints(&build, "output_padding", "9223372036854775807");
		pb_out_close(&build.out, node);
	}
	node = build_node(&build, 1, "ConvTranspose", "", "x w", "u");
	build_attr_ints(&build, "kernel_shape", "-9223372036854775808");
	pb_out_close(&build.out, node);
	assert_int_equal(infer(NULL, 0), 0);
	expect("c", "1 3 ?");
	expect("t", "1 3 ?");
	expect("u", "1 3 ?");
	done();
}
