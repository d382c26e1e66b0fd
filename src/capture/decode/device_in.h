/* SPDX-License-Identifier: Apache-2.0 */
/* Between device.c and device_tell.c. */
#ifndef CAPTURE_DECODE_DEVICE_IN_H
#define CAPTURE_DECODE_DEVICE_IN_H

#include "capture/decode/records.h"
#include "event/device_record.h"

struct device_call {
	uint64_t begin_ns, end_ns;
	uint64_t flow; /* number of the flow to its work; 0: none */
	uint32_t name, correlation, round;
	int32_t tid;
	bool has_failed;
	bool is_overhead; /* no call, but time that the driver took in one; correlation 0, tid 0: not known */
};

struct device_work {
	uint64_t begin_ns, end_ns, order;
	uint64_t grid, value; /* value: as of RECORD_DEVICE_MORE */
	uint64_t node;	      /* of a graph; 0: in none */
	uint32_t name, stream, place, correlation, shared, round;
	uint32_t captured_in; /* the operator in which the node was made, not that of the launch; 0: not known */
	uint8_t kind, direction;
	struct device_call *call;	/* NULL: unknown */
	const struct device_span *span; /* NULL: in none */
};

/* A node of a graph. */
struct device_node {
	uint64_t number;
	uint64_t of;	  /* it is a copy of this one; 0: it was captured itself */
	uint64_t time_ns; /* when */
	int32_t tid;
	uint32_t operator_node; /* in this operator; 0: in none, or not known yet */
};

/* A line: a stream, a thread that calls, or a further one of either where slices overlap. */
struct device_line {
	uint32_t group, number, nth, track; /* number: stream, or thread; nth: from 1 */
	uint64_t end_ns;		    /* of what was put last */
};

#define DEVICE_GROUP_OF_CALLS UINT32_MAX

struct device_group {
	uint32_t number, track; /* number: of the device, or DEVICE_GROUP_OF_CALLS */
};

struct device_step {
	struct recorded *process;
	struct sink *out;
	struct err *err;
};

/* The operator or inference that held the moment on a thread; NULL: none that has ended. */
const struct device_span *device_span_at(struct device *device, int32_t tid, uint64_t time_ns);
/* Whether all that was open on the thread at that time has ended, so that device_span_at is right. */
bool device_is_past(struct device *device, int32_t tid, uint64_t time_ns);

/* RECORD_DEVICE_NODE of a node that is made or copied. 0 or -ENOMEM. */
int device_nodes_take(struct device *device, const struct record *record);
/* Looks for the operators of new nodes. Returns the time of the oldest that waits for its operator; UINT64_MAX: none.
 */
uint64_t device_nodes_settle(struct device *device, bool is_last);
/* The operator that a node was captured in; 0: not known. */
uint32_t device_nodes_operator(const struct device *device, uint64_t number);

int device_tell_work(struct device_step *step, const struct device_work *work);
/* span: the operator or inference that it was made in; NULL: none */
int device_tell_call(struct device_step *step, const struct device_call *call, const struct device_span *span);
int device_tell_dropped(struct device_step *step, const struct record *record, uint64_t now_ns);

#endif
