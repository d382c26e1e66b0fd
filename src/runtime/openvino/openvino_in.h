/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share: what goes into inferences and nodes of the plugin for CPUs. */
#ifndef RUNTIME_OPENVINO_OPENVINO_IN_H
#define RUNTIME_OPENVINO_OPENVINO_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/runtimes.h"
#include "runtime/shape.h"

/* The shapes of the tensors that go into an inference of OpenVINO's plugin for CPUs. */

/* Takes note of the classes of tensors in this module. */
void openvino_inputs_found(const struct rtti *rtti);
/*
 * request: a SyncInferRequest, with its compiled model at `compiled_at`. Where it has its inputs; false: it has none,
 * or this version keeps them in another way. Any thread.
 */
bool openvino_find_inputs(uint64_t request, unsigned compiled_at, struct runtime_inputs *to);
/* Fills in the shapes of its tensors now; false: not known. On a thread that runs the request. */
bool openvino_inputs(uint64_t request, const struct runtime_inputs *at, struct shapes *to);

/* The shapes of what goes into a node of OpenVINO's plugin for CPUs. */

/* False: it has none that stay the same in all inferences, or not known. Any thread. */
bool openvino_node_shapes(uint64_t node, struct shapes *to);

/* Which sequences go into an inference of a model with paged attention, as OpenVINO GenAI runs decoders. */

/*
 * Of n inputs, with their elements: "?:16+1/1,?:0+64/1" (sequence:position+tokens/results asked for; sequences have no
 * numbers). Its length in `to`, less than `size`, without a NUL; 0: this is no such model, or one unlike those that are
 * known. Elements are read without the risk of a fault until such tables were found once, and by plain loads from then
 * on.
 */
size_t openvino_sequences(const struct shapes *inputs, char *to, size_t size);

#endif
