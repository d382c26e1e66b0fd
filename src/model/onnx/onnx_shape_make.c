// SPDX-License-Identifier: Apache-2.0
/* Shapes of operators that make tensors: constants, ranges, shapes, random numbers, windows and spectra of signals. */
#include <math.h>
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

static void constant_tensor(struct shape_run *run, const struct onnx_tensor *tensor)
{
	struct shape_dims dims = { .rank = 0 };

	for (uint32_t i = 0; i < tensor->n_dims; i++)
		shape_add(&dims, shape_dim(tensor->dims[i]));
	shape_out(run, 0, tensor->elem, &dims);
	if (run->node->n_outputs && run->at->outputs[0]) {
		shape_out_elems(run, 0, shape_tensor_elems(run->engine, tensor), (uint32_t)tensor->n_elements);
		run->at->outputs[0]->tensor = tensor;
	}
}

/* Numbers in an attribute. */
static void constant_list(struct shape_run *run, uint32_t elem, uint32_t n, const int64_t *ints, const float *floats,
			  bool is_scalar)
{
	struct shape_dims dims = { .rank = is_scalar ? 0 : 1, .dim = { shape_dim(n) } };
	struct shape_elem *elems = n <= SHAPE_MAX_ELEMS ? shape_new_elems(run, n) : NULL;
	bool is_whole = true;

	shape_out(run, 0, elem, &dims);
	for (uint32_t i = 0; elems && i < n; i++) {
		if (floats)
			is_whole &= floats[i] > -1e6f && floats[i] < 1e6f && floats[i] == floorf(floats[i]);
		if (is_whole)
			elems[i] = shape_elem(ints ? ints[i] : (int64_t)floats[i]);
	}
	if (is_whole && (ints || floats))
		shape_out_elems(run, 0, elems, n);
}

void rule_constant(struct shape_run *run, int arg)
{
	const struct onnx_attr *attr;
	struct shape_dims dims = { .rank = 0 };

	if ((attr = shape_attr(run, "value")) && attr->tensors)
		constant_tensor(run, attr->tensors);
	else if ((attr = shape_attr(run, "value_int")) && attr->type == ONNX_ATTR_INT)
		constant_list(run, TENSOR_INT64, 1, &attr->i, NULL, true);
	else if ((attr = shape_attr(run, "value_ints")) && attr->type == ONNX_ATTR_INTS)
		constant_list(run, TENSOR_INT64, attr->n, attr->ints, NULL, false);
	else if ((attr = shape_attr(run, "value_float")) && attr->type == ONNX_ATTR_FLOAT)
		constant_list(run, TENSOR_FLOAT, 1, NULL, &attr->f, true);
	else if ((attr = shape_attr(run, "value_floats")) && attr->type == ONNX_ATTR_FLOATS)
		constant_list(run, TENSOR_FLOAT, attr->n, NULL, attr->floats, false);
	else if ((attr = shape_attr(run, "value_string")))
		shape_out(run, 0, TENSOR_STRING, &dims);
	else if ((attr = shape_attr(run, "value_strings")) && attr->type == ONNX_ATTR_STRINGS) {
		shape_add(&dims, shape_dim(attr->n));
		shape_out(run, 0, TENSOR_STRING, &dims);
	} else if ((attr = shape_attr(run, "sparse_value")) && attr->sparse) {
		for (uint32_t i = 0; i < attr->sparse->n_dims; i++)
			shape_add(&dims, shape_dim(attr->sparse->dims[i]));
		shape_out(run, 0, attr->sparse->values.elem, &dims);
	}
}

/* A shape from the elements of an input. */
static struct shape_dims dims_from(struct shape_run *run, uint32_t input)
{
	const struct shape_value *shape = shape_in(run, input);
	struct shape_dims own = shape_in_dims(run, input), to = { .rank = 0 };

	if (shape && shape->elems && shape->n_elems <= SHAPE_MAX_RANK) {
		for (uint32_t i = 0; i < shape->n_elems; i++)
			shape_add(&to, shape_dim_of(shape->elems[i]));
		return to;
	}
	return own.rank == 1 && own.dim[0].value >= 0 && own.dim[0].value <= SHAPE_MAX_RANK
		   ? shape_of_rank((int)own.dim[0].value)
		   : shape_unknown;
}

