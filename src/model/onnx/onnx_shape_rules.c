// SPDX-License-Identifier: Apache-2.0
/* The rule of each operator: one row each. For a new operator add a row, and a rule if none of these fits. */
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

struct row {
	const char *op_types; /* separated by spaces */
	shape_rule *rule;
	int arg;
};

static const struct row standard[] = {
	{ "Add Sub Mul Div Mod Pow BitShift BitwiseAnd BitwiseOr BitwiseXor", rule_broadcast },
	{ "And Or Xor Equal Less LessOrEqual Greater GreaterOrEqual", rule_broadcast_bool },
	{ "Max Min Mean Sum", rule_variadic },
	{ "Where", rule_where },
	{ "Expand", rule_expand },
	{ "PRelu", rule_prelu },
	{ "Acos Acosh Asin Asinh Atan Atanh Celu Clip Cos Cosh Elu Erf Exp Gelu HardSigmoid HardSwish Hardmax "
	  "LeakyRelu Log "
	  "LogSoftmax LpNormalization MeanVarianceNormalization Mish Reciprocal Relu Round Selu Shrink Sigmoid Sign "
	  "Sin Sinh "
	  "Softmax Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu Trilu CumSum CumProd InstanceNormalization "
	  "LRN GroupNormalization "
	  "RMSNormalization Scatter ScatterElements ScatterND TensorScatter ReverseSequence BitwiseNot RotaryEmbedding "
	  "Affine "
	  "ImageScaler ParametricSoftplus ScaledTanh SimplifiedLayerNormalization SwiGLU",
	  rule_same },
	{ "Identity Floor Ceil", rule_same, 1 },
	{ "Abs Neg", rule_same, 2 },
	{ "Not IsNaN IsInf", rule_same_bool },
	{ "Dropout", rule_dropout },
	{ "BatchNormalization", rule_batch_norm },
	{ "LayerNormalization", rule_layer_norm },
	{ "Cast", rule_cast },
	{ "CastLike", rule_cast_like },
	{ "BitCast", rule_bit_cast },
	{ "Bernoulli EyeLike RandomNormalLike RandomUniformLike", rule_like_dtype },
	{ "MatMul", rule_matmul },
	{ "MatMulInteger", rule_matmul, 1 },
	{ "QLinearMatMul", rule_matmul, 2 },
	{ "Gemm", rule_gemm },
	{ "Einsum", rule_einsum },
	{ "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
	  "ReduceSumSquare",
	  rule_reduce },
	{ "ArgMax ArgMin", rule_arg },
	{ "TopK", rule_topk },
	{ "Det", rule_det },
	{ "Conv ConvInteger", rule_conv, 1 },
	{ "QLinearConv", rule_conv, 3 },
	{ "ConvTranspose", rule_conv_transpose },
	{ "DeformConv", rule_deform_conv },
	{ "MaxPool AveragePool LpPool", rule_pool },
	{ "GlobalAveragePool GlobalMaxPool GlobalLpPool", rule_global_pool },
	{ "MaxUnpool", rule_unpool },
	{ "RoiAlign", rule_roi_align },
	{ "MaxRoiPool", rule_roi_pool },
	{ "Col2Im", rule_col2im },
	{ "Reshape", rule_reshape },
	{ "Flatten", rule_flatten },
	{ "Squeeze", rule_squeeze },
	{ "Unsqueeze", rule_unsqueeze },
	{ "Transpose", rule_transpose },
	{ "Concat", rule_concat },
	{ "Split", rule_split },
	{ "Tile", rule_tile },
	{ "Pad", rule_pad },
	{ "Resize", rule_resize },
	{ "Upsample", rule_resize, 1 },
	{ "DepthToSpace", rule_depth_to_space },
	{ "SpaceToDepth", rule_space_to_depth },
	{ "CenterCropPad", rule_center_crop_pad },
	{ "Slice", rule_slice },
	{ "Gather", rule_gather },
	{ "GatherElements", rule_gather_elements },
	{ "GatherND", rule_gather_nd },
	{ "Compress", rule_compress },
	{ "NonZero", rule_nonzero },
	{ "Unique", rule_unique },
	{ "OneHot", rule_onehot },
	{ "NonMaxSuppression", rule_nms },
	{ "GridSample", rule_grid_sample },
	{ "AffineGrid", rule_affine_grid },
	{ "Constant", rule_constant },
	{ "ConstantOfShape", rule_constant_of_shape },
	{ "Shape", rule_shape },
	{ "Size", rule_size },
	{ "Range", rule_range },
	{ "RandomNormal RandomUniform", rule_random },
	{ "Multinomial", rule_multinomial },
	{ "HannWindow HammingWindow BlackmanWindow", rule_window },
	{ "DFT", rule_dft },
	{ "STFT", rule_stft },
	{ "MelWeightMatrix", rule_mel },
	{ "RNN GRU LSTM", rule_rnn },
	{ "QuantizeLinear", rule_quantize },
	{ "DequantizeLinear", rule_dequantize },
	{ "DynamicQuantizeLinear", rule_dynamic_quantize },
	{ "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", rule_loss },
	{ "Attention", rule_attention },
	{ "LinearAttention", rule_linear_attention },
	{ "CausalConvWithState", rule_causal_conv },
	{ "ImageDecoder", rule_image_decoder },
	{ "TfIdfVectorizer", rule_tfidf },
	{ "SequenceMap", rule_sequence_map },
	{ "RegexFullMatch", rule_tensor_elem, TENSOR_BOOL },
	{ "StringConcat", rule_broadcast },
	{ "StringNormalizer", rule_string_normalizer },
	{ "StringSplit", rule_string_split },
	{ "If", rule_if },
	{ "Loop", rule_loop },
	{ "Scan", rule_scan },
	{ "SequenceConstruct", rule_sequence_construct },
	{ "SequenceAt", rule_sequence_at },
	{ "SequenceInsert", rule_sequence_same, 1 },
	{ "SequenceErase", rule_sequence_same },
	{ "SequenceEmpty", rule_sequence_empty },
	{ "SequenceLength", rule_sequence_length },
	{ "SplitToSequence", rule_split_to_sequence },
	{ "ConcatFromSequence", rule_concat_from_sequence },
	{ "Optional", rule_optional },
	{ "OptionalGetElement", rule_optional_get },
	{ "OptionalHasElement", rule_optional_has },
};

