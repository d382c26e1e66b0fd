// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "model/onnx/onnx_external.h"
#include "model/onnx/onnx_in.h"
#include "onnx_build.h"

static struct build build;
static struct onnx_model model;
static struct err err;

static int read_built(void)
{
	err = (struct err){ 0 };
	assert_false(build.out.is_full);
	return onnx_read_bytes(&model, build.data, build.out.len, &err);
}

/* A convolution that uses every field of a model. */
static void build_one(void)
{
	static const float weights[2 * 3] = { 1, 2, 3, 4, 5, 6 };
	size_t node;

	build_begin(&build);
	build_value(&build, 11, "x", TENSOR_FLOAT, "batch 3 8 ?");
	node = build_node(&build, 1, "Conv", "first", "x w -", "y");
	build_attr_ints(&build, "pads", "0 -1 2");
	build_attr_int(&build, "group", 1);
	pb_out_close(&build.out, node);
	build_tensor(&build, 5, "w", TENSOR_FLOAT, "2 3 1 1", weights, sizeof weights);
	build_value(&build, 12, "y", TENSOR_FLOAT, NULL);
	build_end(&build);
}

TEST(everything_in_the_file_is_read)
{
	const struct onnx_node *node;
	const struct onnx_attr *pads;
	const struct onnx_type *type;

	build_one();
	assert_int_equal(read_built(), 0);
	assert_int_equal(model.ir_version, 8);
	assert_string_equal(model.producer_name, "test");
	assert_int_equal(onnx_opset_version(&model, ""), 17);
	assert_int_equal(onnx_opset_version(&model, "com.microsoft"), 0);
	assert_int_equal(model.graph.n_nodes, 1);
	node = &model.graph.nodes[0];
	assert_string_equal(node->name, "first");
	assert_int_equal(node->n_inputs, 3);
	assert_string_equal(node->inputs[2], "");
	pads = onnx_attr_find(node, "pads");
	assert_int_equal(pads->n, 3);
	assert_int_equal(pads->ints[1], -1);
	assert_int_equal(onnx_attr_find(node, "group")->type, ONNX_ATTR_INT);
	assert_int_equal(onnx_attr_find(node, "group")->i, 1);
	assert_int_equal(model.graph.initializers[0].n_elements, 6);
	assert_int_equal(onnx_tensor_bytes(&model.graph.initializers[0]), 24);
	type = &model.graph.inputs[0].type;
	assert_int_equal(type->n_dims, 4);
	assert_string_equal(type->dims[0].name, "batch");
	assert_int_equal(type->dims[1].value, 3);
	assert_true(type->dims[3].value == -1 && !type->dims[3].name);
	assert_false(model.graph.outputs[0].type.has_shape);
	onnx_done(&model);
}

TEST(a_file_that_is_cut_off_at_any_byte_is_refused_once)
{
	build_one();
	for (size_t size = 0; size < build.out.len; size++) {
		/* At its exact size, so that a sanitizer detects a read behind it. */
		uint8_t *copy = malloc(size + !size);

		memcpy(copy, build.data, size);
		err = (struct err){ 0 };
		assert_true(onnx_read_bytes(&model, copy, size, &err) < 0);
		assert_true(strstr(err.msg, "at byte ") || strstr(err.msg, "empty"));
		onnx_done(&model);
		free(copy);
	}
}

static void refused(const void *bytes, size_t size, const char *why)
{
	assert_true(onnx_read_bytes(&model, bytes, size, &err) < 0);
	if (!strstr(err.msg, why))
		print_error("not \"%s\" but: %s\n", why, err.msg);
	assert_non_null(strstr(err.msg, why));
	onnx_done(&model);
}

TEST(what_is_no_model_is_named)
{
	refused("\x18\0\0\0ORTM....", 12, "(.ort)");
	refused("\x1c\0\0\0TFL3....", 12, "TensorFlow Lite");
	refused("{\n  \"a\": 1\n}\n", 13, "it is text");
	refused("version https://git-lfs.github.com/spec/v1\noid", 46, "git lfs pull");
	refused("PK\3\4....", 8, "ZIP");
	refused("\0\0\0\0\0\0\0\0", 8, "not an ONNX model");
	refused("\xff\xff\xff\xff\xff\xff\xff\xff", 8, "not an ONNX model");
	refused("", 0, "empty");
}

