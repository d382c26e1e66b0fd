// SPDX-License-Identifier: Apache-2.0
/* Shapes of operators that are whole layers: recurrent nets, quantisation, losses, attention of the standard domain. */
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

/* X is [sequence, batch, input], or with layout 1 [batch, sequence, input]. */
void rule_rnn(struct shape_run *run, int arg)
{
	struct shape_dims x = shape_in_dims(run, 0), y = shape_of_rank(4), last = shape_of_rank(3),
			  r = shape_in_dims(run, 2);
	bool is_batch_first = shape_attr_int(run, "layout", 0) != 0;
	struct onnx_dim n_directions = shape_dim(shape_attr_is(run, "direction", "bidirectional") ? 2 : 1),
			hidden = shape_dim(shape_attr_int(run, "hidden_size", r.rank == 3 ? r.dim[2].value : -1));
	struct onnx_dim length = shape_dim(-1), batch = shape_dim(-1);

	if (x.rank == 3) {
		length = x.dim[is_batch_first];
		batch = x.dim[!is_batch_first];
	}
	y.dim[0] = is_batch_first ? batch : length;
	y.dim[1] = is_batch_first ? length : n_directions;
	y.dim[2] = is_batch_first ? n_directions : batch;
	y.dim[3] = hidden;
	last.dim[0] = is_batch_first ? batch : n_directions;
	last.dim[1] = is_batch_first ? n_directions : batch;
	last.dim[2] = hidden;
	shape_out(run, 0, shape_in_elem(run, 0), &y);
	shape_out(run, 1, shape_in_elem(run, 0), &last);
	shape_out(run, 2, shape_in_elem(run, 0), &last);
}

void rule_quantize(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0);
	int64_t elem = shape_attr_int(run, "output_dtype", 0);

	if (elem <= 0 || elem >= TENSOR_N_TYPES)
		elem = shape_in(run, 2) ? shape_in_elem(run, 2) : TENSOR_UINT8;
	shape_out(run, 0, (uint32_t)elem, &dims);
}

void rule_dequantize(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0);
	int64_t elem = shape_attr_int(run, "output_dtype", 0);

	if (elem <= 0 || elem >= TENSOR_N_TYPES)
		elem = run->opset && run->opset < 19 && !*run->node->domain ? TENSOR_FLOAT : shape_in_elem(run, 1);
	shape_out(run, 0, (uint32_t)elem, &dims);
}

void rule_dynamic_quantize(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0);

	shape_out(run, 0, TENSOR_UINT8, &dims);
	shape_out_scalar(run, 1, TENSOR_FLOAT);
	shape_out_scalar(run, 2, TENSOR_UINT8);
}

/* One number, or with reduction "none" one for each label; the logarithms have the shape of the scores. */
void rule_loss(struct shape_run *run, int arg)
{
	struct shape_dims labels = shape_in_dims(run, 1);

	if (shape_attr_is(run, "reduction", "none"))
		shape_out(run, 0, shape_in_elem(run, 0), &labels);
	else
		shape_out_scalar(run, 0, shape_in_elem(run, 0));
	if (shape_in(run, 0))
		shape_out_type(run, 1, &shape_in(run, 0)->type);
}

/* A dimension divided, or unknown. */
static struct onnx_dim part(struct onnx_dim dim, int64_t n)
{
	return shape_dim(dim.value >= 0 && n > 0 && dim.value % n == 0 ? dim.value / n : -1);
}

static struct onnx_dim sum(struct onnx_dim a, struct onnx_dim b)
{
	int64_t value;

	return shape_dim(a.value < 0 || b.value < 0 || __builtin_add_overflow(a.value, b.value, &value) ? -1 : value);
}

/*
 * Q, K, V of rank 3 ([batch, length, heads x size]) or 4 ([batch, heads, length, size]); past keys precede the new
 * ones.
 */
void rule_attention(struct shape_run *run, int arg)
{
	struct shape_dims q = shape_in_dims(run, 0), k = shape_in_dims(run, 1), v = shape_in_dims(run, 2),
			  past = shape_in_dims(run, 4);
	int64_t q_heads = shape_attr_int(run, "q_num_heads", 0), kv_heads = shape_attr_int(run, "kv_num_heads", 0);
	struct shape_dims y = q, keys = shape_of_rank(4), values = shape_of_rank(4), scores = shape_of_rank(4);
	bool is_flat = q.rank == 3;

	if (q.rank < 3 || k.rank != q.rank || v.rank != q.rank) {
		shape_out(run, 0, shape_in_elem(run, 0), &shape_unknown);
		return;
	}
	keys.dim[0] = k.dim[0];
	keys.dim[1] = is_flat ? shape_dim(kv_heads) : k.dim[1];
	keys.dim[2] = k.dim[is_flat ? 1 : 2];
	keys.dim[3] = is_flat ? part(k.dim[2], kv_heads) : k.dim[3];
	values = keys;
	values.dim[3] = is_flat ? part(v.dim[2], kv_heads) : v.dim[3];
	if (shape_in(run, 4))
		keys.dim[2] = values.dim[2] = past.rank == 4 ? sum(past.dim[2], keys.dim[2]) : shape_dim(-1);
	y.dim[y.rank - 1] = values.dim[3];
	if (is_flat)
		y.dim[2] = shape_dim(values.dim[3].value < 0 || q_heads <= 0 || q_heads > INT32_MAX ||
					     values.dim[3].value > INT32_MAX
					 ? -1
					 : values.dim[3].value * q_heads);
	scores.dim[0] = q.dim[0];
	scores.dim[1] = is_flat ? shape_dim(q_heads) : q.dim[1];
	scores.dim[2] = q.dim[is_flat ? 1 : 2];
	scores.dim[3] = keys.dim[2];
	shape_out(run, 0, shape_in_elem(run, 0), &y);
	shape_out(run, 1, shape_in_elem(run, 1), &keys);
	shape_out(run, 2, shape_in_elem(run, 2), &values);
	shape_out(run, 3, shape_in_elem(run, 0), &scores);
}

/* The shape of the input, with elements of another type (arg). */
void rule_tensor_elem(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0);

	shape_out(run, 0, (uint32_t)arg, &dims);
}

void rule_string_split(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0), parts = dims;

	if (parts.rank >= 0)
		shape_add(&parts, shape_dim(-1));
	shape_out(run, 0, TENSOR_STRING, &parts);
	shape_out(run, 1, TENSOR_INT64, &dims);
}

/* Removed words leave no gap. */
void rule_string_normalizer(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0);

	if (shape_attr(run, "stopwords") && dims.rank > 0)
		dims.dim[dims.rank - 1] = shape_dim(-1);
	shape_out(run, 0, TENSOR_STRING, &dims);
}

/* The bytes stay; elements of another size change the last dimension. */
void rule_bit_cast(struct shape_run *run, int arg)
{
	struct shape_dims dims = shape_in_dims(run, 0);
	int64_t to = shape_attr_int(run, "to", 0);
	uint32_t elem = to > 0 && to < TENSOR_N_TYPES ? (uint32_t)to : 0;

	if (onnx_elem_bits(elem) != onnx_elem_bits(shape_in_elem(run, 0)))
		dims = shape_unknown;
	shape_out(run, 0, elem, &dims);
}
