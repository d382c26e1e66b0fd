/* SPDX-License-Identifier: Apache-2.0 */
/* Plugin providers that come as Python packages of their own: their names, and which are here. Loads none. */
#ifndef MODEL_ORT_ORT_PLUGINS_H
#define MODEL_ORT_ORT_PLUGINS_H

#include <stddef.h>

/* One that is here. Texts are the callee's, for the call. */
struct ort_plugin {
	const char *provider; /* "QNNExecutionProvider" */
	const char *path;     /* of its library, without symbolic links */
	const char *version;  /* of the package; "" not told */
	const char *how;      /* "Python in /usr/lib/python3/dist-packages" */
};

typedef void (*ort_plugin_fn)(void *ctx, const struct ort_plugin *plugin);

/* Every one in the Python installations in sight, see ort_places_each_site; an installation that is met twice, once. */
void ort_plugins_each(const char *sysroot, ort_plugin_fn each, void *ctx);

/* "QNNExecutionProvider": those that are known, by number from 0; NULL behind the last. */
const char *ort_plugins_provider(size_t i);
/* The pattern of its library in a folder of Python packages; NULL: this provider is no such package. */
const char *ort_plugins_pattern(const char *provider);

#endif