void rule_constant_of_shape(struct shape_run *run, int arg)
{
	const struct onnx_attr *attr = shape_attr(run, "value");
	const struct onnx_tensor *tensor = attr && attr->tensors ? attr->tensors : NULL;
	struct shape_dims to = dims_from(run, 0);
	struct shape_value *out = run->node->n_outputs ? run->at->outputs[0] : NULL;
	const struct shape_elem *one = tensor ? shape_tensor_elems(run->engine, tensor) : NULL;
	struct shape_elem *elems, zero = shape_elem(0);
	int64_t n;

	shape_out(run, 0, tensor ? tensor->elem : TENSOR_FLOAT, &to);
	n = out ? onnx_shape_elements(&out->type) : -1;
	if (n < 0 || n > SHAPE_MAX_ELEMS || (tensor && (!one || tensor->n_elements != 1)))
		return;
	elems = shape_new_elems(run, (uint32_t)n);
	for (int64_t i = 0; elems && i < n; i++)
		elems[i] = one ? *one : zero;
	shape_out_elems(run, 0, elems, (uint32_t)n);
}

void rule_shape(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = shape_of_rank(1);
	int64_t start = shape_attr_int(run, "start", 0), end = shape_attr_int(run, "end", INT64_MAX), n = 0;
	struct shape_elem *elems;

	if (from.rank >= 0) {
		start += start < 0 ? from.rank : 0;
		end += end < 0 ? from.rank : 0;
		start = start < 0 ? 0 : start > from.rank ? from.rank : start;
		end = end < 0 ? 0 : end > from.rank ? from.rank : end;
		n = end > start ? end - start : 0;
		to.dim[0] = shape_dim(n);
	}
	shape_out(run, 0, TENSOR_INT64, &to);
	if (from.rank < 0)
		return;
	elems = shape_new_elems(run, (uint32_t)n);
	for (int64_t i = 0; elems && i < n; i++)
		elems[i] = shape_elem_of(from.dim[start + i]);
	shape_out_elems(run, 0, elems, (uint32_t)n);
}

void rule_size(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0);
	struct shape_elem *elem = shape_new_elems(run, 1);

	shape_out_scalar(run, 0, TENSOR_INT64);
	if (from.rank < 0 || !elem)
		return;
	*elem = shape_elem_of(shape_product(from.dim, (uint32_t)from.rank));
	shape_out_elems(run, 0, elem, 1);
}

/* One of the three numbers of a Range. */
static bool range_number(struct shape_run *run, uint32_t input, double *to)
{
	int64_t whole;

	*to = 0;
	if (shape_in_floats(run, input, to, 1) > 0)
		return true;
	if (!shape_in_int(run, input, &whole))
		return false;
	*to = (double)whole;
	return true;
}

void rule_range(struct shape_run *run, int arg)
{
	double start, limit, delta, n = -1;
	struct shape_dims to = shape_of_rank(1);
	struct shape_elem *elems;

	if (range_number(run, 0, &start) && range_number(run, 1, &limit) && range_number(run, 2, &delta) &&
	    (delta < 0 || delta > 0)) {
		n = ceil((limit - start) / delta);
		n = n < 0 ? 0 : n;
	}
	if (!(n >= 0 && n < 1e15))
		n = -1;
	to.dim[0] = shape_dim((int64_t)n);
	shape_out(run, 0, shape_in_elem(run, 0), &to);
	if (n < 0 || n > SHAPE_MAX_ELEMS || start != floor(start) || delta != floor(delta) ||
	    fabs(start) + n * fabs(delta) > 1e15)
		return;
	elems = shape_new_elems(run, (uint32_t)n);
	for (int i = 0; elems && i < n; i++)
		elems[i] = shape_elem((int64_t)(start + i * delta));
	shape_out_elems(run, 0, elems, (uint32_t)n);
}

