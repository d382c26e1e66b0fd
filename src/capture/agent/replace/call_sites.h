/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leads direct calls between functions of the program itself to hooks: the distance in each call instruction is
 * replaced, and the functions stay as they are. Only before the program runs, because no thread may be in these
 * instructions meanwhile; the calls stay so. A call through a pointer is not led.
 */
#ifndef CAPTURE_AGENT_REPLACE_CALL_SITES_H
#define CAPTURE_AGENT_REPLACE_CALL_SITES_H

#include "capture/agent/replace/program_symbols.h"

struct call_target {
	uint64_t function;
	void *hook;    /* NULL: left as it is */
	uint32_t n;    /* how many calls were led to it */
	uint64_t jump; /* call_sites_lead's own; 0 */
};

/* target: in the order of their functions, which differ. Under no lock. */
void call_sites_lead(const struct program_symbols *symbols, struct call_target *target, size_t n);

/* What differs by processor: call_sites_x86.c, call_sites_arm64.c. */
enum { CALL_SITE_MOST = 8 };
extern const size_t call_site_size, call_site_step;
/* The first place from `from` on that is worth a look; at the end: one behind which no call has room. */
size_t call_site_next(const uint8_t *code, size_t size, size_t from);
/* Whether `code`, whose address is `at`, may be a call, or a jump in place of one, of a fixed address. */
bool call_site_at(const uint8_t *code, uint64_t at, uint64_t *target);
/* Whether an instruction begins there, of a function whose code begins at `code`. */
bool call_site_is_instruction(const uint8_t *code, size_t size, size_t offset);
/* The same instruction for another target. False: it is too far away. */
bool call_site_for(uint8_t to[CALL_SITE_MOST], const uint8_t *code, uint64_t at, uint64_t target);

#endif
