// SPDX-License-Identifier: Apache-2.0
/* The table of execution providers: one row each. Data only. */
#include "model/run/provider_names.h"

#include <stddef.h>
#include <strings.h>

#include "model/ort/ort_plugins.h"

static const struct provider_name providers[] = {
	{ "cpu", "CPUExecutionProvider", NULL, PROVIDER_CPU },
	{ "cuda", "CUDAExecutionProvider", NULL, PROVIDER_CUDA },
	{ "tensorrt", "TensorrtExecutionProvider", NULL, PROVIDER_TENSORRT },
	{ "nvtensorrtrtx", "NvTensorRTRTXExecutionProvider", "NvTensorRtRtx", PROVIDER_BY_NAME },
	{ "rocm", "ROCMExecutionProvider", NULL, PROVIDER_ROCM },
	{ "migraphx", "MIGraphXExecutionProvider", "MIGraphX", PROVIDER_BY_SYMBOL },
	{ "openvino", "OpenVINOExecutionProvider", "OpenVINO", PROVIDER_OPENVINO },
	{ "qnn", "QNNExecutionProvider", "QNN", PROVIDER_BY_NAME },
	{ "webgpu", "WebGpuExecutionProvider", "WebGPU", PROVIDER_BY_NAME },
	{ "dnnl", "DnnlExecutionProvider", NULL, PROVIDER_DNNL },
	{ "cann", "CANNExecutionProvider", NULL, PROVIDER_CANN },
	{ "vitisai", "VitisAIExecutionProvider", "VitisAI", PROVIDER_VITISAI },
	{ "xnnpack", "XnnpackExecutionProvider", "XNNPACK", PROVIDER_BY_NAME },
	{ "snpe", "SNPEExecutionProvider", "SNPE", PROVIDER_BY_NAME },
	{ "azure", "AzureExecutionProvider", "AZURE", PROVIDER_BY_NAME },
	{ "vsinpu", "VSINPUExecutionProvider", "VSINPU", PROVIDER_BY_SYMBOL },
	{ "acl", "ACLExecutionProvider", "ACL", PROVIDER_BY_SYMBOL },
	{ "armnn", "ArmNNExecutionProvider", "ArmNN", PROVIDER_BY_SYMBOL },
	{ "tvm", "TvmExecutionProvider", "Tvm", PROVIDER_BY_SYMBOL },
	{ "rknpu", "RknpuExecutionProvider", "Rknpu", PROVIDER_BY_SYMBOL },
};

enum { N_PROVIDERS = sizeof providers / sizeof *providers };

const struct provider_name *provider_names_find(const char *name)
{
	for (size_t i = 0; i < N_PROVIDERS; i++)
		if (!strcasecmp(providers[i].name, name) || !strcasecmp(providers[i].full_name, name))
			return &providers[i];
	return NULL;
}

const char *provider_names_full(const char *name)
{
	const struct provider_name *provider = provider_names_find(name);

	return provider ? provider->full_name : name;
}

const char *provider_names_package(const char *full_name)
{
	return ort_plugins_pattern(provider_names_full(full_name));
}

const char *provider_names_short(unsigned i)
{
	return i < sizeof providers / sizeof *providers ? providers[i].name : NULL;
}

void provider_names_offer(struct near *near)
{
	for (size_t i = 0; i < N_PROVIDERS; i++) {
		near_offer(near, providers[i].name);
		near_offer(near, providers[i].full_name);
	}
}
