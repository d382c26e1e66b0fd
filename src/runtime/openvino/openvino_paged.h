/* SPDX-License-Identifier: Apache-2.0 */
/* Which sequences go into an inference of a model with paged attention, as OpenVINO GenAI runs decoders. */
#ifndef RUNTIME_OPENVINO_PAGED_H
#define RUNTIME_OPENVINO_PAGED_H

#include <stddef.h>

#include "runtime/shape.h"

/*
 * Of n inputs, with their elements: "?:16+1/1,?:0+64/1" (sequence:position+tokens/results asked for; sequences have no
 * numbers). Its length in `to`, less than `size`, without a NUL; 0: this is no such model, or one unlike those that are
 * known. Elements are read without the risk of a fault until such tables were found once, and by plain loads from then
 * on.
 */
size_t openvino_sequences(const struct shape *inputs, size_t n, char *to, size_t size);

#endif
