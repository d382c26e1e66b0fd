// SPDX-License-Identifier: Apache-2.0
/* The table of plugin providers in Python packages, and the search for them. */
#include "model/ort/ort_plugins.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/ort/ort_version.h"
#include "model/ort/ort_wheel.h"

static const struct plugin {
	const char *provider, *pattern;
} plugins[] = {
	{ "CUDAExecutionProvider", "onnxruntime_ep_cuda/libonnxruntime_providers_cuda*.so" },
	{ "NvTensorRTRTXExecutionProvider", "onnxruntime_ep_nv_tensorrt_rtx/libonnxruntime_providers_nv*.so" },
	{ "MIGraphXExecutionProvider", "onnxruntime_ep_migraphx/libonnxruntime_providers_migraphx*.so" },
	{ "OpenVINOExecutionProvider", "onnxruntime_ep_openvino/libonnxruntime_providers_openvino_plugin.so" },
	{ "QNNExecutionProvider", "onnxruntime_qnn/libonnxruntime_providers_qnn.so" },
	{ "WebGpuExecutionProvider", "onnxruntime_ep_webgpu/libonnxruntime_providers_webgpu.so" },
};

enum { N_PLUGINS = sizeof plugins / sizeof *plugins, MAX_FOUND = 64 };

struct search {
	ort_plugin_fn each;
	void *ctx;
	char *seen[MAX_FOUND];
	size_t n;
};

const char *ort_plugins_provider(size_t i)
{
	return i < N_PLUGINS ? plugins[i].provider : NULL;
}

const char *ort_plugins_pattern(const char *provider)
{
	for (size_t i = 0; i < N_PLUGINS; i++)
		if (!strcmp(plugins[i].provider, provider))
			return plugins[i].pattern;
	return NULL;
}

static void tell(struct search *search, const struct plugin *plugin, const char *site, const char *path,
		 const char *how)
{
	char real[PATH_MAX], package[64], version[32];

	if (!realpath(path, real) || search->n == MAX_FOUND)
		return;
	for (size_t i = 0; i < search->n; i++)
		if (!strcmp(search->seen[i], real))
			return;
	search->seen[search->n] = strdup(real);
	if (!search->seen[search->n])
		return;
	search->n++;
	snprintf(package, sizeof package, "%.*s", (int)strcspn(plugin->pattern, "/"), plugin->pattern);
	ort_version_noted(site, package, version, sizeof version);
	search->each(search->ctx, &(struct ort_plugin){ plugin->provider, real, version, how });
}

static void look_in_site(void *ctx, const char *site, const char *how)
{
	char pattern[PATH_MAX + 128];
	glob_t files;

	for (size_t i = 0; i < N_PLUGINS; i++) {
		snprintf(pattern, sizeof pattern, "%s/%s", site, plugins[i].pattern);
		if (glob(pattern, 0, NULL, &files))
			continue;
		tell(ctx, &plugins[i], site, files.gl_pathv[0], how);
		globfree(&files);
	}
}

void ort_plugins_each(const char *sysroot, ort_plugin_fn each, void *ctx)
{
	struct search search = { .each = each, .ctx = ctx };

	ort_places_each_site(sysroot, look_in_site, &search);
	for (size_t i = 0; i < search.n; i++)
		free(search.seen[i]);
}
