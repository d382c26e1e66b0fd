/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The execution providers that have a short name, and how a session is given each of them. Data only: run_provider.c
 * and run_device.c use it. Texts are static.
 */
#ifndef MODEL_RUN_PROVIDER_NAMES_H
#define MODEL_RUN_PROVIDER_NAMES_H

#include "base/near.h"

/* The function of the runtime that gives a session the provider. */
enum provider_way {
	PROVIDER_BY_NAME, /* SessionOptionsAppendExecutionProvider, with provider_names.generic */
	PROVIDER_CPU,	  /* none: it is always there */
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
	const char *generic; /* what SessionOptionsAppendExecutionProvider calls it; NULL: it takes another way */
	enum provider_way way;
};

/* By either name, in any case; NULL: none is known. */
const struct provider_name *provider_names_find(const char *name);
/* "QNNExecutionProvider" of "qnn"; a name that is not known comes back as it is. */
const char *provider_names_full(const char *name);
/* Pattern of the library in a Python package that is this plugin provider; NULL: none is known. */
const char *provider_names_package(const char *full_name);
/* Offers every name as a correction of a misspelt one. */
void provider_names_offer(struct near *near);

#endif
