/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUPTI in the agent: CUDA's library that tells what a GPU did. Parts: cupti_find.c finds the library, cupti.c begins
 * and ends it, cupti_take.c gives it memory and turns its records into the agent's, cupti_nodes.c says where a
 * node of a graph was captured, cupti_yield.c leaves it to others who want it, cupti_calls.c knows CUDA's calls,
 * cupti_record.h its records.
 *
 * It is never called before cuInit has succeeded in the program: 13.2 recurses without end where there is no driver.
 */
#ifndef CAPTURE_AGENT_CUPTI_CUPTI_IN_H
#define CAPTURE_AGENT_CUPTI_CUPTI_IN_H

#include "capture/agent/agent.h"
#include "capture/agent/cupti/cupti_record.h"
#include "event/device_record.h"

enum {
	CUPTI_OK = 0,
	CUPTI_IS_TAKEN = 39, /* another one has subscribed */
	CUPTI_NOT_PRIVILEGED = 35,
	CUPTI_VIRTUALIZED = 33,
	CUPTI_NOT_INITIALIZED = 15,
	CUPTI_POOL_LIMIT = 2, /* an attribute: device buffers kept, of 3.2 MB each */
	CUPTI_FLUSH_FORCED = 1,
	CUPTI_RUNTIME_API = 2, /* domains of callbacks */
	CUPTI_RESOURCE = 3,
};

typedef void cupti_request(uint8_t **buffer, size_t *bytes, size_t *max_records);
typedef void cupti_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);
typedef void cupti_callback(void *data, int domain, uint32_t call, const void *info);

/* F(result, name, parameters, whether it is there in all releases). */
#define CUPTI_FUNCTIONS(F) \
	F(GetVersion, (uint32_t *), true) \
	F(GetTimestamp, (uint64_t *), true) \
	F(Subscribe, (void **, cupti_callback *, void *), true) \
	F(Unsubscribe, (void *), true) \
	F(EnableDomain, (uint32_t, void *, int), true) \
	F(SetThreadIdType, (int), true) \
	F(ActivityRegisterCallbacks, (cupti_request *, cupti_complete *), true) \
	F(ActivityEnable, (uint32_t), true) \
	F(ActivityDisable, (uint32_t), true) \
	F(ActivityFlushAll, (uint32_t), true) \
	F(ActivityGetNextRecord, (uint8_t *, size_t, void **), true) \
	F(ActivityGetNumDroppedRecords, (void *, uint32_t, size_t *), true) \
	F(ActivitySetAttribute, (int, size_t *, void *), false) \
	F(EnableCallback, (uint32_t, void *, int, uint32_t), false) \
	F(GetGraphNodeId, (void *, uint64_t *), false) \
	F(Finalize, (void), false)

#define CUPTI_POINTER(name, params, is_needed) int(*name) params;
struct cupti {
	CUPTI_FUNCTIONS(CUPTI_POINTER)
	int (*EnableRuntimeApi)(uint32_t call, uint8_t enable); /* from 12.5 on; NULL: not there */
	int (*EnableDriverApi)(uint32_t call, uint8_t enable);
	uint32_t version;
	void *library;
	uint16_t sizes[CUPTI_KINDS]; /* of records; 0: it does not know the kind */
};
extern struct cupti cupti __attribute__((visibility("hidden")));

/* What the driver tells; false: there is none, or cuInit has not succeeded. */
struct cupti_driver {
	int version; /* of CUDA, as 13010 */
};
bool cupti_find_driver(struct cupti_driver *driver);
/* Finds the library that fits and its functions. NULL, or why not, and what to do. */
const char *cupti_find(const struct cupti_driver *driver);

/* Before the library is told of cupti_take_request and cupti_take_complete. False: no memory. */
bool cupti_take_start(void);
cupti_request cupti_take_request;
cupti_complete cupti_take_complete;
/* What was complete at this time is told: counts, and how good times are. */
void cupti_take_tell(enum device_state state, uint64_t time);

void cupti_calls_start(void);
/* Has these calls alone recorded, or no more; false: the library is too old for that. */
bool cupti_calls_enable(bool on);
/* enum device_call_kind; 0: it is of no interest. */
uint8_t cupti_call_group(bool is_driver, uint32_t number, const char **name);

/* Has nodes told from now on as they are made, or no more. False: this library cannot tell them. */
bool cupti_nodes_enable(void *subscriber, bool on);
/* A callback of the domain CUPTI_RESOURCE, on the thread that makes the node. */
void cupti_nodes_take(uint32_t what, const void *info);

/*
 * Hooks the modules that may want CUPTI for themselves; again: those loaded since. `wanted` is called then, on the
 * thread of who wants it, with the name of the function.
 */
void cupti_yield_watch(void (*wanted)(const char *function));
/* What a program gets that looks one of CUPTI's functions up; NULL: the real one. */
void *cupti_instead_of(const char *name, void *real);

#endif
