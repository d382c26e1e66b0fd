// SPDX-License-Identifier: Apache-2.0
/* Shapes of operators that multiply matrices or sum over dimensions. */
#include <ctype.h>
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

/* NumPy's matmul: vectors gain a dimension and lose it again. */
static struct shape_dims matmul(struct shape_dims a, struct shape_dims b)
{
	struct shape_dims to, batch_a = a, batch_b = b;

	if (a.rank < 1 || b.rank < 1)
		return shape_unknown;
	batch_a.rank = a.rank > 2 ? a.rank - 2 : 0;
	batch_b.rank = b.rank > 2 ? b.rank - 2 : 0;
	to = shape_broadcast(&batch_a, &batch_b);
	if (a.rank > 1)
		shape_add(&to, a.dim[a.rank - 2]);
	if (b.rank > 1)
		shape_add(&to, b.dim[b.rank - 1]);
	return to;
}

/* arg 0: the element type of the first input; 1: int32; 2: QLinearMatMul. */
void rule_matmul(struct shape_run *run, int arg)
{
	struct shape_dims to = matmul(shape_in_dims(run, 0), shape_in_dims(run, arg == 2 ? 3 : 1));
	uint32_t elem = arg == 1 ? TENSOR_INT32 : shape_in_elem(run, arg == 2 ? 7 : 0);

	shape_out(run, 0, elem, &to);
}

void rule_ms_fused_matmul(struct shape_run *run, int arg)
{
	struct shape_dims a = shape_in_dims(run, 0), b = shape_in_dims(run, 1), to;
	struct onnx_dim swap;

	if (shape_attr_int(run, "transA", 0) && a.rank >= 2) {
		swap = a.dim[a.rank - 1];
		a.dim[a.rank - 1] = a.dim[a.rank - 2];
		a.dim[a.rank - 2] = swap;
	}
	if (shape_attr_int(run, "transB", 0) && b.rank >= 2) {
		swap = b.dim[b.rank - 1];
		b.dim[b.rank - 1] = b.dim[b.rank - 2];
		b.dim[b.rank - 2] = swap;
	}
	to = matmul(a, b);
	if (shape_attr_int(run, "transBatchA", 0) || shape_attr_int(run, "transBatchB", 0))
		to = shape_unknown;
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

void rule_gemm(struct shape_run *run, int arg)
{
	struct shape_dims a = shape_in_dims(run, 0), b = shape_in_dims(run, 1), to = shape_of_rank(2);

	if (a.rank == 2)
		to.dim[0] = a.dim[shape_attr_int(run, "transA", 0) != 0];
	if (b.rank == 2)
		to.dim[1] = b.dim[!shape_attr_int(run, "transB", 0)];
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

/* Einstein notation: one letter per dimension; "..." for broadcast ones. */
struct einsum {
	struct onnx_dim letter[128];
	bool is_there[128];
	uint32_t n[128]; /* how often the letter occurs */
	struct shape_dims rest;
	bool is_known;
};

static void einsum_term(struct einsum *sum, const char *term, size_t len, struct shape_dims dims)
{
	int n_letters = 0, at = 0, n_rest;

	for (size_t i = 0; i < len; i++)
		n_letters += isalpha((unsigned char)term[i]) != 0;
	n_rest = dims.rank - n_letters;
	if (dims.rank < 0 || n_rest < 0 || (n_rest && !memchr(term, '.', len))) {
		sum->is_known = false;
		return;
	}
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)term[i];

		if (c == '.' && i + 2 < len && n_rest >= 0) {
			struct shape_dims rest = shape_of_rank(n_rest);

			memcpy(rest.dim, dims.dim + at, (size_t)n_rest * sizeof *rest.dim);
			sum->rest = shape_broadcast(&sum->rest, &rest);
			at += n_rest;
			n_rest = 0;
			i += 2;
		} else if (isalpha(c) && c < 128 && at < dims.rank) {
			if (!sum->is_there[c] || sum->letter[c].value < 0 || sum->letter[c].value == 1)
				sum->letter[c] = dims.dim[at];
			sum->is_there[c] = true;
			sum->n[c]++;
			at++;
		}
	}
}

static struct shape_dims einsum_output(const struct einsum *sum, const char *arrow)
{
	struct shape_dims to = { .rank = 0 };

	if (!arrow) {
		/* The letters that occur once, in order, after the broadcast ones. */
		to = sum->rest;
		for (int c = 0; c < 128; c++) {
			if (sum->n[c] == 1)
				shape_add(&to, sum->letter[c]);
		}
		return to;
	}
	for (const char *c = arrow + 2; *c; c++) {
		if (*c == '.' && c[1] == '.' && c[2] == '.') {
			for (int i = 0; i < sum->rest.rank; i++)
				shape_add(&to, sum->rest.dim[i]);
			c += 2;
		} else if (isalpha((unsigned char)*c)) {
			if ((unsigned char)*c >= 128 || !sum->is_there[(unsigned char)*c])
				return shape_unknown;
			shape_add(&to, sum->letter[(unsigned char)*c]);
		}
	}
	return to;
}