static uint32_t elem_attr(struct shape_run *run, const char *name, uint32_t fallback)
{
	int64_t elem = shape_attr_int(run, name, fallback);

	return elem > 0 && elem < TENSOR_N_TYPES ? (uint32_t)elem : 0;
}

void rule_random(struct shape_run *run, int arg)
{
	uint32_t n;
	const int64_t *shape = shape_attr_ints(run, "shape", &n);
	struct shape_dims to = { .rank = 0 };

	for (uint32_t i = 0; i < n; i++)
		shape_add(&to, shape_dim(shape[i]));
	shape_out(run, 0, elem_attr(run, "dtype", TENSOR_FLOAT), shape ? &to : &shape_unknown);
}

void rule_multinomial(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = shape_of_rank(2);

	to.dim[0] = from.rank > 0 ? from.dim[0] : shape_dim(-1);
	to.dim[1] = shape_dim(shape_attr_int(run, "sample_size", 1));
	shape_out(run, 0, elem_attr(run, "dtype", TENSOR_INT32), &to);
}

void rule_window(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_of_rank(1);
	int64_t size;

	if (shape_in_int(run, 0, &size))
		to.dim[0] = shape_dim(size);
	shape_out(run, 0, elem_attr(run, "output_datatype", TENSOR_FLOAT), &to);
}

/* The dimension becomes the length of the transform, or half of it; the last one holds real and imaginary parts. */
void rule_dft(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);
	int64_t number = shape_attr_int(run, "axis", 1), length = -1;
	bool is_one_sided = shape_attr_int(run, "onesided", 0) != 0,
	     is_inverse = shape_attr_int(run, "inverse", 0) != 0;
	bool is_known = !shape_in(run, 1) || shape_in_int(run, 1, &length);
	int axis;

	if (run->opset >= 20 && !shape_attr(run, "axis")) {
		number = -2;
		if (shape_in(run, 2) && !shape_in_int(run, 2, &number))
			to = shape_of_rank(to.rank > 0 ? to.rank : -1);
	}
	axis = shape_axis(number, to.rank);
	if (to.rank >= 2 && axis >= 0) {
		int64_t size = length >= 0 ? length : to.dim[axis].value;

		if (length >= 0 || !is_known)
			to.dim[axis] = shape_dim(is_known ? length : -1);
		if (is_one_sided && is_inverse)
			to.dim[axis] = shape_dim(length >= 0 ? length : -1);
		else if (is_one_sided)
			to.dim[axis] = shape_dim(is_known && size >= 0 ? size / 2 + 1 : -1);
		to.dim[to.rank - 1] = shape_dim(is_one_sided && is_inverse ? 1 : 2);
	}
	shape_out(run, 0, shape_in_elem(run, 0), to.rank >= 2 && axis >= 0 ? &to : &shape_unknown);
}

void rule_stft(struct shape_run *run, int arg)
{
	struct shape_dims signal = shape_in_dims(run, 0), window = shape_in_dims(run, 2), to = shape_of_rank(4);
	bool is_one_sided = shape_attr_int(run, "onesided", 1) != 0;
	int64_t step = -1, frame = -1;

	if (window.rank == 1)
		frame = window.dim[0].value;
	if (shape_in(run, 3) && !shape_in_int(run, 3, &frame))
		frame = -1;
	to.dim[0] = signal.rank > 0 ? signal.dim[0] : shape_dim(-1);
	to.dim[3] = shape_dim(2);
	if (frame > 0)
		to.dim[2] = shape_dim(is_one_sided ? frame / 2 + 1 : frame);
	if (frame > 0 && shape_in_int(run, 1, &step) && step > 0 && signal.rank > 1 && signal.dim[1].value >= frame)
		to.dim[1] = shape_dim((signal.dim[1].value - frame) / step + 1);
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

void rule_mel(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_of_rank(2);
	int64_t n_bins, length;

	if (shape_in_int(run, 1, &length) && length >= 0)
		to.dim[0] = shape_dim(length / 2 + 1);
	if (shape_in_int(run, 0, &n_bins))
		to.dim[1] = shape_dim(n_bins);
	shape_out(run, 0, elem_attr(run, "output_datatype", TENSOR_FLOAT), &to);
}
