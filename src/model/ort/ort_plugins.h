/* SPDX-License-Identifier: Apache-2.0 */
/* Plugin providers that are Python packages of their own: their names, and which are installed. Loads none. */
#ifndef MODEL_ORT_ORT_PLUGINS_H
#define MODEL_ORT_ORT_PLUGINS_H

#include <stddef.h>

/* An installed one. Texts are valid during the call. */
struct ort_plugin {
	const char *provider; /* "QNNExecutionProvider" */
	const char *path;     /* of its library, without symbolic links */
	const char *version;  /* of the package; "" unknown */
	const char *how;      /* "Python in /usr/lib/python3/dist-packages" */
};

typedef void (*ort_plugin_fn)(void *ctx, const struct ort_plugin *plugin);

/* Calls each for every one in the Python installations of ort_places_each_site, once per installation. */
void ort_plugins_each(const char *sysroot, ort_plugin_fn each, void *ctx);

/* "QNNExecutionProvider": the known ones, by number from 0; NULL after the last. */
const char *ort_plugins_provider(size_t i);
/* The glob pattern of its library in a folder of Python packages; NULL: not a known package. */
const char *ort_plugins_pattern(const char *provider);

#endif
