/* SPDX-License-Identifier: Apache-2.0 */
/* A map from texts to pointers, in an arena. Keys are borrowed. */
#ifndef MODEL_ONNX_ONNX_MAP_H
#define MODEL_ONNX_ONNX_MAP_H

#include <stdint.h>

#include "base/arena.h"

struct onnx_map {
	struct arena *arena;
	struct onnx_map_slot *slots;
	uint32_t n, n_slots;
};

/* The value of the key; NULL: none. */
void *onnx_map_get(const struct onnx_map *map, const char *key);
/* Sets the value of the key. 0, or -ENOMEM. */
int onnx_map_put(struct onnx_map *map, const char *key, void *value);

#endif
