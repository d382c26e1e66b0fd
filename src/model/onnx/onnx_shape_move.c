// SPDX-License-Identifier: Apache-2.0
/* Shapes of operators that move elements or change dimensions. */
#include <math.h>
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

/* Keeps the input's elements in order, with another shape. */
static void keep_elems(struct shape_run *run)
{
	const struct shape_value *in = shape_in(run, 0);

	if (in && in->elems)
		shape_out_elems(run, 0, in->elems, in->n_elems);
}

/* The -1 dimension of a Reshape: what is left of the product. */
static struct onnx_dim rest_of(const struct shape_dims *from, const struct shape_dims *to, int rest)
{
	bool is_used[SHAPE_MAX_RANK] = { false };
	struct onnx_dim left = { .value = 1 }, made = { .value = 1 };
	struct shape_dims other = { .rank = 0 };

	if (from->rank < 0)
		return shape_dim(-1);
	/* A free dimension on both sides cancels out. */
	for (int i = 0; i < to->rank; i++) {
		bool is_found = false;

		if (i == rest)
			continue;
		for (int k = 0; k < from->rank && to->dim[i].value < 0 && !is_found; k++) {
			if (!is_used[k] && shape_dim_is_same(to->dim[i], from->dim[k]))
				is_found = is_used[k] = true;
		}
		if (is_found)
			continue;
		if (to->dim[i].value < 0 || __builtin_mul_overflow(made.value, to->dim[i].value, &made.value))
			return shape_dim(-1);
	}
	for (int i = 0; i < from->rank; i++) {
		if (!is_used[i])
			shape_add(&other, from->dim[i]);
	}
	left = shape_product(other.dim, (uint32_t)other.rank);
	if (made.value == 1)
		return left;
	return left.value < 0 || !made.value || left.value % made.value ? shape_dim(-1)
									: shape_dim(left.value / made.value);
}

static struct shape_dims reshaped(struct shape_run *run, const struct shape_elem *wanted, uint32_t n)
{
	struct shape_dims from = shape_in_dims(run, 0), to = { .rank = 0 };
	bool is_zero = shape_attr_int(run, "allowzero", 0) != 0;
	int rest = -1;

	for (uint32_t i = 0; i < n; i++) {
		struct onnx_dim dim = shape_dim_of(wanted[i]);

		if (wanted[i].is_known && wanted[i].value == -1)
			rest = to.rank;
		else if (wanted[i].is_known && !wanted[i].value && !is_zero)
			dim = from.rank > (int)i ? from.dim[i] : shape_dim(-1);
		shape_add(&to, dim);
	}
	if (rest >= 0 && to.rank > rest)
		to.dim[rest] = rest_of(&from, &to, rest);
	return to;
}

