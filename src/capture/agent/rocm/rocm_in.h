/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rocprofiler-sdk in the agent: ROCm's library that tells what an AMD GPU did. Parts: rocm_find.c finds it, rocm.c
 * begins and ends it, rocm_take.c turns its records into the agent's, rocm_kernel.c keeps the names of kernels,
 * rocm_record.h knows the records.
 */
#ifndef CAPTURE_AGENT_ROCM_ROCM_IN_H
#define CAPTURE_AGENT_ROCM_ROCM_IN_H

#include "capture/agent/device/device_teller.h"
#include "capture/agent/rocm/rocm_record.h"

struct rocm_header {
	uint32_t category, kind;
	void *record;
};

typedef void rocm_deliver(uint64_t context, uint64_t buffer, struct rocm_header **headers, size_t n, void *data,
			  uint64_t n_dropped);
typedef void rocm_loaded(struct rocm_told told, void *user, void *data);
typedef int rocm_agents(int version, const void **agents, size_t n, void *data);

/* F(name, parameters). */
#define ROCM_FUNCTIONS(F) \
	F(get_timestamp, (uint64_t *)) \
	F(create_context, (uint64_t *)) \
	F(start_context, (uint64_t)) \
	F(stop_context, (uint64_t)) \
	F(create_buffer, (uint64_t, size_t, size_t, int, rocm_deliver *, void *, uint64_t *)) \
	F(flush_buffer, (uint64_t)) \
	F(configure_buffer_tracing_service, (uint64_t, uint32_t, const int32_t *, size_t, uint64_t)) \
	F(configure_callback_tracing_service, (uint64_t, uint32_t, const int32_t *, size_t, rocm_loaded *, void *)) \
	F(query_buffer_tracing_kind_name, (uint32_t, const char **, uint64_t *)) \
	F(query_callback_tracing_kind_name, (uint32_t, const char **, uint64_t *)) \
	F(query_buffer_tracing_kind_operation_name, (uint32_t, int32_t, const char **, uint64_t *)) \
	F(query_available_agents, (int, rocm_agents *, size_t, void *))

#define ROCM_POINTER(name, params) int(*name) params;
struct rocm {
	ROCM_FUNCTIONS(ROCM_POINTER)
	uint32_t kinds[ROCM_KINDS]; /* their numbers; 0: it does not have it */
	uint32_t code_objects;
};
extern struct rocm rocm __attribute__((visibility("hidden")));

/* Loads the library and finds its functions. NULL, or why not, and what to do. */
const char *rocm_find(void);
/* Asks for the numbers of what is recorded. NULL, or what it does not have. */
const char *rocm_find_kinds(void);

/* The operations of calls that are recorded; at most `room`. Returns their number. */
size_t rocm_take_calls(int32_t *operations, size_t room);
void rocm_take_start(void);
rocm_deliver rocm_take;
void rocm_take_state(enum device_state state, uint64_t time);

/* Under no lock: code objects may be loaded by any thread. */
rocm_loaded rocm_kernel_loaded;
/* NULL: not known. registers may be NULL. */
const char *rocm_kernel_name(uint64_t id, uint32_t *registers);
/* A device's number among GPUs, by its agent; UINT32_MAX: it is none. */
void rocm_device_start(void);
uint32_t rocm_device_number(uint64_t handle);

#endif
