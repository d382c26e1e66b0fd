// SPDX-License-Identifier: Apache-2.0
/* Shapes of operators with a sliding window: convolutions, poolings and their reverse. */
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

/* A window, from the attributes, in n spatial dimensions. */
struct window {
	int n;
	int64_t kernel[SHAPE_MAX_RANK]; /* -1: unknown */
	int64_t stride[SHAPE_MAX_RANK], dilation[SHAPE_MAX_RANK], begin[SHAPE_MAX_RANK], end[SHAPE_MAX_RANK];
	bool is_same, is_upper; /* auto_pad */
	bool is_broken;
};

static void copy_ints(const struct shape_run *run, const char *name, int64_t *to, int n, int64_t fallback,
		      struct window *window)
{
	uint32_t n_given;
	const int64_t *given = shape_attr_ints(run, name, &n_given);

	for (int i = 0; i < n; i++)
		to[i] = given && (uint32_t)i < n_given ? given[i] : fallback;
	if (given && n_given && n_given != (uint32_t)n)
		window->is_broken = true;
}

static struct window window_of(const struct shape_run *run, int n)
{
	int64_t pads[2 * SHAPE_MAX_RANK];
	struct window window = { .n = n };

	copy_ints(run, "kernel_shape", window.kernel, n, -1, &window);
	copy_ints(run, "strides", window.stride, n, 1, &window);
	copy_ints(run, "dilations", window.dilation, n, 1, &window);
	copy_ints(run, "pads", pads, 2 * n, 0, &window);
	window.is_upper = shape_attr_is(run, "auto_pad", "SAME_UPPER");
	window.is_same = window.is_upper || shape_attr_is(run, "auto_pad", "SAME_LOWER");
	for (int i = 0; i < n; i++) {
		bool is_valid = shape_attr_is(run, "auto_pad", "VALID");

		window.begin[i] = is_valid ? 0 : pads[i];
		window.end[i] = is_valid ? 0 : pads[n + i];
		if (window.stride[i] <= 0 || window.dilation[i] <= 0 || window.kernel[i] > INT32_MAX ||
		    window.stride[i] > INT32_MAX || window.dilation[i] > INT32_MAX || window.begin[i] > INT32_MAX ||
		    window.end[i] > INT32_MAX || window.begin[i] < INT32_MIN || window.end[i] < INT32_MIN)
			window.is_broken = true;
	}
	return window;
}

/* The number of positions of the window in a dimension. */
static struct onnx_dim slide(const struct window *window, int i, struct onnx_dim from, bool is_ceil)
{
	int64_t extent, room, n;

	if (window->is_same && window->stride[i] == 1)
		return from;
	if (from.value < 0 || from.value > INT64_MAX / 4 || window->is_broken)
		return shape_dim(-1);
	if (window->is_same)
		return shape_dim((from.value + window->stride[i] - 1) / window->stride[i]);
	if (window->kernel[i] < 0)
		return shape_dim(-1);
	extent = (window->kernel[i] - 1) * window->dilation[i] + 1;
	room = from.value + window->begin[i] + window->end[i] - extent;
	if (room < 0)
		return shape_dim(-1);
	n = room / window->stride[i] + 1;
	/* Rounded up, but no window may begin in the padding at the end. */
	if (is_ceil && room % window->stride[i] && n * window->stride[i] < from.value + window->begin[i])
		n++;
	return shape_dim(n);
}

/* The kernel has the weights' spatial dimensions, unless an attribute gives its shape. */
static void kernel_from(struct window *window, const struct shape_dims *weights)
{
	for (int i = 0; i < window->n && weights->rank == window->n + 2; i++) {
		if (window->kernel[i] < 0)
			window->kernel[i] = weights->dim[i + 2].value;
		window->is_broken |= window->kernel[i] > INT32_MAX;
	}
}

/* arg: the index of the weights. QLinearConv has the element type of its zero point, ConvInteger int32. */
void rule_conv(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), weights = shape_in_dims(run, (uint32_t)arg), to;
	uint32_t elem = arg == 3 ? shape_in_elem(run, 7) : shape_in_elem(run, 0);
	struct window window;
	int rank = from.rank >= 0 ? from.rank : weights.rank;

	if (!strcmp(run->node->op_type, "ConvInteger"))
		elem = TENSOR_INT32;
	to = shape_of_rank(rank);
	if (rank >= 2) {
		window = window_of(run, rank - 2);
		kernel_from(&window, &weights);
		to.dim[0] = from.rank >= 0 ? from.dim[0] : shape_dim(-1);
		to.dim[1] = weights.rank > 0 ? weights.dim[0] : shape_dim(-1);
		for (int i = 0; i < rank - 2 && from.rank >= 0; i++)
			to.dim[i + 2] = slide(&window, i, from.dim[i + 2], false);
	}
	shape_out(run, 0, elem, rank < 2 ? &shape_unknown : &to);
}

void rule_deform_conv(struct shape_run *run, int arg)
{
	rule_conv(run, 1);
}

