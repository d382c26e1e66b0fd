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
	uint32_t name, stream, place, correlation, shared, round;
	uint8_t kind, direction;
	struct device_call *call;	/* NULL: unknown */
	const struct device_span *span; /* NULL: in none */
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

int device_tell_work(struct device_step *step, const struct device_work *work);
/* span: the operator or inference that it was made in; NULL: none */
int device_tell_call(struct device_step *step, const struct device_call *call, const struct device_span *span);
int device_tell_dropped(struct device_step *step, const struct record *record, uint64_t now_ns);

#endif
