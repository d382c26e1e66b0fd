/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of the tensors that go into an inference of OpenVINO's plugin for CPUs. */
#ifndef RUNTIME_OPENVINO_INPUTS_H
#define RUNTIME_OPENVINO_INPUTS_H

#include "runtime/runtimes.h"

/* Takes note of the classes of tensors in this module. */
void openvino_inputs_found(const struct rtti *rtti);
/*
 * request: a SyncInferRequest, with its compiled model at `compiled_at`. Where it has its inputs; false: it has none,
 * or this version keeps them in another way. Any thread.
 */
bool openvino_find_inputs(uint64_t request, unsigned compiled_at, struct runtime_inputs *to);
/* Fills in the shapes of its tensors now; false: not known. On a thread that runs the request. */
bool openvino_inputs(uint64_t request, const struct runtime_inputs *at, struct shapes *to);

#endif
