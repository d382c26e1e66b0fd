// SPDX-License-Identifier: Apache-2.0
/* Families of operator types, which have a colour each: those of the page of view (web/src/colours.ts). */
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "show/html/html_model.h"

/* The first family that has a part of the type's name; the last one has none. */
static const struct {
	const char *name;
	const char *parts[12]; /* ^: at its beginning alone */
} families[HTML_FAMILIES] = {
	{ "quantisation", { "quant", "qlinear", "integer" } },
	{ "attention", { "attention" } },
	{ "convolution", { "conv" } },
	{ "matrix product", { "matmul", "gemm", "einsum", "^lstm", "^gru", "^rnn", "linear" } },
	{ "normalisation", { "norm", "^lrn" } },
	{ "pooling, reduction", { "pool", "^reduce", "argm", "topk", "cumsum", "nonmax" } },
	{ "activation",
	  { "relu", "sigmoid", "softmax", "^elu", "tanh", "gelu", "swish", "softplus", "mish", "erf", "silu",
	    "^clip" } },
	{ "data movement",
	  { "reshape", "transpose", "concat", "split", "slice", "gather", "squeeze", "flatten", "expand", "memcpy",
	    "resize", "reorder" } },
	{ "elementwise",
	  { "^add", "^sub", "^mul", "^div", "^pow", "^sqrt", "^exp", "^sum", "^sin", "^cos", "^where", "^max" } },
	{ "other", { NULL } },
};

static bool has_part(const char *type, const char *part)
{
	return *part == '^' ? !strncasecmp(type, part + 1, strlen(part + 1)) : strcasestr(type, part) != NULL;
}

uint32_t html_family(const char *op_type)
{
	for (uint32_t i = 0; i + 1 < HTML_FAMILIES && op_type; i++)
		for (size_t k = 0; k < sizeof families[i].parts / sizeof *families[i].parts && families[i].parts[k];
		     k++)
			if (has_part(op_type, families[i].parts[k]))
				return i;
	return HTML_FAMILIES - 1;
}

const char *html_family_name(uint32_t family)
{
	return families[family].name;
}
