// SPDX-License-Identifier: Apache-2.0
/*
 * The list of runtimes that are named, and not recorded. Quiet: the agent uses it. A name is the beginning of the names
 * of files that the runtime's own packages install, in Python, npm, Debian or from their makers; a program that is
 * linked with the runtime is known by its own name, or by a class of the runtime. Of a program that may also load the
 * runtime from a library of its own, which is recorded, the row has that library. What contains a runtime without such
 * a name is not found.
 */
#include "runtime/other_runtimes.h"

#include <stddef.h>
#include <string.h>

enum { MOST_NAMES = 6 };

static const struct {
	const char *title;
	const char *name[MOST_NAMES]; /* of a file, how it begins; NULL: no more */
	const char *without;	      /* only if no file that begins so is loaded; NULL: in any case */
	const char *class_name[2];    /* of the runtime alone, mangled, in the order of the list; NULL: no more */
	const char *recorded;	      /* what of it is recorded nevertheless; NULL: nothing */
} others[] = {
	{ "OpenVINO on GPUs", { "libopenvino_intel_gpu_plugin.so" } },
	{ "OpenVINO on NPUs", { "libopenvino_intel_npu_plugin.so" } },
	{ "OpenVINO 2021 or older", { "libinference_engine.so" } },
	{ "TensorFlow", { "libtensorflow_framework.so", "libtensorflow_cc.so", "libtensorflow.so" } },
	{ "JAX/XLA", { "xla_extension.so", "libjax_common.so", "libpjrt_", "libtpu.so" } },
	{ "whisper.cpp", { "libwhisper.so", "libwhisper-", "libwhisper.v", "whisper-cli", "whisper-server" } },
	{ "stable-diffusion.cpp", { "libstable-diffusion", "sd-cli", "sd-server" } },
	{ "statically linked llama.cpp",
	  { "llama-server", "llama-cli", "llama-bench", "llama-embedding", "llama-simple", "llama-run" },
	  "libllama",
	  { "13llm_tokenizer", "17llm_graph_input_i" },
	  "are recorded from the start alone, if its file has symbols: inftrace record -- COMMAND" },
	{ "Ollama", { "ollama" }, "libllama" },
	{ "statically linked ggml", { NULL }, NULL, { "N4ggml3cpu17extra_buffer_typeE" } },
	{ "GPT4All", { "libllmodel.so", "libllamamodel-" } },
	{ "Vosk", { "libvosk.so" } },
	{ "ncnn", { "libncnn.so", "ncnn.cpython-" } },
	{ "MNN", { "libMNN.so", "_mnncengine" } },
	{ "CTranslate2", { "libctranslate2" } },
	{ "TensorRT", { "libnvinfer.so", "libnvinfer-" } },
	{ "ExecuTorch", { "libexecutorch", "_portable_lib" } },
	{ "TVM", { "libtvm.so", "libtvm_runtime.so", "libmlc_llm" } },
	{ "MXNet", { "libmxnet.so" } },
	{ "Paddle", { "libpaddle_inference.so", "libpaddle.so", "libpaddle_light_api", "libpaddle_full_api" } },
	{ "MLX", { "libmlx.so" } },
	{ "RKNN", { "librknnrt.so", "librknn_api.so", "librkllmrt.so" } },
	{ "Ascend CANN", { "libascendcl.so" } },
	{ "Qualcomm QNN", { "libQnnHtp.so", "libQnnCpu.so", "libQnnGpu.so", "libSNPE.so" } },
	{ "Qualcomm Cloud AI", { "libQAic.so" } },
	{ "Arm NN", { "libarmnn.so" } },
	{ "Hailo", { "libhailort.so" } },
	{ "Edge TPU", { "libedgetpu.so" } },
	{ "Vitis AI", { "libvart-runner.so" } },
	{ "XGBoost", { "libxgboost.so" } },
	{ "LightGBM", { "lib_lightgbm.so" } },
	{ "Caffe", { "libcaffe.so", "libcaffe2.so" } },
};

static int begins_with_any(const char *file, const char *const name[MOST_NAMES])
{
	for (int i = 0; i < MOST_NAMES && name[i]; i++)
		if (!strncmp(file, name[i], strlen(name[i])))
			return 1;
	return 0;
}

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool other_runtimes_is_file(const char *path, const char *begin)
{
	return !strncmp(file_of(path), begin, strlen(begin));
}

const char *other_runtimes_without(const char *title)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(others[i].title, title))
			return others[i].without;
	return NULL;
}

const char *other_runtimes_recorded(const char *title)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(others[i].title, title) && others[i].recorded)
			return others[i].recorded;
	return "inftrace does not record";
}

const char *other_runtimes_of(const char *path)
{
	const char *file = file_of(path);

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (begins_with_any(file, others[i].name))
			return others[i].title;
	return NULL;
}

const char *other_runtimes_in(const struct rtti *rtti)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		for (int k = 0; k < 2 && others[i].class_name[k]; k++)
			if (rtti_named(rtti, others[i].class_name[k]))
				return others[i].title;
	return NULL;
}

const char *other_runtimes_titled(const char *title)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(others[i].title, title))
			return others[i].title;
	return NULL;
}
