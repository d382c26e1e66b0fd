// SPDX-License-Identifier: Apache-2.0
/* The number of operations of each operator, from the shapes of its inputs and outputs: one row each. */
#include <ctype.h>
#include <string.h>

#include "model/onnx/onnx_cost.h"

struct run {
	const struct shape_scope *scope;
	const struct shape_node *at;
};

typedef double flops_of(const struct run *run, double arg);

struct row {
	const char *op_types; /* separated by spaces */
	flops_of *count;
	double arg;
	const char *rule;
	enum cost_moves moves;
};

static const struct onnx_type *in(const struct run *run, uint32_t i)
{
	return i < run->at->node->n_inputs && run->at->inputs[i] ? &run->at->inputs[i]->type : NULL;
}

static const struct onnx_type *out(const struct run *run, uint32_t o)
{
	return o < run->at->node->n_outputs && run->at->outputs[o] ? &run->at->outputs[o]->type : NULL;
}

static double elements(const struct onnx_type *type)
{
	int64_t n = type ? onnx_shape_elements(type) : -1;

	return n < 0 ? NAN : (double)n;
}

/* A dimension; a negative index counts from the end. */
static double dim(const struct onnx_type *type, int i)
{
	if (!type || !type->has_shape)
		return NAN;
	i += i < 0 ? (int)type->n_dims : 0;
	return i < 0 || (uint32_t)i >= type->n_dims || type->dims[i].value < 0 ? NAN : (double)type->dims[i].value;
}

static int64_t attr_int(const struct run *run, const char *name, int64_t fallback)
{
	const struct onnx_attr *attr = onnx_shape_attr(run->scope, run->at->node, name);

	return attr && attr->type == ONNX_ATTR_INT ? attr->i : fallback;
}

static bool attr_is(const struct run *run, const char *name, const char *value)
{
	const struct onnx_attr *attr = onnx_shape_attr(run->scope, run->at->node, name);

	return attr && attr->type == ONNX_ATTR_STRING && attr->strings[0].size == strlen(value) &&
	       !memcmp(attr->strings[0].data, value, attr->strings[0].size);
}

static double count_none(const struct run *run, double arg)
{
	return 0;
}

static double count_outputs(const struct run *run, double each)
{
	return each * elements(out(run, 0));
}

static double count_inputs(const struct run *run, double each)
{
	return each * elements(in(run, 0));
}

static double count_variadic(const struct run *run, double arg)
{
	uint32_t n = run->at->node->n_inputs;

	return (n ? n - 1 : 0) * elements(out(run, 0));
}

/* arg: the index of the second matrix. */
static double count_matmul(const struct run *run, double arg)
{
	const struct onnx_type *a = in(run, 0);
	bool is_turned = attr_int(run, "transA", 0) && a && a->n_dims > 1;

	return 2 * elements(out(run, 0)) * dim(a, is_turned ? -2 : -1);
}

static double count_gemm(const struct run *run, double c)
{
	double n = elements(out(run, 0));

	return 2 * n * dim(in(run, 0), attr_int(run, "transA", 0) ? 0 : 1) + (in(run, (uint32_t)c) ? n : 0);
}

static double count_nbits(const struct run *run, double arg)
{
	return 2 * elements(out(run, 0)) * (double)attr_int(run, "K", 0);
}

/* arg: the index of the weights [out, in / group, kernel...]; the bias follows them, or (QLinearConv) is at 8. */
static double count_conv(const struct run *run, double weights)
{
	double n = elements(out(run, 0)), out_channels = dim(in(run, (uint32_t)weights), 0);
	double each = elements(in(run, (uint32_t)weights)) / out_channels;
	bool has_bias = in(run, weights == 3 ? 8 : 2) && strcmp(run->at->node->op_type, "ConvInteger");

	return out_channels == 0 ? 0 : 2 * n * each + (has_bias ? n : 0);
}

/* Each input is multiplied with each of its weights [in, out / group, kernel...]. */
static double count_conv_transpose(const struct run *run, double arg)
{
	double in_channels = dim(in(run, 1), 0), each = elements(in(run, 1)) / in_channels;

	return in_channels == 0 ? 0 : 2 * elements(in(run, 0)) * each + (in(run, 2) ? elements(out(run, 0)) : 0);
}

