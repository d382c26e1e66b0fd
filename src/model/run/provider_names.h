/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The execution providers that have a short name, and how each is added to a session. Data only: run_provider.c and
 * run_device.c use it. Texts are static.
 */
#ifndef MODEL_RUN_PROVIDER_NAMES_H
#define MODEL_RUN_PROVIDER_NAMES_H

#include "base/near.h"

/* The runtime's function that adds the provider to a session. */
enum provider_way {
	PROVIDER_BY_NAME, /* SessionOptionsAppendExecutionProvider, with provider_names.generic */
	PROVIDER_CPU,	  /* none: it is always present */
	PROVIDER_CUDA,
	PROVIDER_TENSORRT,
	PROVIDER_ROCM,
	PROVIDER_CANN,
	PROVIDER_DNNL,
	PROVIDER_OPENVINO,
	PROVIDER_VITISAI,
	PROVIDER_BY_SYMBOL, /* OrtSessionOptionsAppendExecutionProvider_<generic>, exported by old releases */
};

struct provider_name {
	const char *name, *full_name; /* "qnn", "QNNExecutionProvider" */
	const char *generic; /* its name in SessionOptionsAppendExecutionProvider; NULL: added by another function */
	enum provider_way way;
};

/* Finds either name, in any case; NULL: unknown. */
const struct provider_name *provider_names_find(const char *name);
/* "QNNExecutionProvider" for "qnn"; returns an unknown name unchanged. */
const char *provider_names_full(const char *name);
/* Glob pattern of this plugin provider's library in its Python package; NULL: unknown. */
const char *provider_names_package(const char *full_name);
/* The i-th short name, from 0; NULL: there are fewer. */
const char *provider_names_short(unsigned i);
/* Offers every name as a correction of a misspelled one. */
void provider_names_offer(struct near *near);

#endif
