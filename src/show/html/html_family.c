// SPDX-License-Identifier: Apache-2.0
/* Families of operator types, which have a colour each: those of the page of view (web/src/colours.ts). */
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "show/html/html_model.h"

enum family {
	QUANTIZATION,
	ATTENTION,
	CONVOLUTION,
	MATRICES,
	NORMALIZATION,
	REDUCTION,
	ACTIVATION,
	MOVEMENT,
	ELEMENTS
};

static const char *const names[HTML_FAMILIES] = {
	"quantization",	      "attention",  "convolution",   "matrix product", "normalization",
	"pooling, reduction", "activation", "data movement", "elementwise",    "other",
};

/* The first rule that has a part of the type's name, in small letters and without underscores. */
static const struct {
	enum family family;
	const char *parts[28]; /* ^: at its beginning alone; =: the whole of it */
} rules[] = {
	/* words that contain others */
	{ MOVEMENT, { "^convert", "bilinear", "trilinear", "upsample", "interpol" } },
	{ QUANTIZATION, { "quant", "qlinear", "integer" } },
	{ ATTENTION, { "attention", "attn" } },
	{ CONVOLUTION, { "conv" } },
	{ MATRICES,
	  { "matmul",	      "mulmat",	      "gemm",	     "einsum",	     "^lstm",	    "^gru",    "^rnn", "linear",
	    "fullyconnected", "innerproduct", "outprod",     "addmm",	     "addmv",	    "addbmm",  "=mm",  "=mv",
	    "=bmm",	      "=dot",	      "^mmbackward", "^bmmbackward", "^mvbackward", "^baddbmm" } },
	{ NORMALIZATION, { "norm", "^lrn", "^mvn", "=rms" } },
	{ REDUCTION,
	  { "pool", "^reduce", "argm", "argsort", "topk", "cumsum", "nonmax", "loss", "entropy", "=sumrows",
	    "=sort" } },
	{ ACTIVATION,
	  { "relu", "sigmoid", "softmax", "^elu", "^selu", "tanh", "gelu", "swish", "softplus", "mish", "^erf", "silu",
	    "^clip", "^clamp", "swiglu", "geglu", "=glu", "^threshold", "=logistic" } },
	{ MOVEMENT, { "reshape",  "transpose", "concat", "split",  "slice",    "gather",       "scatter",
		      "squeeze",  "flatten",   "expand", "tile",   "pad",      "shape",	       "cast",
		      "identity", "copy",      "memcpy", "resize", "constant", "depthtospace", "spacetodepth",
		      "reorder",  "range",     "onehot", "where",  "nonzero",  "compress",     "strided" } },
	{ MOVEMENT,
	  { "getrows", "setrows", "^view",   "permute", "^cont", "=cpy",  "^cat",	"stack",    "=pack",  "=unpack",
	    "narrow",  "select",  "^repeat", "im2col",	"index", "^roll", "^embed",	"^empty",   "^zeros", "^ones",
	    "=zero",   "^full",	  "^fill",   "=t",	"=to",	 "size",  "^tbackward", "broadcast" } },
	{ ELEMENTS, { "^add", "^sub", "^mul",	"^div",	 "^pow",   "^sq",	  "^exp",     "^log",  "^abs", "^neg",
		      "^min", "^max", "^floor", "^ceil", "^round", "^equal",	  "^greater", "^less", "^and", "^or",
		      "^not", "^sum", "^mean",	"^sin",	 "^cos",   "^reciprocal", "^sign",    "^mod" } },
	{ ELEMENTS,
	  { "^rsqrt", "^rsub", "^scale", "^rope", "^rotary", "^fused", "eltwise", "elementwise", "^accumulate", "^lerp",
	    "=subgraph" } },
};

/*
 * "aten::_log_softmax" and "LOG_SOFTMAX" are "logsoftmax": what runtimes write before a name, and between its words,
 * says nothing of the work.
 */
static void plain(const char *type, char *text, size_t size)
{
	static const char evaluates[] = "autograd::engine::evaluate_function: ";
	size_t n = 0, len;

	if (!strncmp(type, evaluates, sizeof evaluates - 1))
		type += sizeof evaluates - 1;
	while ((len = strspn(type, "abcdefghijklmnopqrstuvwxyz_")) && !strncmp(type + len, "::", 2))
		type += len + 2;
	for (; *type && n + 1 < size; type++)
		if (*type != '_')
			text[n++] = (char)tolower((unsigned char)*type);
	text[n] = 0;
}

static bool has_part(const char *text, const char *part)
{
	if (*part == '=')
		return !strcmp(text, part + 1);
	return *part == '^' ? !strncmp(text, part + 1, strlen(part + 1)) : strstr(text, part) != NULL;
}

uint32_t html_family(const char *op_type)
{
	char text[128] = "";

	if (op_type)
		plain(op_type, text, sizeof text);
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		for (size_t k = 0; k < sizeof rules[i].parts / sizeof *rules[i].parts && rules[i].parts[k]; k++)
			if (has_part(text, rules[i].parts[k]))
				return rules[i].family;
	return HTML_FAMILIES - 1;
}

const char *html_family_name(uint32_t family)
{
	return names[family];
}
