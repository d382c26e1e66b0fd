/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a device in recordings: keys of kernels, copies and calls, and topics of notes. */
#ifndef EVENT_DEVICE_NOTE_H
#define EVENT_DEVICE_NOTE_H

/*
 * pid, source ("CUPTI", "rocprofiler-sdk", "PTI"), error_ns [count: how often its clock was set; text: what may be
 * missing at the end, and why]: how good the times of a device are, once a process
 */
#define EVENT_NOTE_DEVICE_CLOCK "device clock"

#define EVENT_DIRECTION_TO "to the device"
#define EVENT_DIRECTION_FROM "from the device"
#define EVENT_DIRECTION_INSIDE "inside the device"
#define EVENT_DIRECTION_BETWEEN "between devices"

/* What a driver did for itself, as slices beside calls. */
#define EVENT_OVERHEAD_COMPILATION "compilation"
#define EVENT_OVERHEAD_MODULE "module loading"
#define EVENT_OVERHEAD_FUNCTION "lazy function loading"

#define EVENT_DEVICE_KEYS(F) \
	F(GRID, "grid")			/* text; on kernels: "108x1x1" blocks */ \
	F(BLOCK, "block")		/* text: of so many threads */ \
	F(REGISTERS, "registers")	/* of a thread */ \
	F(SHARED_BYTES, "shared_bytes") /* of a block */ \
	F(DIRECTION, "direction")	/* text; on copies: EVENT_DIRECTION_* */ \
	F(QUEUED_NS, "queued_ns")	/* on kernels: from the end of the call that launched it to its begin */ \
	F(SYMBOL, "symbol")		/* text: the whole name of a kernel whose slice has a shorter one */ \
	F(GRAPH, "graph")		/* on what was launched as part of a graph: its number */

#endif