static double count_pool(const struct run *run, double arg)
{
	const struct onnx_attr *kernel = onnx_shape_attr(run->scope, run->at->node, "kernel_shape");
	double n = elements(out(run, 0));

	if (!kernel || kernel->type != ONNX_ATTR_INTS)
		return NAN;
	for (uint32_t i = 0; i < kernel->n; i++)
		n *= (double)kernel->ints[i];
	return n;
}

static double count_lrn(const struct run *run, double arg)
{
	return elements(out(run, 0)) * (2 * (double)attr_int(run, "size", 1) + 3);
}

/* arg: gates. Weights W [directions, gates x hidden, input] and R [directions, gates x hidden, hidden] for every word.
 */
static double count_recurrent(const struct run *run, double gates)
{
	double words = dim(in(run, 0), 0) * dim(in(run, 0), 1);

	return 2 * words * (elements(in(run, 1)) + elements(in(run, 2)));
}

/* The product of all letters' dimensions; times two when inputs are multiplied. */
static double count_einsum(const struct run *run, double arg)
{
	const struct onnx_attr *attr = onnx_shape_attr(run->scope, run->at->node, "equation");
	double letter[128], n = 1;
	uint32_t input = 0;
	int place = 0;

	for (int c = 0; c < 128; c++)
		letter[c] = 1;
	if (!attr || attr->type != ONNX_ATTR_STRING || memchr(attr->strings[0].data, '.', attr->strings[0].size))
		return NAN;
	for (size_t i = 0; i < attr->strings[0].size; i++) {
		unsigned char c = attr->strings[0].data[i];

		if (c == '-')
			break;
		if (c == ',') {
			input++;
			place = 0;
		} else if (c < 128 && isalpha(c)) {
			letter[c] = fmax(letter[c], dim(in(run, input), place++));
			if (isnan(dim(in(run, input), place - 1)))
				n = NAN;
		}
	}
	for (int c = 0; c < 128; c++)
		n *= letter[c];
	return run->at->node->n_inputs > 1 ? 2 * (run->at->node->n_inputs - 1) * n : n;
}

/* arg: neighbours in each spatial dimension. */
static double count_resize(const struct run *run, double neighbours)
{
	const struct onnx_type *type = out(run, 0);

	/* neighbours: used without the attribute */
	if (attr_is(run, "mode", "nearest"))
		neighbours = 0;
	else if (attr_is(run, "mode", "linear") || attr_is(run, "mode", "bilinear"))
		neighbours = 2;
	else if (attr_is(run, "mode", "cubic") || attr_is(run, "mode", "bicubic"))
		neighbours = 4;

	if (!neighbours)
		return 0;
	return type && type->has_shape ? 2 * elements(type) * pow(neighbours, type->n_dims > 2 ? type->n_dims - 2 : 1)
				       : NAN;
}

/* Scores and their product with the values: 2 x batch x queries x keys x (width of keys + width of values). */
static double count_attention(const struct run *run, double arg)
{
	const struct onnx_type *q = in(run, 0), *k = in(run, 1);
	bool is_flat = q && q->n_dims == 3;
	double queries = dim(q, is_flat ? 1 : 2), keys = dim(k, is_flat ? 1 : 2);

	if (in(run, 4))
		keys += dim(in(run, 4), 2);
	return queries > 0 ? 2 * keys * (elements(q) + elements(out(run, 0))) : queries;
}

static double count_ms_multi_head(const struct run *run, double arg)
{
	double keys = in(run, 1) ? dim(in(run, 1), -2) : dim(in(run, 0), 1);

	/* Keys may be [batch, length, hidden] or [batch, heads, length, size]; packed ones have five dimensions. */
	if (in(run, 1) && in(run, 1)->n_dims == 5)
		keys = dim(in(run, 1), 1);
	if (in(run, 6))
		keys += dim(in(run, 6), 2);
	return 4 * keys * elements(out(run, 0));
}

/* As many keys as its output of keys has. */
static double count_ms_group_query(const struct run *run, double arg)
{
	return 4 * dim(out(run, 1), 2) * elements(out(run, 0));
}

/* Projection of Q, K and V by one matrix, then attention. */
static double count_ms_attention(const struct run *run, double past)
{
	double rows = dim(in(run, 0), 0) * dim(in(run, 0), 1), keys = dim(in(run, 0), 1);

	if (in(run, (uint32_t)past))
		keys += dim(in(run, (uint32_t)past), 3);
	return 2 * rows * elements(in(run, 1)) + 4 * keys * elements(out(run, 0));
}