TEST(errors_say_the_byte)
{
	/* ir_version 8, then field 7 that claims 100 bytes. */
	refused("\x08\x08\x3a\x64\x01", 5, "at byte 2: field 7 of the model claims 100 bytes, but only 1 are left");
	refused("\x08\x08\x3b", 3, "at byte 2: field 7 of the model has the invalid wire type 3");
	refused("\x08\x08\x38\x01", 4, "at byte 2: field 7 of the model has wire type 0");
	refused("\x08\x08", 2, "the file has no graph");
	refused("\x08\x08\x3a\x02\x0a\x00", 6, "does not name its operator");
}

TEST(data_that_does_not_fit_its_shape_is_refused)
{
	build_begin(&build);
	build_tensor(&build, 5, "w", TENSOR_FLOAT, "2 2", "123456789abc", 12);
	build_end(&build);
	refused(build.data, build.out.len, "tensor w has 12 bytes of data where its shape takes 16");
	build_begin(&build);
	build_tensor(&build, 5, "w", TENSOR_FLOAT, "-1", NULL, 0);
	build_end(&build);
	refused(build.data, build.out.len, "has the dimension -1");
	build_begin(&build);
	build_tensor(&build, 5, "w", TENSOR_FLOAT, "4611686018427387904 4", NULL, 0);
	build_end(&build);
	refused(build.data, build.out.len, "more elements than can be counted");
}

static void build_if(int depth)
{
	size_t node = build_node(&build, 1, "If", "if", "c", "y"), graph,
	       attr = build_graph(&build, "then_branch", &graph);

	if (depth)
		build_if(depth - 1);
	build_graph_end(&build, attr, graph);
	pb_out_close(&build.out, node);
}

TEST(graphs_in_graphs_have_a_bound)
{
	build_begin(&build);
	build_if(60);
	build_end(&build);
	assert_int_equal(read_built(), 0);
	assert_int_equal(model.n_graphs, 62);
	onnx_done(&model);
	build_begin(&build);
	build_if(64);
	build_end(&build);
	refused(build.data, build.out.len, "graphs are nested more than 64 deep");
}

TEST(small_tensors_can_be_read_by_their_elements)
{
	static const int32_t halves[] = { -1, 7 };
	static const uint16_t floats[] = { 0x3c00, 0xc000, 0x0001 }; /* 1, -2, the smallest */
	int64_t values[4];
	double numbers[4];

	build_begin(&build);
	build_tensor(&build, 5, "a", TENSOR_INT32, "2", halves, sizeof halves);
	build_tensor(&build, 5, "b", TENSOR_FLOAT16, "3", floats, sizeof floats);
	build_tensor(&build, 5, "none", TENSOR_INT64, "2", NULL, 0);
	build_end(&build);
	assert_int_equal(read_built(), 0);
	assert_int_equal(onnx_tensor_ints(&model.graph.initializers[0], values, 4), 2);
	assert_true(values[0] == -1 && values[1] == 7);
	assert_int_equal(onnx_tensor_floats(&model.graph.initializers[1], numbers, 4), 3);
	assert_true(numbers[0] == 1 && numbers[1] == -2 && numbers[2] == 1.0 / (1 << 24));
	assert_int_equal(onnx_tensor_ints(&model.graph.initializers[2], values, 4), -1);
	assert_int_equal(model.graph.initializers[2].where, ONNX_NO_DATA);
	onnx_done(&model);
}

static void add_external(const char *name, const char *location, const char *offset, const char *length)
{
	const char *pairs[][2] = { { "location", location }, { "offset", offset }, { "length", length } };
	size_t tensor = pb_out_open(&build.out, 5), entry;

	pb_out_uint(&build.out, 1, 4);
	pb_out_uint(&build.out, 2, TENSOR_FLOAT);
	build_text(&build, 8, name);
	for (size_t i = 0; i < 3; i++) {
		entry = pb_out_open(&build.out, 13);
		build_text(&build, 1, pairs[i][0]);
		build_text(&build, 2, pairs[i][1]);
		pb_out_close(&build.out, entry);
	}
	pb_out_uint(&build.out, 14, 1);
	pb_out_close(&build.out, tensor);
}

static void write_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

