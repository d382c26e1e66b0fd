// SPDX-License-Identifier: Apache-2.0
/* Shapes of operators of the domain com.microsoft, most of them fused ones, in models made for ONNX Runtime. */
#include "model/onnx/onnx_shape_in.h"

/* Output 3 is the sum of input and skip, of the input's type. */
void rule_ms_skip_norm(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0), rows = dims;

	shape_out(run, 0, shape_in_elem(run, 0), &dims);
	if (rows.rank > 0)
		rows.dim[rows.rank - 1] = shape_dim(1);
	shape_out(run, 1, TENSOR_FLOAT, &rows);
	shape_out(run, 2, TENSOR_FLOAT, &rows);
	shape_out(run, 3, shape_in_elem(run, 0), &dims);
}

/* [batch, sequence] of words -> [batch, sequence, hidden], and the sums of the mask. */
void rule_ms_embed_norm(struct shape_run *run, int arg)
{
	struct shape_dims ids = shape_in_dims(run, 0), table = shape_in_dims(run, 2), to = shape_of_rank(3),
			  batch = shape_of_rank(1);

	if (ids.rank == 2) {
		to.dim[0] = batch.dim[0] = ids.dim[0];
		to.dim[1] = ids.dim[1];
	}
	if (table.rank == 2)
		to.dim[2] = table.dim[1];
	shape_out(run, 0, shape_in_elem(run, 2), &to);
	shape_out(run, 1, TENSOR_INT32, &batch);
	shape_out(run, 2, shape_in_elem(run, 2), &to);
}

/*
 * One matrix for Q, K and V: the bias is three times as long as a row of the output. arg 1: QAttention, where the scale
 * has the output's type.
 */
void rule_ms_attention(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0), weights = shape_in_dims(run, 1);
	uint32_t n, elem = arg == 1 ? shape_in_elem(run, 3) : shape_in_elem(run, 0);
	const int64_t *sizes = shape_attr_ints(run, "qkv_hidden_sizes", &n);

	if (to.rank != 3) {
		shape_out(run, 0, elem, &shape_unknown);
		return;
	}
	to.dim[2] = shape_dim(-1);
	if (n == 3)
		to.dim[2] = shape_dim(sizes[2]);
	else if (weights.rank == 2 && weights.dim[1].value >= 0)
		to.dim[2] = shape_dim(weights.dim[1].value / 3);
	shape_out(run, 0, elem, &to);
}

/* Query [batch, sequence, hidden]; or Q, K and V packed together, with five dimensions. */
void rule_ms_multi_head(struct shape_run *run, int arg)
{
	struct shape_dims query = shape_in_dims(run, 0), value = shape_in_dims(run, 2), to = query;

	if (query.rank == 3 && shape_in(run, 2)) {
		to.dim[2] = value.rank == 3 ? value.dim[2] : shape_dim(-1);
	} else if (query.rank == 5) {
		int64_t size = query.dim[4].value;

		to.rank = 3;
		to.dim[2] =
		    shape_dim(query.dim[2].value < 0 || size < 0 || size > INT32_MAX || query.dim[2].value > INT32_MAX
				  ? -1
				  : query.dim[2].value * size);
	} else if (query.rank != 3) {
		to = shape_unknown;
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

/* Keys and values so far: [batch, heads, length, size]. Their length is only known at run time. */
static void out_present(struct shape_run *run, uint32_t past, struct onnx_dim batch, int64_t n_heads, int64_t size)
{
	for (uint32_t i = 0; i < 2; i++) {
		struct shape_dims before = shape_in_dims(run, past + i), to = shape_of_rank(4);

		to.dim[0] = batch;
		to.dim[1] = shape_dim(n_heads > 0 ? n_heads : -1);
		to.dim[3] = before.rank == 4 ? before.dim[3] : shape_dim(size);
		shape_out(run, 1 + i, shape_in_elem(run, 0), &to);
	}
}

void rule_ms_group_query(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);
	int64_t n_q = shape_attr_int(run, "num_heads", 0), n_kv = shape_attr_int(run, "kv_num_heads", 0), n_all = n_q,
		size = -1;

	/* Without keys, the query holds keys and values, too. */
	if (n_q > 0 && n_kv > 0 && n_q < INT32_MAX && n_kv < INT32_MAX) {
		n_all = shape_in(run, 1) ? n_q : n_q + 2 * n_kv;
		if (to.rank == 3 && to.dim[2].value >= 0 && to.dim[2].value % n_all == 0)
			size = to.dim[2].value / n_all;
	}
	if (to.rank == 3 && !shape_in(run, 1))
		to.dim[2] = shape_dim(size < 0 || size > INT32_MAX ? -1 : size * n_q);
	shape_out(run, 0, shape_in_elem(run, 0), &to);
	out_present(run, 3, to.rank == 3 ? to.dim[0] : shape_dim(-1), n_kv, size);
}

/* Weights of few bits, in blocks: [..., K] -> [..., N]. */
void rule_ms_nbits(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);

	if (to.rank > 0)
		to.dim[to.rank - 1] = shape_dim(shape_attr_int(run, "N", -1));
	shape_out(run, 0, shape_in_elem(run, 0), to.rank > 0 ? &to : &shape_unknown);
}

/* A, its scale and zero point, B, ...: Y has the type of its zero point, or is float32. */
void rule_ms_qgemm(struct shape_run *run, int arg)
{
	struct shape_dims a = shape_in_dims(run, 0), b = shape_in_dims(run, 3), to = shape_of_rank(2);

	if (a.rank == 2)
		to.dim[0] = a.dim[shape_attr_int(run, "transA", 0) != 0];
	if (b.rank == 2)
		to.dim[1] = b.dim[!shape_attr_int(run, "transB", 0)];
	shape_out(run, 0, shape_in(run, 8) ? shape_in_elem(run, 8) : TENSOR_FLOAT, &to);
}

/* Scale and zero point of the output, then three inputs for each part. */
void rule_ms_qconcat(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 2);
	int axis = shape_axis(shape_attr_int(run, "axis", 0), to.rank);

	for (uint32_t i = 5; i < run->node->n_inputs && axis >= 0; i += 3) {
		struct shape_dims other = shape_in_dims(run, i);
		int64_t sum;

		if (other.rank != to.rank)
			axis = -1;
		else if (to.dim[axis].value < 0 || other.dim[axis].value < 0 ||
			 __builtin_add_overflow(to.dim[axis].value, other.dim[axis].value, &sum))
			to.dim[axis] = shape_dim(-1);
		else
			to.dim[axis] = shape_dim(sum);
	}
	shape_out(run, 0, shape_in_elem(run, 1), axis < 0 ? &shape_unknown : &to);
}

/* Whole-number products whose result is scaled to float32. */
void rule_ms_dynamic_matmul(struct shape_run *run, int arg)
{
	rule_matmul(run, 0);
	if (run->node->n_outputs && run->at->outputs[0])
		run->at->outputs[0]->type.elem = TENSOR_FLOAT;
}

void rule_ms_split_gelu(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);

	if (to.rank > 0)
		to.dim[to.rank - 1] = shape_dim(to.dim[to.rank - 1].value < 0 ? -1 : to.dim[to.rank - 1].value / 2);
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}
