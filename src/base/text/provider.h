/* SPDX-License-Identifier: Apache-2.0 */
/* What the names of execution providers say: "cuda", "CUDA" and "CUDAExecutionProvider" are one. */
#ifndef BASE_PROVIDER_H
#define BASE_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text/printable.h"

/* Is this the runtime's name ("OpenVINOExecutionProvider") of the provider asked for ("openvino")? NULL: no. */
bool provider_is(const char *asked, const char *name);

/* The length of a name without "ExecutionProvider". */
size_t provider_length(const char *name, size_t len);

/*
 * Do operators of this provider end before the device has computed them? Their time is that of starting the work then,
 * and says nothing of what they compute. TensorRT waits or not, by version and options. NULL: no.
 */
bool provider_is_deferred(const char *name);

/* That as a sentence without its full stop; "": the provider does not defer. */
struct printable provider_deferred_words(const char *name, bool is_ascii);

#endif
