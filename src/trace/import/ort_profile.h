/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the file of ONNX Runtime's own profiler, event by event: a JSON array, in the order in which events ended. Two
 * consumers: import_ort_profile.c makes events, device_profile_ort.c reads only device kernels.
 */
#ifndef TRACE_IMPORT_ORT_PROFILE_H
#define TRACE_IMPORT_ORT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "event/names.h"
#include "trace/import/importer.h"

enum ort_profile_kind {
	ORT_PROFILE_OTHER, /* unused: fences, thread pools */
	ORT_PROFILE_LOAD,  /* model_loading_* */
	ORT_PROFILE_INIT,  /* session_initialization */
	ORT_PROFILE_RUN,   /* model_run */
	ORT_PROFILE_EXECUTE,
	ORT_PROFILE_NODE,   /* one operator's kernel_time */
	ORT_PROFILE_KERNEL, /* category Kernel: on a device, with the operator that it belongs to */
	ORT_PROFILE_API,    /* category Api: on a device, without */
};

/* Texts are ids, 0 when absent from the file. */
struct ort_profile_event {
	enum ort_profile_kind kind;
	int32_t pid, tid;     /* -1: unknown */
	int64_t ts, dur;      /* microseconds since the profiler started */
	int64_t bytes;	      /* NODE: in and out, weights included; -1: unknown */
	uint64_t correlation; /* KERNEL: begin of its operator, microseconds since 1970; 0: unknown */
	uint32_t name;	      /* NODE: of the node */
	uint32_t op_type, provider, shapes;
	uint32_t operator, implementation; /* KERNEL, API: name of the operator's node; program or primitive */
	uint32_t stream;		   /* KERNEL */
};

/* First member of a consumer. */
struct ort_profile {
	struct names *names; /* borrowed */
	/*
	 * Takes one event, not ORT_PROFILE_OTHER. 0; any other code ends reading and is returned, with err set by take.
	 */
	int (*take)(struct ort_profile *profile, const struct ort_profile_event *event, struct err *err);

	struct ort_profile_texts *texts; /* while it is read */

	/* Results. */
	uint64_t n_events; /* made by the runtime, of any kind: it keeps ORT_PROFILE_MAX */
	uint64_t n_unread; /* invalid JSON: the runtime escapes nothing, so that a quote in a name breaks an event */
	uint64_t n_broken; /* of n_unread: at the end of a truncated file, with nothing behind them */
	bool is_cut;
	uint64_t cut_at; /* offset of the first incomplete event */
};

enum { ORT_PROFILE_MAX = 1000000 };

/* Whether these can be the first bytes of such a file. */
bool ort_profile_sniff(const char *first, size_t size);
/* 0, or -errno and err: not such a file ("cannot read it: at byte 0: ..."), or an error of take. */
int ort_profile_read(struct ort_profile *profile, const struct import_bytes *in, struct err *err);

#endif
