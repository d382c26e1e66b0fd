/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a device did, put under who asked for it. Work comes late and in no order, in the rings of any threads: it waits
 * until the calls and operators of its time have come. A call and its work have the same correlation; the operator is
 * the one that held the middle of the call on the call's thread, which is right even with clocks a microsecond apart.
 *
 *   process > GPU 0 > stream 7        kernels, copies, sets; a further line where they overlap
 *   process > CUDA calls > thread 12  launches, copies, waits; from each a flow to its work; or HIP, Level Zero calls
 */
#ifndef CAPTURE_DECODE_DEVICE_H
#define CAPTURE_DECODE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/err.h"
#include "base/slots.h"
#include "event/event.h"

struct records_step;
struct recorded;
struct sink;

/* An operator or inference that has ended on a thread; node 0: an inference. */
struct device_span {
	uint64_t begin_ns, end_ns;
	uint32_t node, run;
};

enum { DEVICE_OPEN = 32 };

struct device_thread {
	int32_t tid;
	uint64_t open_ns; /* since when an inference runs; 0: none does */
	uint64_t open_operator_ns[DEVICE_OPEN];
	uint32_t n_open_operators;
	struct array spans; /* struct device_span, in the order of their ends */
};

struct device_name {
	uint32_t symbol, shown, n; /* n: of those that are shown as `symbol` */
};

struct device {
	bool is_begun, has_ended;
	uint8_t library; /* enum device_library */
	uint32_t n_flushed;
	uint64_t flushed_ns;			 /* what was complete then has been told */
	uint64_t error_ns;			 /* of times, as the agent measures its conversion */
	uint64_t early_ns;			 /* the most by which a kernel began before its call */
	uint32_t n_strange, n_timeless, n_steps; /* as the agent counts */
	uint32_t put_round;			 /* n_flushed when work was put last */
	uint64_t oldest_ns;			 /* spans that ended before are needed no more */
	uint64_t n_flows, n_work;
	bool is_told;
	struct array threads, work, calls; /* struct device_thread, device_work, device_call */
	struct array lines, groups;	   /* struct device_line, device_group */
	struct device_name *names;	   /* DEVICE_NAMES, by symbol; NULL: none so far */
	struct slots nodes;		   /* of graphs: struct device_node */
	struct array unsettled;		   /* uint64_t, numbers of nodes whose operator is not known yet */
	struct {
		uint64_t grid, value, node;
		uint32_t shared, place, run, kind, node_run;
	} more; /* of the records before */
};

/* A record of event/device_record.h. 0, -ENOMEM, or the sink's error. */
int device_take(const struct records_step *step);
/*
 * An operator or inference (node 0) has ended, on the thread whose ring is read. begin_ns 0: as device_begin_operator
 * has told. 0 or -ENOMEM.
 */
int device_add_span(const struct records_step *step, const struct device_span *span);
void device_begin_operator(const struct records_step *step, uint64_t begin_ns);
void device_begin_run(const struct records_step *step, uint64_t begin_ns);
/* Puts what has waited long enough; all that is left if is_last. */
int device_put(struct recorded *process, struct sink *out, bool is_last, struct err *err);
/* At the end of the process: how good times are, and what may be missing. */
int device_tell_end(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err);
void device_done(struct device *device);

#endif
