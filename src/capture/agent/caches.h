/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which inference an other one goes on from: what it has made, such as the caches of a decoder, lies where the other
 * one finds its inputs. A table of fixed size keeps addresses: one that was overwritten is not known. Any thread,
 * without a lock. Memory is not read.
 */
#ifndef CAPTURE_AGENT_CACHES_H
#define CAPTURE_AGENT_CACHES_H

#include <stdint.h>

/* Results that are noted of an inference, and inputs that are looked up; fewer of these are no caches of a decoder. */
enum { CACHES_MOST = 4, CACHES_LEAST = 2 };

/* Elements of a result of inference `run` of this process lie there; 0: nowhere. */
void caches_made(uint64_t address, uint32_t run);
/* The inference that has made what lies there; 0: none, or not known. */
uint32_t caches_maker(uint64_t address);

/* The later one of two, 0: none; a decoder goes on from it, and not from its encoder. */
static inline uint32_t caches_later(uint32_t a, uint32_t b)
{
	return !a || (b && (int32_t)(b - a) > 0) ? b : a;
}

#endif
