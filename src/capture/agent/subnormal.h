/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did this thread compute with subnormal ("denormal") numbers? Many processors take many times as long for these. The
 * processor keeps a flag: it is set by an operand that is one, and stays set. Between begin and end the flag is what
 * the inference did; afterwards it is as if nobody had looked. With subnormals taken as zero, it is never set.
 *
 * Processors for aarch64 have no such flag: theirs is set only where subnormals are taken as zero. There, nothing is
 * recorded of this.
 */
#ifndef CAPTURE_AGENT_SUBNORMAL_H
#define CAPTURE_AGENT_SUBNORMAL_H

#include <stdbool.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

#define SUBNORMAL_FLAG 2u /* MXCSR.DE */

/* Whether the flag was set before, for the end. Reading takes 2 ns, clearing is rare. */
static inline bool subnormal_begin(void)
{
	unsigned state = _mm_getcsr();

	if (!(state & SUBNORMAL_FLAG))
		return false;
	_mm_setcsr(state & ~SUBNORMAL_FLAG);
	return true;
}

static inline bool subnormal_end(bool was_set)
{
	unsigned state = _mm_getcsr();

	if (was_set && !(state & SUBNORMAL_FLAG))
		_mm_setcsr(state | SUBNORMAL_FLAG);
	return state & SUBNORMAL_FLAG;
}
#else
static inline bool subnormal_begin(void)
{
	return false;
}

static inline bool subnormal_end(bool was_set)
{
	return false;
}
#endif

#endif