static double count_labels(const struct run *run, double each)
{
	return each * elements(in(run, 1));
}

static double count_causal_conv(const struct run *run, double arg)
{
	double n = elements(out(run, 0));

	return 2 * n * dim(in(run, 1), 2) + (in(run, 2) ? n : 0);
}

/* The state [batch, heads, keys, values] for each step of the sequence. */
static double count_linear_attention(const struct run *run, double arg)
{
	return 4 * dim(in(run, 0), 1) * elements(out(run, 1));
}

static const char multiply_add[] = "2 for each multiply-add";
static const char one_each[] = "1 for each element of the output, whatever the function";
static const char moves_only[] = "none: it only moves data";
static const char same_bytes[] = "none: it only changes the shape";
static const char inside[] = "none itself: the operators inside are counted";
static const char normalise[] = "8 for each element: mean 1, deviation 3, normalise 2, scale and shift 2";

static const struct row rows[] = {
	{ "Conv FusedConv ConvInteger DeformConv NhwcFusedConv", count_conv, 1, multiply_add },
	{ "QLinearConv", count_conv, 3, multiply_add },
	{ "ConvTranspose", count_conv_transpose, 0, multiply_add },
	{ "MatMul MatMulInteger QLinearMatMul FusedMatMul TransposeMatMul DynamicQuantizeMatMul MatMulIntegerToFloat",
	  count_matmul, 1, multiply_add },
	{ "Gemm FusedGemm", count_gemm, 2, multiply_add },
	{ "QGemm", count_gemm, 6, multiply_add },
	{ "MatMulNBits MatMulBnb4", count_nbits, 0, multiply_add },
	{ "Einsum", count_einsum, 0, multiply_add },
	{ "RNN", count_recurrent, 1, "2 for each multiply-add with a weight" },
	{ "GRU", count_recurrent, 3, "2 for each multiply-add with a weight" },
	{ "LSTM", count_recurrent, 4, "2 for each multiply-add with a weight" },
	{ "Attention", count_attention, 0, multiply_add },
	{ "MultiHeadAttention", count_ms_multi_head, 0, multiply_add },
	{ "GroupQueryAttention", count_ms_group_query, 0, multiply_add },
	{ "QAttention", count_ms_attention, 8, multiply_add },
	{ "Add Sub Mul Div Mod Pow BitShift BitwiseAnd BitwiseOr BitwiseXor BitwiseNot And Or Xor Not Equal Less "
	  "LessOrEqual Greater "
	  "GreaterOrEqual Where PRelu Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Clip Cos Cosh Elu Erf Exp Floor "
	  "Gelu HardSigmoid "
	  "HardSwish LeakyRelu Log Mish Neg Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign "
	  "Sqrt Swish Tan "
	  "Tanh ThresholdedRelu IsNaN IsInf CumSum CumProd FastGelu QuickGelu BiasAdd Cast CastLike",
	  count_outputs, 1, one_each },
	{ "BiasGelu QLinearAdd QLinearMul QLinearLeakyRelu QLinearSigmoid BiasSplitGelu QuantizeLinear "
	  "DequantizeLinear BatchNormalization",
	  count_outputs, 2, "2 for each element of the output" },
	{ "Max Min Sum Mean", count_variadic, 0, "1 for each element of the output and each input but one" },
	{ "Softmax LogSoftmax Hardmax QLinearSoftmax", count_outputs, 5,
	  "5 for each element: largest, difference, exponential, sum, division" },
	{ "LayerNormalization InstanceNormalization GroupNormalization MeanVarianceNormalization GroupNorm",
	  count_outputs, 8, normalise },
	{ "SkipLayerNormalization SkipGroupNorm", count_outputs, 9,
	  "9 for each element: the sum 1, its normalisation 8" },
	{ "RMSNormalization SimplifiedLayerNormalization LpNormalization", count_outputs, 4,
	  "4 for each element: squares and their sum 2, normalise 1, scale 1" },
	{ "SkipSimplifiedLayerNormalization", count_outputs, 5, "5 for each element: the sum 1, its normalisation 4" },
	{ "RotaryEmbedding", count_outputs, 3, "3 for each element: two products and a sum" },
	{ "DynamicQuantizeLinear", count_outputs, 4, "4 for each element: smallest, largest, scale, round" },
	{ "LRN", count_lrn, 0, "2 for each neighbour and 3 for each element" },
	{ "ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceLogSum ReduceLogSumExp ArgMax ArgMin "
	  "GlobalAveragePool GlobalMaxPool "
	  "QLinearGlobalAveragePool",
	  count_inputs, 1, "1 for each element of the input" },
	{ "ReduceL1 ReduceL2 ReduceSumSquare GlobalLpPool", count_inputs, 2, "2 for each element of the input" },
	{ "MaxPool AveragePool LpPool QLinearAveragePool NhwcMaxPool", count_pool, 0,
	  "1 for each place of the window and each output" },
	{ "Resize Upsample", count_resize, 0, "2 for each neighbour that goes into an output" },
	{ "GridSample", count_resize, 2, "2 for each neighbour that goes into an output" },
	{ "CausalConvWithState", count_causal_conv, 0, multiply_add },
	{ "LinearAttention", count_linear_attention, 0,
	  "4 for each element of the state and each step: its update and its product" },
	{ "SwiGLU", count_outputs, 3, "3 for each element: sigmoid, two products" },
	{ "FlexAttention", count_attention, 0, multiply_add },
	{ "TopK Unique", count_inputs, 1, "1 for each element of the input: a comparison" },
	{ "NegativeLogLikelihoodLoss", count_labels, 2, "2 for each label" },
	{ "SoftmaxCrossEntropyLoss", count_inputs, 5,
	  "5 for each score: largest, difference, exponential, sum, logarithm" },
	{ "EmbedLayerNormalization", count_outputs, 10, "10 for each element: sums 2, normalisation 8", COST_PICKED },
	{ "Reshape Flatten Squeeze Unsqueeze Identity Dropout BitCast Optional OptionalGetElement OptionalHasElement "
	  "SequenceConstruct SequenceAt "
	  "SequenceInsert SequenceErase SequenceEmpty SequenceLength",
	  count_none, 0, same_bytes, COST_NOTHING },
	{ "If Loop Scan SequenceMap", count_none, 0, inside, COST_NOTHING },
	{ "Shape Size ConstantOfShape Constant Range EyeLike", count_none, 0, moves_only, COST_OUTPUTS },
	{ "Gather GatherElements GatherND Slice", count_none, 0, moves_only, COST_PICKED },
	{ "Transpose Concat Split Expand Tile Pad DepthToSpace SpaceToDepth ScatterND ScatterElements Scatter "
	  "TensorScatter OneHot Trilu "
	  "ReverseSequence CenterCropPad QLinearConcat MaxUnpool Compress NonZero SplitToSequence ConcatFromSequence "
	  "Col2Im",
	  count_none, 0, moves_only },
};

