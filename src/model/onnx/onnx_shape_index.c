// SPDX-License-Identifier: Apache-2.0
/* Shapes of operators that pick elements by position or by value. */
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

/* The part taken from one dimension. */
struct cut {
	bool is_known, has_bounds;
	int64_t start, end, step;
};

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

static struct onnx_dim cut_dim(struct onnx_dim from, struct cut *cut)
{
	int64_t size = from.value, start = cut->start, end = cut->end, n;

	if (!cut->is_known || !cut->step || cut->step == INT64_MIN)
		return shape_dim(-1);
	/* The whole dimension, whatever its size. */
	if (size < 0 && cut->step == 1 && !start && end >= INT32_MAX)
		return from;
	if (size < 0)
		return shape_dim(-1);
	start += start < 0 ? size : 0;
	end += end < 0 ? size : 0;
	if (cut->step > 0) {
		start = clamp(start, 0, size);
		end = clamp(end, 0, size);
		n = end > start ? (end - start - 1) / cut->step + 1 : 0;
	} else {
		start = clamp(start, 0, size - 1);
		end = clamp(end, -1, size - 1);
		n = size && start > end ? (start - end - 1) / -cut->step + 1 : 0;
	}
	cut->start = start;
	cut->has_bounds = true;
	return shape_dim(n);
}

static void slice_elems(struct shape_run *run, const struct cut *cut, struct onnx_dim to)
{
	const struct shape_value *in = shape_in(run, 0);
	struct shape_elem *elems;

	if (!in || !in->elems || !cut->has_bounds || to.value < 0 || to.value > in->n_elems)
		return;
	elems = shape_new_elems(run, (uint32_t)to.value);
	for (int64_t i = 0; elems && i < to.value; i++) {
		int64_t at = cut->start + i * cut->step;

		if (at < 0 || at >= in->n_elems)
			return;
		elems[i] = in->elems[at];
	}
	shape_out_elems(run, 0, elems, (uint32_t)to.value);
}

/* One of the four lists, from an attribute (before version 10) or an input; each element may be unknown. */
static bool slice_list(struct shape_run *run, const char *name, uint32_t input, uint32_t i, int64_t *to)
{
	const struct shape_value *value = shape_in(run, input);
	uint32_t n;
	const int64_t *ints = shape_attr_ints(run, name, &n);

	if (ints)
		return i < n && (*to = ints[i], true);
	if (!value || !value->elems || i >= value->n_elems || !value->elems[i].is_known)
		return false;
	*to = value->elems[i].value;
	return true;
}

static uint32_t slice_count(struct shape_run *run)
{
	const struct shape_value *value = shape_in(run, 1);
	uint32_t n;

	if (shape_attr_ints(run, "starts", &n))
		return n;
	if (value && value->elems)
		return value->n_elems;
	return value && onnx_shape_elements(&value->type) >= 0 && onnx_shape_elements(&value->type) <= SHAPE_MAX_RANK
		   ? (uint32_t)onnx_shape_elements(&value->type)
		   : UINT32_MAX;
}

void rule_slice(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = from;
	uint32_t n = slice_count(run), unused;
	bool has_axes = shape_attr_ints(run, "axes", &unused) || shape_in(run, 3);
	struct cut cut = { 0 };

	if (n > SHAPE_MAX_RANK)
		to = shape_of_rank(from.rank);
	for (uint32_t i = 0; n <= SHAPE_MAX_RANK && i < n && to.rank >= 0; i++) {
		int64_t number = i;
		int axis;

		cut = (struct cut){ .step = 1 };
		if (has_axes && !slice_list(run, "axes", 3, i, &number)) {
			to = shape_of_rank(from.rank);
			break;
		}
		axis = shape_axis(number, from.rank);
		if (axis < 0) {
			to = shape_unknown;
			break;
		}
		cut.is_known = slice_list(run, "starts", 1, i, &cut.start) && slice_list(run, "ends", 2, i, &cut.end) &&
			       (!shape_in(run, 4) || slice_list(run, "steps", 4, i, &cut.step));
		to.dim[axis] = cut_dim(from.dim[axis], &cut);
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
	if (from.rank == 1 && n == 1 && to.rank == 1)
		slice_elems(run, &cut, to.dim[0]);
}

static void gather_elems(struct shape_run *run)
{
	const struct shape_value *in = shape_in(run, 0), *at = shape_in(run, 1);
	struct shape_elem *elems;

	if (!in || !at || !in->elems || !at->elems || in->type.n_dims != 1)
		return;
	elems = shape_new_elems(run, at->n_elems);
	for (uint32_t i = 0; elems && i < at->n_elems; i++) {
		int64_t place = at->elems[i].value;

		if (!at->elems[i].is_known)
			continue;
		place += place < 0 ? in->n_elems : 0;
		if (place >= 0 && place < in->n_elems)
			elems[i] = in->elems[place];
	}
	shape_out_elems(run, 0, elems, at->n_elems);
}

void rule_gather(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), at = shape_in_dims(run, 1), to = { .rank = 0 };
	int axis = shape_axis(shape_attr_int(run, "axis", 0), from.rank);

	for (int i = 0; i < from.rank && axis >= 0; i++) {
		if (i != axis)
			shape_add(&to, from.dim[i]);
		for (int k = 0; k < at.rank && i == axis; k++)
			shape_add(&to, at.dim[k]);
	}
	shape_out(run, 0, shape_in_elem(run, 0), axis < 0 || at.rank < 0 ? &shape_unknown : &to);
	gather_elems(run);
}

