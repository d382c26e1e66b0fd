/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leads the calls of a function that no table of pointers has to a hook: its first instructions become a jump. Only
 * for a module that has just been loaded, because no thread may be in these instructions meanwhile; a detour stays
 * until the module is unloaded. Rejects a function whose first instructions depend on where they are.
 */
#ifndef CAPTURE_AGENT_DETOUR_H
#define CAPTURE_AGENT_DETOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns what the hook calls instead of the function. NULL: refused, and nothing has changed. Under no lock. */
void *detour_put(uint64_t function, void *hook);

/* A jump to `to`, within reach of the code at `near`, which stays. 0: there is no room. Under no lock. */
uint64_t detour_jump(uint64_t near, void *to);
/* Writes into code that no thread is in. */
bool detour_write(uint64_t at, const uint8_t *code, size_t size);

enum { DETOUR_MOST_MOVED = 32, DETOUR_MOST_JUMP = 16 };

/* What differs by processor: detour_x86.c, detour_arm64.c. */

/* How far a jump reaches. */
extern const uint64_t detour_reach;
/*
 * Copies at least as many instructions as the jump replaces from `code`, whose address is `from`, to run at the address
 * `to`. Returns their bytes; 0: they cannot be moved.
 */
size_t detour_move(uint8_t moved[DETOUR_MOST_MOVED], const uint8_t *code, uint64_t from, uint64_t to);
/* A jump at `from` to `to`, within reach. Returns its bytes. */
size_t detour_near_jump(uint8_t jump[DETOUR_MOST_JUMP], uint64_t from, uint64_t to);
/* A jump to anywhere. */
size_t detour_far_jump(uint8_t jump[DETOUR_MOST_JUMP], uint64_t to);

#endif