void rule_reshape(struct shape_run *run, int arg)
{
	const struct shape_value *shape = shape_in(run, 1);
	struct shape_dims to = shape_unknown, rank = shape_in_dims(run, 1);
	uint32_t n;
	const int64_t *old = shape_attr_ints(run, "shape", &n);
	struct shape_elem elems[SHAPE_MAX_RANK];

	if (shape && shape->elems && shape->n_elems <= SHAPE_MAX_RANK) {
		to = reshaped(run, shape->elems, shape->n_elems);
	} else if (old && n <= SHAPE_MAX_RANK) {
		for (uint32_t i = 0; i < n; i++)
			elems[i] = shape_elem(old[i]);
		to = reshaped(run, elems, n);
	} else if (rank.rank == 1 && rank.dim[0].value >= 0 && rank.dim[0].value <= SHAPE_MAX_RANK) {
		to = shape_of_rank((int)rank.dim[0].value);
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
	keep_elems(run);
}

void rule_flatten(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = shape_of_rank(2);
	int64_t axis = shape_attr_int(run, "axis", 1);

	axis += axis < 0 ? from.rank : 0;
	if (from.rank >= 0 && axis >= 0 && axis <= from.rank) {
		to.dim[0] = shape_product(from.dim, (uint32_t)axis);
		to.dim[1] = shape_product(from.dim + axis, (uint32_t)(from.rank - axis));
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
	keep_elems(run);
}

void rule_squeeze(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = { .rank = 0 };
	bool is_given, is_out[SHAPE_MAX_RANK] = { false };
	uint32_t n;
	const int64_t *axes = shape_ints(run, "axes", 1, &n, &is_given);

	for (uint32_t i = 0; i < n && from.rank >= 0; i++) {
		int axis = shape_axis(axes[i], from.rank);

		if (axis < 0)
			from.rank = -1;
		else
			is_out[axis] = true;
	}
	if (is_given && !axes)
		from.rank = -1;
	for (int i = 0; i < from.rank; i++) {
		if (!is_given && from.dim[i].value < 0)
			from.rank = -1;
		else if (!is_given ? from.dim[i].value != 1 : !is_out[i])
			shape_add(&to, from.dim[i]);
	}
	shape_out(run, 0, shape_in_elem(run, 0), from.rank < 0 ? &shape_unknown : &to);
	keep_elems(run);
}

void rule_unsqueeze(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = { .rank = 0 };
	bool is_given, is_new[2 * SHAPE_MAX_RANK] = { false };
	uint32_t n;
	const int64_t *axes = shape_ints(run, "axes", 1, &n, &is_given);
	int rank = !axes || from.rank < 0 || n > SHAPE_MAX_RANK ? -1 : from.rank + (int)n, next = 0;

	for (uint32_t i = 0; i < n && rank >= 0; i++) {
		int axis = shape_axis(axes[i], rank);

		if (axis < 0 || is_new[axis])
			rank = -1;
		else
			is_new[axis] = true;
	}
	for (int i = 0; i < rank; i++)
		shape_add(&to, is_new[i] ? shape_dim(1) : from.dim[next++]);
	shape_out(run, 0, shape_in_elem(run, 0), rank < 0 ? &shape_unknown : &to);
	keep_elems(run);
}

void rule_transpose(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = shape_of_rank(from.rank);
	uint32_t n;
	const int64_t *order = shape_attr_ints(run, "perm", &n);

	for (int i = 0; i < from.rank && to.rank >= 0; i++) {
		int source = order ? (uint32_t)i < n ? shape_axis(order[i], from.rank) : -1 : from.rank - 1 - i;

		if (source < 0 || (order && n != (uint32_t)from.rank))
			to.rank = -1;
		else
			to.dim[i] = from.dim[source];
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
	if (from.rank == 1)
		keep_elems(run);
}

static void concat_elems(struct shape_run *run)
{
	struct shape_elem *elems;
	uint32_t n = 0;

	for (uint32_t i = 0; i < run->node->n_inputs; i++) {
		const struct shape_value *in = shape_in(run, i);

		/* Unknown elements take up positions as well. */
		int64_t own = in ? in->elems ? in->n_elems : onnx_shape_elements(&in->type) : -1;

		if (own < 0 || own > SHAPE_MAX_ELEMS || shape_in_rank(run, i) != 1 ||
		    (n += (uint32_t)own) > SHAPE_MAX_ELEMS)
			return;
	}
	elems = shape_new_elems(run, n);
	n = 0;
	for (uint32_t i = 0; elems && i < run->node->n_inputs; i++) {
		const struct shape_value *in = shape_in(run, i);

		if (in->elems)
			memcpy(elems + n, in->elems, in->n_elems * sizeof *elems);
		n += in->elems ? in->n_elems : (uint32_t)onnx_shape_elements(&in->type);
	}
	shape_out_elems(run, 0, elems, n);
}

void rule_concat(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);
	int axis = shape_axis(shape_attr_int(run, "axis", 1), to.rank);
	bool differ = false;

	for (uint32_t i = 1; i < run->node->n_inputs && axis >= 0; i++) {
		struct shape_dims other = shape_in_dims(run, i);

		if (other.rank != to.rank) {
			axis = -1;
			break;
		}
		for (int d = 0; d < to.rank; d++) {
			int64_t sum;

			if (d != axis)
				to.dim[d] = shape_dim_merge(to.dim[d], other.dim[d], &differ);
			else if (to.dim[d].value < 0 || other.dim[d].value < 0 ||
				 __builtin_add_overflow(to.dim[d].value, other.dim[d].value, &sum))
				to.dim[d] = shape_dim(-1);
			else
				to.dim[d].value = sum;
		}
	}
	shape_out(run, 0, shape_in_elem(run, 0), axis < 0 ? &shape_unknown : &to);
	if (to.rank == 1)
		concat_elems(run);
}

/* Equal parts, one for each output, unless their sizes are given. */
void rule_split(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0);
	int axis = shape_axis(shape_attr_int(run, "axis", 0), from.rank);
	bool is_given;
	uint32_t n, n_outputs = run->node->n_outputs, n_parts = (uint32_t)shape_attr_int(run, "num_outputs", n_outputs);
	const int64_t *sizes = shape_ints(run, "split", 1, &n, &is_given);
	const struct shape_value *in = shape_in(run, 0);
	int64_t total = axis < 0 ? -1 : from.dim[axis].value, at = 0;

	/* Larger numbers cannot be sizes, and would overflow below. */
	total = total > (int64_t)1 << 40 ? -1 : total;
	for (uint32_t o = 0; o < n_outputs; o++) {
		struct shape_dims to = axis < 0 ? shape_unknown : from;
		int64_t part = -1, size = n_parts && total >= 0 ? (total + n_parts - 1) / n_parts : -1;

		if (sizes)
			part = o < n ? sizes[o] : -1;
		else if (!is_given && size >= 0)
			part = o >= n_parts || total < size * o ? 0 : total - size * o < size ? total - size * o : size;
		if (axis >= 0)
			to.dim[axis] = n_outputs == 1 && !sizes ? from.dim[axis] : shape_dim(part);
		shape_out(run, o, shape_in_elem(run, 0), &to);
		if (in && in->elems && from.rank == 1 && part >= 0 && part <= in->n_elems && at + part <= in->n_elems)
			shape_out_elems(run, o, in->elems + at, (uint32_t)part);
		at = part < 0 || part > INT32_MAX || at > INT32_MAX ? INT32_MAX : at + part;
	}
}

void rule_tile(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);
	const struct shape_value *times = shape_in(run, 1);
	bool is_known = times && times->elems && to.rank >= 0 && times->n_elems == (uint32_t)to.rank;

	for (int i = 0; i < to.rank; i++) {
		struct onnx_dim both[2] = { to.dim[i], is_known ? shape_dim_of(times->elems[i]) : shape_dim(-1) };

		to.dim[i] = shape_product(both, 2);
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

void rule_pad(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);
	bool is_given;
	uint32_t n, n_axes;
	const int64_t *pads = shape_ints(run, "pads", 1, &n, &is_given), *axes = shape_in_ints(run, 3, &n_axes);

	if (!pads) /* before version 2 */
		pads = shape_attr_ints(run, "paddings", &n);
	if (!shape_in(run, 3))
		n_axes = to.rank < 0 ? 0 : (uint32_t)to.rank;
	if (to.rank >= 0 && (!pads || n != 2 * n_axes || (shape_in(run, 3) && !axes)))
		to = shape_of_rank(to.rank);
	for (uint32_t i = 0; i < n_axes && to.rank >= 0 && pads && n == 2 * n_axes; i++) {
		int axis = shape_axis(axes ? axes[i] : i, to.rank);
		int64_t more, sum;

		if (axis < 0) {
			to = shape_unknown;
		} else if (__builtin_add_overflow(pads[i], pads[n_axes + i], &more) || more) {
			bool is_broken =
			    to.dim[axis].value < 0 || __builtin_add_overflow(to.dim[axis].value, more, &sum);

			to.dim[axis] = shape_dim(is_broken ? -1 : sum);
		}
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

/* rounding: 0 down, 0.5 to the nearest */
static int64_t scaled(int64_t size, double scale, double rounding)
{
	double to = floor((double)size * scale + rounding);

	return size < 0 || !(to >= 0) || to > 9e15 ? -1 : (int64_t)to;
}

/* Sizes that keep the proportions: all axes are scaled by the smallest or the largest of the factors. */
static double common_scale(const struct shape_dims *from, const int64_t *sizes, const int *axis, uint32_t n,
			   bool is_larger)
{
	double scale = NAN;

	for (uint32_t i = 0; i < n; i++) {
		double own = from->dim[axis[i]].value > 0 ? (double)sizes[i] / (double)from->dim[axis[i]].value : NAN;

		if (isnan(own))
			return NAN;
		if (isnan(scale) || (is_larger ? own > scale : own < scale))
			scale = own;
	}
	return scale;
}

/* Resize and its predecessor Upsample: factors or sizes, for all or some axes. */
void rule_resize(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = shape_of_rank(from.rank);
	uint32_t place = arg == 1 || run->opset == 10 ? 1 : 2, n_axes, n_sizes;
	const int64_t *axes = shape_attr_ints(run, "axes", &n_axes), *sizes = shape_in_ints(run, 3, &n_sizes);
	const struct onnx_attr *attr = arg == 1 ? shape_attr(run, "scales") : NULL;
	bool is_larger = shape_attr_is(run, "keep_aspect_ratio_policy", "not_larger"),
	     is_smaller = shape_attr_is(run, "keep_aspect_ratio_policy", "not_smaller");
	double scales[SHAPE_MAX_RANK], common;
	int64_t n_scales = shape_in_floats(run, place, scales, SHAPE_MAX_RANK);
	int axis[SHAPE_MAX_RANK];

	n_axes = axes ? n_axes : from.rank < 0 ? 0 : (uint32_t)from.rank;
	for (uint32_t i = 0; attr && attr->floats && i < attr->n && i < SHAPE_MAX_RANK; i++, n_scales = i)
		scales[i] = (double)attr->floats[i];
	for (int i = 0; axes && i < from.rank; i++)
		to.dim[i] = from.dim[i];
	for (uint32_t i = 0; i < n_axes && from.rank >= 0; i++) {
		axis[i] = n_axes <= (uint32_t)from.rank ? shape_axis(axes ? axes[i] : i, from.rank) : -1;
		if (axis[i] < 0)
			from.rank = -1;
		else
			to.dim[axis[i]] = shape_dim(-1);
	}
	common = sizes && n_sizes == n_axes && from.rank >= 0 && (is_larger || is_smaller)
		     ? common_scale(&from, sizes, axis, n_axes, is_smaller)
		     : NAN;
	for (uint32_t i = 0; i < n_axes && from.rank >= 0; i++) {
		int64_t size = from.dim[axis[i]].value;

		if (sizes && n_sizes == n_axes && (is_larger || is_smaller))
			to.dim[axis[i]] = shape_dim(scaled(size, common, 0.5));
		else if (sizes && n_sizes == n_axes)
			to.dim[axis[i]] = shape_dim(sizes[i]);
		else if (!shape_in(run, 3) && n_scales == n_axes && scales[i] == 1)
			to.dim[axis[i]] = from.dim[axis[i]];
		else if (!shape_in(run, 3) && n_scales == n_axes)
			to.dim[axis[i]] = shape_dim(scaled(size, scales[i], 0));
	}
	shape_out(run, 0, shape_in_elem(run, 0), from.rank < 0 ? &shape_unknown : &to);
}

void rule_depth_to_space(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);
	int64_t block = shape_attr_int(run, "blocksize", 0);

	if (to.rank == 4 && block > 0 && block < 1 << 20) {
		to.dim[1] = shape_dim(to.dim[1].value < 0 ? -1 : to.dim[1].value / (block * block));
		for (int i = 2; i < 4; i++)
			to.dim[i] = shape_dim(
			    to.dim[i].value < 0 || to.dim[i].value > INT32_MAX ? -1 : to.dim[i].value * block);
	}
	shape_out(run, 0, shape_in_elem(run, 0), to.rank == 4 && block > 0 ? &to : &shape_unknown);
}

void rule_space_to_depth(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);
	int64_t block = shape_attr_int(run, "blocksize", 0);

	if (to.rank == 4 && block > 0 && block < 1 << 15) {
		to.dim[1] = shape_dim(
		    to.dim[1].value < 0 || to.dim[1].value > INT32_MAX ? -1 : to.dim[1].value * block * block);
		for (int i = 2; i < 4; i++)
			to.dim[i] = shape_dim(to.dim[i].value < 0 ? -1 : to.dim[i].value / block);
	}
	shape_out(run, 0, shape_in_elem(run, 0), to.rank == 4 && block > 0 ? &to : &shape_unknown);
}

void rule_center_crop_pad(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);
	uint32_t n, n_axes;
	const int64_t *sizes = shape_in_ints(run, 1, &n), *axes = shape_attr_ints(run, "axes", &n_axes);

	n_axes = axes ? n_axes : to.rank < 0 ? 0 : (uint32_t)to.rank;
	for (uint32_t i = 0; i < n_axes && to.rank >= 0; i++) {
		int axis = shape_axis(axes ? axes[i] : i, to.rank);

		if (axis < 0)
			to.rank = -1;
		else
			to.dim[axis] = shape_dim(sizes && n == n_axes ? sizes[i] : -1);
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}
