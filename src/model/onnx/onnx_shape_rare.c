// SPDX-License-Identifier: Apache-2.0
/*
 * Shapes of operators that few models have: classical machine learning, training, texts and pictures, and the newest
 * ones.
 */
#include "model/onnx/onnx_shape_in.h"

/* Q [batch, length, heads x size]; the state is [batch, heads, size of keys, size of values]. */
void rule_linear_attention(struct shape_run *run, int arg)
{
	struct shape_dims q = shape_in_dims(run, 0), k = shape_in_dims(run, 1), v = shape_in_dims(run, 2), to = q,
			  state = shape_of_rank(4);
	int64_t q_heads = shape_attr_int(run, "q_num_heads", 0), kv_heads = shape_attr_int(run, "kv_num_heads", 0);
	int64_t sizes[2] = { -1, -1 };

	for (int i = 0; i < 2; i++) {
		const struct shape_dims *from = i ? &v : &k;

		if (from->rank == 3 && kv_heads > 0 && from->dim[2].value >= 0 && from->dim[2].value % kv_heads == 0)
			sizes[i] = from->dim[2].value / kv_heads;
	}
	if (q.rank == 3) {
		state.dim[0] = q.dim[0];
		to.dim[2] = shape_dim(sizes[1] < 0 || sizes[1] > INT32_MAX || q_heads <= 0 || q_heads > INT32_MAX
					  ? -1
					  : sizes[1] * q_heads);
	}
	state.dim[1] = shape_dim(kv_heads > 0 ? kv_heads : -1);
	state.dim[2] = shape_dim(sizes[0]);
	state.dim[3] = shape_dim(sizes[1]);
	shape_out(run, 0, shape_in_elem(run, 0), q.rank == 3 ? &to : &shape_unknown);
	shape_out(run, 1, shape_in(run, 3) ? shape_in_elem(run, 3) : shape_in_elem(run, 0), &state);
}

/* The state holds the previous positions inside the window: one less than its width. */
void rule_causal_conv(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0), weights = shape_in_dims(run, 1), state = to;

	if (state.rank == 3)
		state.dim[2] = shape_dim(weights.rank == 3 && weights.dim[2].value > 0 ? weights.dim[2].value - 1 : -1);
	shape_out(run, 0, shape_in_elem(run, 0), &to);
	shape_out(run, 1, shape_in_elem(run, 0), state.rank == 3 ? &state : &shape_unknown);
}

void rule_image_decoder(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_of_rank(3);

	to.dim[2] = shape_dim(shape_attr_is(run, "pixel_format", "Grayscale") ? 1 : 3);
	shape_out(run, 0, TENSOR_UINT8, &to);
}

/* As wide as the largest index requires. */
void rule_tfidf(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);
	uint32_t n;
	const int64_t *indexes = shape_attr_ints(run, "ngram_indexes", &n);
	int64_t most = -1;

	for (uint32_t i = 0; i < n; i++)
		most = indexes[i] > most && indexes[i] < INT32_MAX ? indexes[i] : most;
	if (to.rank > 0)
		to.dim[to.rank - 1] = shape_dim(most < 0 ? -1 : most + 1);
	shape_out(run, 0, TENSOR_FLOAT, to.rank > 0 ? &to : &shape_unknown);
}

/* The values have the kind of the attribute that holds them. */
void rule_label_encoder(struct shape_run *run, int arg)
{
	static const struct {
		const char *attribute;
		uint32_t elem;
	} values[] = { { "values_int64s", TENSOR_INT64 },
		       { "values_floats", TENSOR_FLOAT },
		       { "values_strings", TENSOR_STRING } };
	struct shape_dims dims = shape_in_dims(run, 0);
	const struct onnx_attr *tensor = shape_attr(run, "values_tensor");
	uint32_t elem = tensor && tensor->tensors ? tensor->tensors->elem : 0;

	for (int i = 0; i < 3 && !elem; i++)
		elem = shape_attr(run, values[i].attribute) ? values[i].elem : 0;
	shape_out(run, 0, elem, &dims);
}

void rule_array_features(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0), which = shape_in_dims(run, 1);

	if (to.rank == 1) {
		to.rank = 2;
		to.dim[0] = shape_dim(1);
	}
	if (to.rank > 0)
		to.dim[to.rank - 1] = which.rank >= 0 ? shape_product(which.dim, (uint32_t)which.rank) : shape_dim(-1);
	shape_out(run, 0, shape_in_elem(run, 0), to.rank > 0 ? &to : &shape_unknown);
}

/* One row per input row, one number per target. */
void rule_regressor(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = shape_of_rank(2);
	int64_t n = shape_attr_int(run, "n_targets", shape_attr_int(run, "targets", 1));
	bool is_double = shape_in_elem(run, 0) == TENSOR_DOUBLE && run->opset >= 5;

	to.dim[0] = from.rank == 2 ? from.dim[0] : shape_dim(from.rank == 1 ? 1 : -1);
	to.dim[1] = shape_dim(n);
	shape_out(run, 0, is_double ? TENSOR_DOUBLE : TENSOR_FLOAT, &to);
}

/* The class of each row, and the scores of all classes. */
void rule_classifier(struct shape_run *run, int arg)
{
	static const char *const names[] = { "classlabels_ints", "classlabels_int64s", "classlabels_strings" };
	struct shape_dims from = shape_in_dims(run, 0), labels = shape_of_rank(1), scores = shape_of_rank(2);
	bool is_text = shape_attr(run, "classlabels_strings") != NULL;

	labels.dim[0] = scores.dim[0] = from.rank == 2 ? from.dim[0] : shape_dim(from.rank == 1 ? 1 : -1);
	for (int i = 0; i < 3; i++) {
		const struct onnx_attr *attr = shape_attr(run, names[i]);

		/* With one or two labels, runtimes differ. */
		if (attr && (attr->ints || attr->strings) && attr->n > 2)
			scores.dim[1] = shape_dim(attr->n);
	}
	shape_out(run, 0, is_text ? TENSOR_STRING : TENSOR_INT64, &labels);
	shape_out(run, 1, TENSOR_FLOAT, &scores);
}

/* Rate and count, then all values, all gradients, and all states, of which there are arg - 1. */
void rule_optimizer(struct shape_run *run, int arg)
{
	uint32_t n = run->node->n_inputs > 2 ? (run->node->n_inputs - 2) / (uint32_t)(arg + 1) : 0;

	for (uint32_t o = 0; n && o < run->node->n_outputs; o++) {
		/* Gradients have no new value. */
		uint32_t i = 2 + o + (o >= n ? n : 0);

		if (shape_in(run, i))
			shape_out_type(run, o, &shape_in(run, i)->type);
	}
}