static const struct row microsoft[] = {
	{ "BiasGelu FastGelu Gelu QuickGelu BiasAdd QLinearLeakyRelu QLinearSigmoid QLinearSoftmax GroupNorm Inverse "
	  "Rfft "
	  "RotaryEmbedding GemmaRotaryEmbedding SkipGroupNorm DynamicTimeWarping BiasSoftmax BiasDropout",
	  rule_same },
	{ "QLinearAdd QLinearMul", rule_broadcast, 3 },
	{ "LayerNormalization SimplifiedLayerNormalization SwiGLU", rule_layer_norm },
	{ "SkipLayerNormalization SkipSimplifiedLayerNormalization", rule_ms_skip_norm },
	{ "EmbedLayerNormalization", rule_ms_embed_norm },
	{ "Attention", rule_ms_attention },
	{ "QAttention", rule_ms_attention, 1 },
	{ "MultiHeadAttention DecoderMaskedMultiHeadAttention", rule_ms_multi_head },
	{ "GroupQueryAttention SparseAttention", rule_ms_group_query },
	{ "FusedConv", rule_conv, 1 },
	{ "FusedGemm", rule_gemm },
	{ "FusedMatMul TransposeMatMul", rule_ms_fused_matmul },
	{ "MatMulNBits MatMulBnb4", rule_ms_nbits },
	{ "QGemm", rule_ms_qgemm },
	{ "QLinearConcat", rule_ms_qconcat },
	{ "DynamicQuantizeMatMul MatMulIntegerToFloat", rule_ms_dynamic_matmul },
	{ "QLinearAveragePool NhwcMaxPool", rule_pool },
	{ "QLinearGlobalAveragePool", rule_global_pool },
	{ "BiasSplitGelu", rule_ms_split_gelu },
	{ "QuantizeLinear", rule_quantize },
	{ "DequantizeLinear", rule_dequantize },
};

static const struct row machine_learning[] = {
	{ "Binarizer Imputer", rule_same },
	{ "Normalizer Scaler", rule_tensor_elem, TENSOR_FLOAT },
	{ "LabelEncoder", rule_label_encoder },
	{ "ArrayFeatureExtractor", rule_array_features },
	{ "LinearRegressor", rule_regressor },
	{ "TreeEnsembleRegressor TreeEnsemble SVMRegressor", rule_regressor },
	{ "LinearClassifier TreeEnsembleClassifier SVMClassifier", rule_classifier },
};

static const struct row preview[] = {
	{ "FlexAttention", rule_attention },
};

/* Optimisers: the new values have the types of the old ones, which follow the rate and the count. */
static const struct row training[] = {
	{ "Adagrad", rule_optimizer, 2 },
	{ "Momentum", rule_optimizer, 2 },
	{ "Adam", rule_optimizer, 3 },
};

static const struct {
	const char *domain;
	const struct row *rows;
	size_t n;
} domains[] = {
	{ "", standard, sizeof standard / sizeof *standard },
	{ "com.microsoft", microsoft, sizeof microsoft / sizeof *microsoft },
	{ "ai.onnx.ml", machine_learning, sizeof machine_learning / sizeof *machine_learning },
	{ "ai.onnx.preview", preview, sizeof preview / sizeof *preview },
	{ "ai.onnx.preview.training", training, sizeof training / sizeof *training },
};

shape_rule *onnx_shape_rule(const char *domain, const char *op_type, int *arg)
{
	for (size_t d = 0; d < sizeof domains / sizeof *domains && *op_type; d++) {
		if (strcmp(domains[d].domain, domain))
			continue;
		for (size_t i = 0; i < domains[d].n; i++) {
			if (!onnx_op_in(domains[d].rows[i].op_types, op_type))
				continue;
			*arg = domains[d].rows[i].arg;
			return domains[d].rows[i].rule;
		}
	}
	return NULL;
}
