/* SPDX-License-Identifier: Apache-2.0 */
/* The slices that a program has begun on a thread by libinftrace, as the agent remembers them: annotate.c. */
#ifndef CAPTURE_AGENT_SLICES_H
#define CAPTURE_AGENT_SLICES_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_SLICES = 64 };

struct open_slice {
	uint32_t run; /* of the slice around it */
	uint8_t kind; /* enum event_kind */
	bool is_told; /* RECORD_USER_BEGIN was written */
};

struct open_slices {
	uint32_t depth;	 /* may exceed MAX_SLICES: deeper ones are counted as lost */
	uint32_t n_owed; /* ends that found no room */
	uint32_t run;	 /* of the innermost open inference; 0: none */
	struct open_slice at[MAX_SLICES];
};

#endif