/* Operators of com.microsoft whose name means another operator in the standard domain. */
static const struct row microsoft[] = {
	{ "Attention", count_ms_attention, 4, multiply_add },
};

static const struct row *row_of(const struct onnx_node *node)
{
	bool is_microsoft = !strcmp(node->domain, "com.microsoft"),
	     is_preview = !strcmp(node->domain, "ai.onnx.preview");

	if ((*node->domain && !is_microsoft && !is_preview) || !*node->op_type)
		return NULL;
	for (size_t i = 0; is_microsoft && i < sizeof microsoft / sizeof *microsoft; i++) {
		if (onnx_op_in(microsoft[i].op_types, node->op_type))
			return &microsoft[i];
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (onnx_op_in(rows[i].op_types, node->op_type))
			return &rows[i];
	}
	return NULL;
}

double onnx_cost_flops(const struct shape_scope *scope, const struct shape_node *node, const char **rule,
		       enum cost_moves *moves)
{
	struct run run = { .scope = scope, .at = node };
	const struct row *row = node->function ? NULL : row_of(node->node);
	double flops;

	*rule = node->function ? inside : row ? row->rule : NULL;
	*moves = node->function ? COST_NOTHING : row ? row->moves : COST_ALL;
	if (node->function)
		return 0;
	flops = row ? row->count(&run, row->arg) : NAN;
	/* negative: an attribute with an invalid window or size */
	return flops < 0 ? NAN : flops;
}