void rule_conv_transpose(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), weights = shape_in_dims(run, 1), to = shape_of_rank(from.rank);
	int64_t more[SHAPE_MAX_RANK], wanted[SHAPE_MAX_RANK], n_groups = shape_attr_int(run, "group", 1);
	struct window window;

	if (from.rank < 2) {
		shape_out(run, 0, shape_in_elem(run, 0), &shape_unknown);
		return;
	}
	window = window_of(run, from.rank - 2);
	kernel_from(&window, &weights);
	copy_ints(run, "output_padding", more, window.n, 0, &window);
	copy_ints(run, "output_shape", wanted, window.n, -1, &window);
	to.dim[0] = from.dim[0];
	if (weights.rank > 1 && weights.dim[1].value >= 0 && n_groups > 0 && n_groups < INT32_MAX &&
	    weights.dim[1].value < INT32_MAX)
		to.dim[1] = shape_dim(weights.dim[1].value * n_groups);
	for (int i = 0; i < window.n; i++) {
		int64_t value = from.dim[i + 2].value;

		if (wanted[i] >= 0)
			to.dim[i + 2] = shape_dim(wanted[i]);
		else if (value < 0 || value > INT32_MAX || window.is_broken || more[i] < 0 || more[i] > INT32_MAX)
			continue;
		else if (window.is_same)
			to.dim[i + 2] = shape_dim(value * window.stride[i]);
		else if (window.kernel[i] >= 0 && value > 0)
			to.dim[i + 2] = shape_dim((value - 1) * window.stride[i] + more[i] +
						  (window.kernel[i] - 1) * window.dilation[i] + 1 - window.begin[i] -
						  window.end[i]);
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

/* arg 1: the element type is that of the output's zero point (com.microsoft). */
void rule_pool(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = from;
	bool is_ceil = shape_attr_int(run, "ceil_mode", 0) != 0, is_last = shape_attr_int(run, "channels_last", 0) != 0;
	struct window window;
	int first = is_last ? 1 : 2;

	if (!strcmp(run->node->op_type, "NhwcMaxPool"))
		first = 1;
	if (from.rank >= 2) {
		window = window_of(run, from.rank - 2);
		for (int i = 0; i < window.n; i++)
			to.dim[i + first] = slide(&window, i, from.dim[i + first], is_ceil);
	}
	shape_out(run, 0, shape_in_elem(run, 0), from.rank < 2 ? &shape_unknown : &to);
	shape_out(run, 1, TENSOR_INT64, from.rank < 2 ? &shape_unknown : &to);
}

void rule_global_pool(struct shape_run *run, int arg)
{
	struct shape_dims to = shape_in_dims(run, 0);
	bool is_last = shape_attr_int(run, "channels_last", 0) != 0;

	for (int i = is_last ? 1 : 2; i < to.rank - is_last; i++)
		to.dim[i] = shape_dim(1);
	shape_out(run, 0, shape_in_elem(run, 0), to.rank < 2 ? &shape_unknown : &to);
}

void rule_unpool(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = shape_of_rank(from.rank);
	struct window window;
	uint32_t n;
	const int64_t *wanted = shape_in_ints(run, 2, &n);

	if (from.rank >= 2) {
		window = window_of(run, from.rank - 2);
		to.dim[0] = from.dim[0];
		to.dim[1] = from.dim[1];
		for (int i = 0; i < window.n && !shape_in(run, 2); i++) {
			if (from.dim[i + 2].value > 0 && from.dim[i + 2].value < INT32_MAX && window.kernel[i] >= 0 &&
			    !window.is_broken)
				to.dim[i + 2] = shape_dim((from.dim[i + 2].value - 1) * window.stride[i] +
							  window.kernel[i] - window.begin[i] - window.end[i]);
		}
		for (int i = 0; wanted && n == (uint32_t)from.rank && i < from.rank; i++)
			to.dim[i] = shape_dim(wanted[i]);
	}
	shape_out(run, 0, shape_in_elem(run, 0), from.rank < 2 ? &shape_unknown : &to);
}

/* Crops: one for each region, of the size in the attributes. */
static void regions(struct shape_run *run, struct onnx_dim height, struct onnx_dim width)
{
	struct shape_dims from = shape_in_dims(run, 0), rois = shape_in_dims(run, 1), to = shape_of_rank(4);

	to.dim[0] = rois.rank > 0 ? rois.dim[0] : shape_dim(-1);
	to.dim[1] = from.rank > 1 ? from.dim[1] : shape_dim(-1);
	to.dim[2] = height;
	to.dim[3] = width;
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}

void rule_roi_align(struct shape_run *run, int arg)
{
	regions(run, shape_dim(shape_attr_int(run, "output_height", 1)),
		shape_dim(shape_attr_int(run, "output_width", 1)));
}

void rule_roi_pool(struct shape_run *run, int arg)
{
	uint32_t n;
	const int64_t *size = shape_attr_ints(run, "pooled_shape", &n);

	regions(run, shape_dim(n == 2 ? size[0] : -1), shape_dim(n == 2 ? size[1] : -1));
}

void rule_col2im(struct shape_run *run, int arg)
{
	struct shape_dims from = shape_in_dims(run, 0), to = shape_unknown;
	uint32_t n_image, n_block;
	const int64_t *image = shape_in_ints(run, 1, &n_image), *block = shape_in_ints(run, 2, &n_block);
	int64_t size = 1;

	for (uint32_t i = 0; block && i < n_block; i++) {
		if (block[i] <= 0 || __builtin_mul_overflow(size, block[i], &size))
			size = 0;
	}
	if (image && from.rank == 3 && n_image <= 8) {
		to = shape_of_rank(2 + (int)n_image);
		to.dim[0] = from.dim[0];
		if (block && size > 0 && from.dim[1].value >= 0 && from.dim[1].value % size == 0)
			to.dim[1] = shape_dim(from.dim[1].value / size);
		for (uint32_t i = 0; i < n_image; i++)
			to.dim[2 + i] = shape_dim(image[i]);
	}
	shape_out(run, 0, shape_in_elem(run, 0), &to);
}
