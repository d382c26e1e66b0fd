// SPDX-License-Identifier: Apache-2.0
/* Python packages with providers built in. Plugin packages are in model/run/provider_names.c. */
#include <stddef.h>

#include "analyze/result/model/model_compare.h"
#include "base/text/provider.h"
#include "experiment/model_in.h"

#define WAY(package) \
	"in a Python environment without onnxruntime: pip install " package \
	"; then pass that environment's folder as " \
	"--runtime"

static const struct {
	const char *provider, *words;
} advice_of[] = {
	{ "openvino", WAY("onnxruntime-openvino") }, { "cuda", WAY("onnxruntime-gpu") },
	{ "tensorrt", WAY("onnxruntime-gpu") },	     { "qnn", WAY("onnxruntime-qnn") },
	{ "rocm", WAY("onnxruntime-rocm") },	     { "migraphx", WAY("onnxruntime-rocm") },
};

const char *model_advice(const char *provider)
{
	for (size_t i = 0; provider && i < sizeof advice_of / sizeof *advice_of; i++)
		if (provider_is(advice_of[i].provider, provider))
			return advice_of[i].words;
	return NULL;
}