void rule_gather_elements(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 1);

	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

void rule_gather_nd(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), at = shape_in_dims(run, 1), to = { .rank = 0 };
	int64_t batch = shape_attr_int(run, "batch_dims", 0), depth = at.rank > 0 ? at.dim[at.rank - 1].value : -1;

	if (from.rank < 0 || depth < 0 || batch < 0 || batch > from.rank || depth > from.rank - batch)
		to = shape_unknown;
	for (int i = 0; i < at.rank - 1 && to.rank >= 0; i++)
		shape_add(&to, at.dim[i]);
	for (int64_t i = batch + depth; i < from.rank && to.rank >= 0; i++)
		shape_add(&to, from.dim[i]);
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

void rule_compress(struct shape_run *run, int arg)
{
	bool has_axis = shape_attr(run, "axis") != NULL;
	struct shape_dims from = shape_in_dims(run, 0), to = has_axis ? from : shape_of_rank(1);
	int axis = has_axis ? shape_axis(shape_attr_int(run, "axis", 0), from.rank) : 0;

	if (axis >= 0 && to.rank > 0)
		to.dim[axis] = shape_dim(-1);
	shape_out(run, 0, shape_in_elem(run, 0), axis < 0 ? &shape_unknown : &to);
}

void rule_nonzero(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_of_rank(2);
	int rank = shape_in_rank(run, 0);
	const struct shape_value *in = shape_in(run, 0);
	int64_t n = 0;

	to.dim[0] = shape_dim(rank);
	for (uint32_t i = 0; in && in->elems && i < in->n_elems && n >= 0; i++)
		n = in->elems[i].is_known ? n + (in->elems[i].value != 0) : -1;
	if (in && in->elems)
		to.dim[1] = shape_dim(n);
	shape_out(run, 0, TENSOR_INT64, &to);
}

void rule_unique(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = shape_of_rank(1), one = shape_of_rank(1);

	if (shape_attr(run, "axis")) {
		int axis = shape_axis(shape_attr_int(run, "axis", 0), from.rank);

		to = axis < 0 ? shape_unknown : from;
		if (axis >= 0)
			to.dim[axis] = shape_dim(-1);
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
	for (uint32_t o = 1; o < run->node->n_outputs; o++)
		shape_out(run, o, TENSOR_INT64, &one);
}

void rule_onehot(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = { .rank = 0 };
	int axis = shape_axis(shape_attr_int(run, "axis", -1), from.rank < 0 ? -1 : from.rank + 1);
	const struct shape_value *depth = shape_in(run, 1);
	int next = 0;

	for (int i = 0; axis >= 0 && i <= from.rank; i++) {
		if (i != axis)
			shape_add(&to, from.dim[next++]);
		else
			shape_add(&to, depth && depth->elems && depth->n_elems ? shape_dim_of(depth->elems[0])
									       : shape_dim(-1));
	}
	shape_out(run, 0, shape_in_elem(run, 2), axis < 0 ? &shape_unknown : &to);
}

void rule_nms(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_of_rank(2);

	to.dim[1] = shape_dim(3);
	shape_out(run, 0, TENSOR_INT64, &to);
}

/* The grid gives all dimensions except batch and channels. */
void rule_grid_sample(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), grid = shape_in_dims(run, 1), to = { .rank = 0 };

	if (from.rank < 2 || grid.rank != from.rank)
		to = shape_unknown;
	for (int i = 0; i < from.rank && to.rank >= 0; i++)
		shape_add(&to, i < 2 ? from.dim[i] : grid.dim[i - 1]);
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

void rule_affine_grid(struct shape_run *run, int arg)
{
	const struct shape_value *size = shape_in(run, 1);
	struct shape_dims to = { .rank = 0 };

	if (!size || !size->elems || (size->n_elems != 4 && size->n_elems != 5))
		to = shape_unknown;
	for (uint32_t i = 0; to.rank >= 0 && i < size->n_elems; i++) {
		if (i != 1)
			shape_add(&to, shape_dim_of(size->elems[i]));
	}
	if (to.rank >= 0)
		shape_add(&to, shape_dim(to.rank - 1));
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}
