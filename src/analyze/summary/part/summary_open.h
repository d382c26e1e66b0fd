/* SPDX-License-Identifier: Apache-2.0 */
/* Inferences, and creations and releases of sessions, of which no end was recorded. What is not known: see summary.h.
 */
#ifndef ANALYZE_SUMMARY_SUMMARY_OPEN_H
#define ANALYZE_SUMMARY_SUMMARY_OPEN_H

#include <stdbool.h>
#include <stdint.h>

struct summary_open {
	uint32_t process, model;
	uint32_t name; /* of the model, for a creation: it may not be known which model that is */
	bool is_creation;
	bool is_release;	   /* of a session from before a fork */
	uint32_t of;		   /* that session, in sessions, as its creator's; else SUMMARY_NONE */
	bool is_longest;	   /* by far: twice as long as any of its kind that ended, and half a second */
	int64_t session, tid;	   /* -1: not known */
	uint64_t begin_ns, end_ns; /* end: of what was recorded of its process */
	uint32_t last;		   /* the operator of it that ended last; 0: none, or not recorded */
	uint64_t last_ns;	   /* when */
};

#endif
