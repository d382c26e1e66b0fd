/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of functions that an exception may leave. What a hook began must end at that moment, and the hook is a C
 * function, which no exception stops in. bracket_call has a personality routine of its own: the unwinder calls it for
 * each frame that it removes (bracket.c), and the routine ends what the hook began.
 *
 * A hook puts its bracket on the thread's stack of brackets, calls, and takes it off again. Brackets whose frames are
 * gone (longjmp) are dropped by the next one.
 */
#ifndef CAPTURE_AGENT_BRACKET_H
#define CAPTURE_AGENT_BRACKET_H

#include "capture/agent/agent.h"

typedef uintptr_t bracket_word;
typedef bracket_word bracket_function(bracket_word, bracket_word, bracket_word, bracket_word, bracket_word,
				      bracket_word, bracket_word, bracket_word, bracket_word, bracket_word,
				      bracket_word, bracket_word);

/* frame: of the hook. It replaces a bracket of a frame below it, which is gone. */
static inline void bracket_begin(struct thread *thread, uint8_t event, uintptr_t frame, uint32_t level,
				 bracket_left *left)
{
	while (thread->brackets.n && thread->brackets.at[thread->brackets.n - 1].frame <= frame)
		thread->brackets.n--;
	if (thread->brackets.n < MAX_BRACKETS)
		thread->brackets.at[thread->brackets.n++] =
		    (struct bracket){ .frame = frame, .left = left, .level = level, .event = event };
}

static inline void bracket_end(struct thread *thread, uintptr_t frame)
{
	while (thread->brackets.n && thread->brackets.at[thread->brackets.n - 1].frame <= frame)
		thread->brackets.n--;
}

typedef bracket_word bracket_short_function(bracket_word, bracket_word, bracket_word, bracket_word, bracket_word,
					    bracket_word);
/* Passes on six words, in registers. */
bracket_word bracket_call_short(bracket_short_function *function, bracket_word a, bracket_word b, bracket_word c,
				bracket_word d, bracket_word e, bracket_word f) __attribute__((visibility("hidden")));

typedef bracket_word bracket_operator_function(bracket_word, bracket_word, bracket_word, bracket_word, bracket_word);
/*
 * Calls an operator's function, which needs no bracket: an exception that leaves it ends the innermost operator that is
 * open on the thread. The function comes last: all arguments stay in the registers where they are.
 */
bracket_word bracket_call_operator(bracket_word a, bracket_word b, bracket_word c, bracket_word d, bracket_word e,
				   bracket_operator_function *function) __attribute__((visibility("hidden")));
/* Passes on twelve words. */
bracket_word bracket_call(bracket_function *function, bracket_word a, bracket_word b, bracket_word c, bracket_word d,
			  bracket_word e, bracket_word f, bracket_word g, bracket_word h, bracket_word i,
			  bracket_word j, bracket_word k, bracket_word l) __attribute__((visibility("hidden")));

/*
 * Passes on 48 words: structures that are passed by value lie on the stack behind the registers, and no function has
 * larger ones.
 */
#define BRACKET_LONG \
	bracket_word a, bracket_word b, bracket_word c, bracket_word d, bracket_word e, bracket_word f, \
	    BRACKET_SIX(BRACKET_WORD, g), BRACKET_SIX(BRACKET_WORD, h), BRACKET_SIX(BRACKET_WORD, i), \
	    BRACKET_SIX(BRACKET_WORD, j), BRACKET_SIX(BRACKET_WORD, k), BRACKET_SIX(BRACKET_WORD, l), \
	    BRACKET_SIX(BRACKET_WORD, m)
#define BRACKET_PASS_LONG \
	a, b, c, d, e, f, BRACKET_SIX(BRACKET_NAME, g), BRACKET_SIX(BRACKET_NAME, h), BRACKET_SIX(BRACKET_NAME, i), \
	    BRACKET_SIX(BRACKET_NAME, j), BRACKET_SIX(BRACKET_NAME, k), BRACKET_SIX(BRACKET_NAME, l), \
	    BRACKET_SIX(BRACKET_NAME, m)
#define BRACKET_SIX(F, n) F(n), F(n##1), F(n##2), F(n##3), F(n##4), F(n##5)
#define BRACKET_WORD(n) bracket_word n
#define BRACKET_NAME(n) n
typedef bracket_word bracket_long_function(BRACKET_LONG);
bracket_word bracket_call_long(bracket_long_function *function, BRACKET_LONG) __attribute__((visibility("hidden")));

#endif