TEST(external_data_is_looked_for_beside_the_model)
{
	static const struct {
		const char *location, *offset, *length, *problem;
	} cases[] = {
		{ "there.bin", "0", "16", NULL },
		{ "there.bin", "16", "16", "has 20 bytes, but tensor w needs 16 at byte 16" },
		{ "there.bin", "0", "12", "claims 12 bytes there, but its shape needs 16" },
		{ "missing.bin", "0", "16", "is missing" },
		{ "../there.bin", "0", "16", "leads out of the model's folder" },
		{ "/etc/passwd", "0", "16", "leads out of the model's folder" },
	};
	char folder[] = "/tmp/onnx_read_test_XXXXXX", path[100], beside[100];

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/m.onnx", folder);
	snprintf(beside, sizeof beside, "%s/there.bin", folder);
	write_file(beside, "12345678901234567890", 20);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct onnx_externals externals;

		build_begin(&build);
		add_external("w", cases[i].location, cases[i].offset, cases[i].length);
		build_end(&build);
		write_file(path, build.data, build.out.len);
		assert_int_equal(onnx_read_file(&model, path, &err), 0);
		assert_int_equal(onnx_external_find(&model, &externals, &err), 0);
		assert_int_equal(externals.n, 1);
		assert_int_equal(externals.files[0].bytes, 16);
		if (cases[i].problem) {
			assert_true(onnx_external_check(&externals, &err) < 0);
			assert_non_null(strstr(err.msg, cases[i].problem));
		} else {
			assert_int_equal(onnx_external_check(&externals, &err), 0);
		}
		onnx_done(&model);
	}
	unlink(path);
	unlink(beside);
	rmdir(folder);
}

TEST(external_data_with_a_broken_number_is_refused)
{
	build_begin(&build);
	add_external("w", "a.bin", "-4", "16");
	build_end(&build);
	refused(build.data, build.out.len, "\"-4\" where a number is expected");
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

/* 256 MiB of weights, a hole in the file: reading them would touch 65,536 pages. */
TEST(weights_are_not_touched)
{
	enum { BYTES = 256 << 20 };
	char path[] = "/tmp/onnx_read_test_XXXXXX";
	int fd = mkstemp(path);
	uint8_t head[64], *at = head, tail[32], *end = tail, tensor[32], *inner = tensor;
	size_t tensor_bytes;
	long before;

	/* The tensor's fields before its data, then the graph's and the model's heads by their sizes. */
	inner = pb_put_uint(inner, 1, BYTES / 4);
	inner = pb_put_uint(inner, 2, TENSOR_FLOAT);
	inner = pb_put_varint(pb_put_varint(inner, PB_TAG(9, PB_BYTES)), BYTES);
	tensor_bytes = (size_t)(inner - tensor) + BYTES;
	at = pb_put_uint(at, 1, 8);
	at = pb_put_varint(pb_put_varint(at, PB_TAG(7, PB_BYTES)), tensor_bytes + 6);
	at = pb_put_varint(pb_put_varint(at, PB_TAG(5, PB_BYTES)), tensor_bytes);
	memcpy(at, tensor, (size_t)(inner - tensor));
	at += inner - tensor;
	end = pb_put_varint(pb_put_varint(end, PB_TAG(8, PB_BYTES)), 2);
	end = pb_put_uint(end, 2, 17);
	assert_int_equal(pwrite(fd, head, (size_t)(at - head), 0), at - head);
	assert_int_equal(pwrite(fd, tail, (size_t)(end - tail), at - head + BYTES), end - tail);
	close(fd);
	before = faults();
	assert_int_equal(onnx_read_file(&model, path, &err), 0);
	assert_true(faults() - before < 300);
	assert_int_equal(model.graph.initializers[0].raw.size, BYTES);
	onnx_done(&model);
	unlink(path);
}

TEST(weights_that_repeat_are_found)
{
	static uint8_t data[3][512];
	struct onnx_repeats repeats;

	memset(data, 7, sizeof data);
	data[2][256] = 8; /* between the ends that are compared first */
	build_begin(&build);
	build_tensor(&build, 5, "a", TENSOR_UINT8, "512", data[0], 512);
	build_tensor(&build, 5, "other", TENSOR_UINT8, "512", data[2], 512);
	build_tensor(&build, 5, "b", TENSOR_UINT8, "512", data[1], 512);
	build_end(&build);
	assert_int_equal(read_built(), 0);
	assert_int_equal(onnx_repeat_find(&model, &repeats, &err), 0);
	assert_int_equal(repeats.n, 1);
	assert_int_equal(repeats.groups[0].n, 2);
	assert_string_equal(repeats.groups[0].tensor->name, "a");
	assert_int_equal(repeats.bytes, 512);
	onnx_done(&model);
}
