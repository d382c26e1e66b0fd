/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs and NPUs of a recording in a span of it: their counters, those of the processes' use of them, and what of
 * that is worth a line. Reads tracks "gpu card1: amdgpu ..." and counters "gpu card1 busy"
 * (capture/source/device_source.h).
 */
#ifndef ANALYZE_RESULT_MODEL_DEVICES_H
#define ANALYZE_RESULT_MODEL_DEVICES_H

#include "analyze/result/model/model_result.h"
#include "analyze/store/store.h"

enum { MODEL_DEVICES = 16, MODEL_COUNTERS = 128 };

/* Texts are the store's, or lie in here. */
struct model_devices {
	struct model_device device[MODEL_DEVICES];
	struct model_counter counter[MODEL_COUNTERS];
	uint32_t n_devices, n_counters;
	double compute_bytes[MODEL_DEVICES]; /* of a process, by another way than what else it has: may be the same */
	char text[MODEL_DEVICES][3][160];
};

/* What is beyond the room in it is left out. Times of CLOCK_MONOTONIC; start_ns < end_ns. */
void model_devices_find(struct model_devices *devices, const struct store *store, uint64_t start_ns, uint64_t end_ns);

/* Adds another round of the same: means are those of all rounds, sums add up, what is not known of one is not known. */
void model_devices_add(struct model_devices *devices, const struct model_devices *round);

#endif
