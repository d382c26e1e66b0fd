// SPDX-License-Identifier: Apache-2.0
/*
 * Evidence in the order of its weight. An option that names a device is one that the provider would have failed
 * without. Devices that a session was given are those that the runtime knows. Where drivers have brought no other
 * device than the CPUs, nothing else can have computed: software that plays a GPU or an NPU runs on them, too.
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "experiment/model_in.h"

static const struct {
	const char *provider, *option, *device;
} options[] = {
	{ "OpenVINOExecutionProvider", "device_type=CPU", "CPU" },
	{ "OpenVINOExecutionProvider", "device_type=GPU", "GPU" },
	{ "OpenVINOExecutionProvider", "device_type=NPU", "NPU" },
	{ "QNNExecutionProvider", "backend_type=cpu", "CPU" },
	{ "QNNExecutionProvider", "backend_type=gpu", "GPU" },
	/* these have no other */
	{ "CUDAExecutionProvider", "", "GPU" },
	{ "TensorrtExecutionProvider", "", "GPU" },
	{ "NvTensorRTRTXExecutionProvider", "", "GPU" },
	{ "ROCMExecutionProvider", "", "GPU" },
	{ "MIGraphXExecutionProvider", "", "GPU" },
};

/* Their drivers make these. */
static const char *const accelerators[] = {
	"/sys/class/drm/renderD*",   "/sys/class/accel/*",	   "/sys/class/kfd/*",	      "/sys/module/nvidia",
	"/sys/class/misc/fastrpc-*", "/sys/class/misc/dxg",	   "/sys/class/misc/mali*",   "/sys/class/kgsl/*",
	"/sys/class/apex/*",	     "/sys/class/neuron_device/*", "/sys/class/habanalabs/*", "/sys/class/misc/galcore",
	"/sys/class/misc/adsprpc-*",
};

static bool is_provider(const struct run_provider *asked, const char *name)
{
	return !strcmp(asked->name, name);
}

/* Options are "KEY=VALUE KEY=VALUE"; a value may go on: "GPU.1". */
static bool has_option(const char *all, const char *option)
{
	size_t len = strlen(option);

	if (!len)
		return true;
	for (const char *at = strstr(all, option); at; at = strstr(at + 1, option))
		if ((at == all || at[-1] == ' ') && (!at[len] || at[len] == ' ' || at[len] == '.'))
			return true;
	return false;
}

static const char *by_option(const struct run_provider *asked)
{
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (is_provider(asked, options[i].provider) && has_option(asked->options, options[i].option))
			return options[i].device;
	return NULL;
}

/* NULL: it was given none, or of several kinds. The CPU is given to providers that find their hardware by themselves:
 * it tells nothing. */
static const char *by_given(const struct run_result *run, const struct run_provider *asked)
{
	static const char *const names[RUN_N_DEVICE_TYPES] = { NULL, "GPU", "NPU", NULL };
	const char *found = NULL;

	for (uint32_t i = 0; i < run->n_devices; i++) {
		const struct run_device *device = &run->devices[i];

		if (!device->is_chosen || strcmp(device->provider, asked->name) != 0)
			continue;
		if (!names[device->type] || (found && found != names[device->type]))
			return NULL;
		found = names[device->type];
	}
	return found;
}

static bool has_accelerator(const char *sysroot)
{
	char pattern[4096];
	glob_t found;
	bool has_any = false;

	for (size_t i = 0; i < sizeof accelerators / sizeof *accelerators && !has_any; i++) {
		snprintf(pattern, sizeof pattern, "%s%s", sysroot, accelerators[i]);
		has_any = !glob(pattern, GLOB_NOSORT, NULL, &found);
		globfree(&found);
	}
	return has_any;
}

const char *model_device_of(const struct run_result *run, const char *sysroot)
{
	const struct run_provider *asked = &run->asked[0];
	const char *device;

	if (run->n_asked > 1)
		return NULL;
	if (!run->n_asked) /* the runtime chose */
		return has_accelerator(sysroot) ? NULL : "CPU";
	if (is_provider(asked, "CPUExecutionProvider"))
		return "CPU";
	if (is_provider(asked, "AzureExecutionProvider"))
		return NULL;
	/* without a driver a GPU that was asked for is software */
	if (!has_accelerator(sysroot))
		return "CPU";
	device = by_option(asked);
	return device ? device : by_given(run, asked);
}