void rule_einsum(struct shape_run *run, int arg)
{
	const struct onnx_attr *attr = shape_attr(run, "equation");
	struct einsum sum = { .is_known = true, .rest = { .rank = 0 } };
	struct shape_dims to = shape_unknown;
	char text[256], *term = text, *arrow;

	if (attr && attr->type == ONNX_ATTR_STRING && attr->strings[0].size < sizeof text) {
		memcpy(text, attr->strings[0].data, attr->strings[0].size);
		text[attr->strings[0].size] = 0;
		arrow = strstr(text, "->");
		for (uint32_t i = 0; i < run->node->n_inputs; i++) {
			size_t len = strcspn(term, ",-");

			einsum_term(&sum, term, len, shape_in_dims(run, i));
			term += len + (term[len] == ',');
		}
		if (sum.is_known && sum.rest.rank >= 0)
			to = einsum_output(&sum, arrow);
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

/*
 * Axes come from an attribute or, in newer versions, an input. Without axes: all dimensions, or none if the attribute
 * requests that.
 */
static struct shape_dims reduced(struct shape_run *run)
{
	struct shape_dims from = shape_in_dims(run, 0), to = { .rank = 0 };
	bool is_kept = shape_attr_int(run, "keepdims", 1) != 0, is_given, is_reduced[SHAPE_MAX_RANK] = { false };
	uint32_t n;
	const int64_t *axes = shape_ints(run, "axes", 1, &n, &is_given);

	if (from.rank < 0)
		return from;
	if (!axes && is_given)
		return is_kept ? shape_of_rank(from.rank) : shape_unknown;
	if (!n && shape_attr_int(run, "noop_with_empty_axes", 0))
		return from;
	for (int i = 0; i < from.rank; i++)
		is_reduced[i] = !n;
	for (uint32_t i = 0; i < n; i++) {
		int axis = shape_axis(axes[i], from.rank);

		if (axis < 0)
			return shape_unknown;
		is_reduced[axis] = true;
	}
	for (int i = 0; i < from.rank; i++) {
		if (!is_reduced[i])
			shape_add(&to, from.dim[i]);
		else if (is_kept)
			shape_add(&to, shape_dim(1));
	}
	return to;
}

/* Products and extremes of sizes are sizes again. */
static void reduce_elems(struct shape_run *run)
{
	const struct shape_value *in = shape_in(run, 0);
	struct shape_value *out = run->node->n_outputs ? run->at->outputs[0] : NULL;
	bool is_product = !strcmp(run->node->op_type, "ReduceProd"), is_sum = !strcmp(run->node->op_type, "ReduceSum");
	bool is_max = !strcmp(run->node->op_type, "ReduceMax");
	struct shape_elem *elem;
	int64_t value;

	if (!in || !out || !in->elems || !in->n_elems || in->type.n_dims != 1 || onnx_shape_elements(&out->type) != 1 ||
	    !(is_product || is_sum || is_max) || (in->type.elem != TENSOR_INT64 && in->type.elem != TENSOR_INT32))
		return;
	value = in->elems[0].value;
	for (uint32_t i = 0; i < in->n_elems; i++) {
		if (!in->elems[i].is_known)
			return;
		if (i && (is_product ? __builtin_mul_overflow(value, in->elems[i].value, &value)
			  : is_sum   ? __builtin_add_overflow(value, in->elems[i].value, &value)
				     : 0))
			return;
		if (is_max && in->elems[i].value > value)
			value = in->elems[i].value;
	}
	elem = shape_new_elems(run, 1);
	if (elem && value < INT32_MAX && value > INT32_MIN) {
		*elem = shape_elem(value);
		shape_out_elems(run, 0, elem, 1);
	}
}

void rule_reduce(struct shape_run *run, int arg)
{
	struct shape_dims to = reduced(run);

	shape_out(run, 0, shape_in_elem(run, 0), &to);
	reduce_elems(run);
}

void rule_arg(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = { .rank = 0 };
	int axis = shape_axis(shape_attr_int(run, "axis", 0), from.rank);

	for (int i = 0; i < from.rank; i++) {
		if (i != axis)
			shape_add(&to, from.dim[i]);
		else if (shape_attr_int(run, "keepdims", 1))
			shape_add(&to, shape_dim(1));
	}
	shape_out(run, 0, TENSOR_INT64, axis < 0 ? &shape_unknown : &to);
}

void rule_topk(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);
	int axis = shape_axis(shape_attr_int(run, "axis", -1), to.rank);
	int64_t k = shape_attr_int(run, "k", -1);

	if (axis >= 0) {
		const struct shape_value *value = shape_in(run, 1);

		to.dim[axis] = shape_dim(k);
		if (k < 0 && value && value->elems && value->n_elems)
			to.dim[axis] = shape_dim_of(value->elems[0]);
	}
	shape_out(run, 0, shape_in_elem(run, 0), axis < 0 ? &shape_unknown : &to);
	shape_out(run, 1, TENSOR_INT64, axis < 0 ? &shape_unknown : &to);
}

void rule_det(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);

	to.rank = to.rank >= 2 ? to.rank - 2 : -1;
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}
