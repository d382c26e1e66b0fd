/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests: slices of a program's own (libinftrace) in which their thread ran inferences, by name, and the slowest of
 * each name one by one. Their time outside of inferences is divided by what the thread did, as samples of it say.
 */
#ifndef ANALYZE_SUMMARY_SUMMARY_REQUEST_H
#define ANALYZE_SUMMARY_SUMMARY_REQUEST_H

#include <stdint.h>

enum { SUMMARY_SLOW_REQUESTS = 3, SUMMARY_REQUEST_PARTS = 16 };

struct summary_request {
	uint32_t name;
	uint64_t n;	   /* all requests of the name; 1: a slow one alone, if begin_ns is known */
	uint64_t begin_ns; /* of a slow one; 0: this is all of the name */
	uint32_t process;  /* the same; SUMMARY_NONE */
	int64_t tid;	   /* the same; -1 */
	uint64_t wall_ns, inferences_ns, n_inferences;
	uint64_t unattributed_ns; /* neither, and no sample tells what it was */
	uint32_t first, n_parts;  /* of request_parts, most time first */
};

struct summary_request_part {
	uint32_t request;	/* number in requests, from 1 */
	uint32_t state;		/* text: "ran", "waited for the GIL" */
	uint32_t wait, place;	/* texts: "held by burn (gil.py:4)"; "resize, called from app.py:12"; 0: not known */
	uint64_t ns, before_ns; /* before_ns: of it, before the first inference of each */
};

#endif
