/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTI in the agent: Intel's library that tells what a GPU did for Level Zero. Parts: pti_find.c finds it, pti.c begins
 * and ends it and leaves it to others who want it, pti_take.c gives it memory and turns its records into the agent's,
 * pti_record.h knows the records.
 */
#ifndef CAPTURE_AGENT_PTI_PTI_IN_H
#define CAPTURE_AGENT_PTI_PTI_IN_H

#include "capture/agent/device/device_teller.h"
#include "capture/agent/pti/pti_record.h"

enum { PTI_OF_LEVEL_ZERO = 1 /* a group of calls */ };

typedef void pti_request(unsigned char **buffer, size_t *bytes);
typedef void pti_complete(unsigned char *buffer, size_t bytes, size_t used);

/* F(result, name, full name, parameters). */
#define PTI_FUNCTIONS(F) \
	F(int, SetCallbacks, ptiViewSetCallbacks, (pti_request *, pti_complete *)) \
	F(int, Enable, ptiViewEnable, (uint32_t)) \
	F(int, Disable, ptiViewDisable, (uint32_t)) \
	F(int, GetNextRecord, ptiViewGetNextRecord, (uint8_t *, size_t, void **)) \
	F(int, FlushAll, ptiFlushAllViews, (void)) \
	F(int, EnableDriverApi, ptiViewEnableDriverApi, (uint32_t, uint32_t, uint32_t)) \
	F(int, GetApiIdName, ptiViewGetApiIdName, (uint32_t, uint32_t, const char **)) \
	F(uint64_t, GetTimestamp, ptiViewGetTimestamp, (void))

#define PTI_POINTER(result, name, full, params) result(*name) params;
struct pti {
	PTI_FUNCTIONS(PTI_POINTER)
	void *library;
};
extern struct pti pti __attribute__((visibility("hidden")));

/* Whether the program has initialised Level Zero, and it has a device. */
bool pti_find_driver(void);
/* Finds the library and its functions. NULL, or why not, and what to do. */
const char *pti_find(void);

/* Before the library is told of the two. False: no memory. */
bool pti_take_start(void);
/* Has these calls alone recorded. */
void pti_take_enable_calls(void);
pti_request pti_take_request;
pti_complete pti_take_complete;
void pti_take_state(enum device_state state, uint64_t time);

#endif
