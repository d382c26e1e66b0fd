/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of what goes into a node of OpenVINO's plugin for CPUs. */
#ifndef RUNTIME_OPENVINO_NODE_H
#define RUNTIME_OPENVINO_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/shape.h"

/* False: it has none that stay the same in all inferences, or not known. Any thread. */
bool openvino_node_shapes(uint64_t node, struct shapes *to);

#endif
