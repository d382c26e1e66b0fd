/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns a driver's files about a device in /sys into counters. A file that is absent or unreadable gives no value. One
 * thread.
 */
#ifndef CAPTURE_SOURCE_GAUGE_H
#define CAPTURE_SOURCE_GAUGE_H

#include <stdbool.h>

#include "capture/source/counter.h"
#include "capture/source/device/device.h"

enum gauge_shape {
	GAUGE_VALUE,	/* the number in the file */
	GAUGE_ONCE,	/* the same, constant: put once */
	GAUGE_GROWTH,	/* its growth per second since the last sample */
	GAUGE_IDLE,	/* 100 less that: for a clock that stands still while the device works */
	GAUGE_SUM,	/* its growth since the first sample, for as long as it only grows */
	GAUGE_HOW_MANY, /* how many files of this pattern contain 1 */
};

/* A row of a source's table. Of rows with the same name, the first one whose file exists counts. */
struct gauge_kind {
	const char *file; /* below the device's folder of its class; one '*' for any text in a name */
	const char *name, *unit;
	double scale;
	enum gauge_shape shape;
	uint64_t least_ns; /* least time between two reads; 0: no limit */
};

struct gauge {
	const struct gauge_kind *kind;
	char *file;	/* '*' filled in */
	int descriptor; /* + 1; kept open unless files are replaced */
	struct counter counter;
	bool has_base, has_ended; /* ended: no more values */
	uint64_t base_ns, base;
	double sum;
};

enum { GAUGE_MOST = 24 };

/* The gauges of one device. Starts zeroed. */
struct gauges {
	struct gauge gauge[GAUGE_MOST];
	size_t n;
};

/* One sample of one device. All is borrowed for the call. */
struct gauge_look {
	const char *sysroot, *folder; /* "/sys/class/drm/card1" */
	const char *device;	      /* "gpu card1": prefix of the counters' names */
	uint32_t parent;	      /* track of the counters */
	struct sink *out;
	uint64_t now_ns;
	bool is_last;
	struct err *err;
};

/* Finds out which of the rows (the last has no file) have a file. 0 or -ENOMEM. */
int gauges_find(struct gauges *gauges, const struct gauge_kind *kinds, const char *sysroot, const char *folder);
/* 0, or the sink's error. */
int gauges_sample(struct gauges *gauges, const struct gauge_look *look);
void gauges_done(struct gauges *gauges);

#endif
