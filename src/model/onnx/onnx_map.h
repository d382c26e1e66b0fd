/* SPDX-License-Identifier: Apache-2.0 */
/* From texts to pointers, in an arena. Keys are borrowed. */
#ifndef MODEL_ONNX_ONNX_MAP_H
#define MODEL_ONNX_ONNX_MAP_H

#include <stdint.h>

#include "base/arena.h"

struct onnx_map {
	struct arena *arena;
	struct onnx_map_slot *slots;
	uint32_t n, n_slots;
};

/* What is there under the key; NULL: nothing. */
void *onnx_map_get(const struct onnx_map *map, const char *key);
/* Puts it there, in place of what was there. 0, or -ENOMEM. */
int onnx_map_put(struct onnx_map *map, const char *key, void *value);

#endif
