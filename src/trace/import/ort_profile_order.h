/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of ONNX Runtime's profile in the order in which they began, and which operator launched which kernel. Works on
 * the events that are in memory; puts none.
 */
#ifndef TRACE_IMPORT_ORT_PROFILE_ORDER_H
#define TRACE_IMPORT_ORT_PROFILE_ORDER_H

#include "trace/import/ort_profile.h"

struct ort_profile_entry {
	struct ort_profile_event event;
	uint32_t at;   /* in the file, from 0 */
	uint32_t flow; /* operators and their kernels: the operator's place in the file, from 1; 0: none, or unknown */
};

/* Sorts by begin, outer slices first. An operator of zero length comes before the next one, not inside it. */
void ort_profile_sort(struct ort_profile_entry *entries, size_t n);
/*
 * Sets the flow of kernels that have none, and of their operators, among sorted entries. false: out of memory, and
 * some may have none.
 *
 * A kernel belongs to the operator that its correlation id names: the absolute begin of that operator. Without one, it
 * belongs to the last operator of its name that began before it.
 */
bool ort_profile_attach(struct ort_profile_entry *entries, size_t n);

#endif
