// SPDX-License-Identifier: Apache-2.0
/*
 * The personality routines of bracket_call and bracket_call_operator, as the Itanium C++ ABI (Exception
 * Handling, 1.6.3) describes it. They stop no exception and need nothing of the unwinder's library.
 */
#include "capture/agent/run/bracket.h"

#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/run/inference.h"
#include "runtime/find/peek.h"

enum { CLEANUP_PHASE = 2, CONTINUE_UNWIND = 8 };

/*
 * libstdc++ (unwind-cxx.h): before an exception lie the unwinder's header and, before that, fields of the C++ library,
 * of which the first is its type. One that was thrown again from std::exception_ptr has the address of the first one in
 * that place.
 */
enum { UNWIND_HEADER = 32, FIELDS = 80 };

/* The class of its exceptions, low byte first: 0, or 1 for one that was thrown again. */
static const char gnu_cpp[7] = { '+', '+', 'C', 'C', 'U', 'N', 'G' };

/* The first base of a class, at offset 0; else 0, or what is no type_info. */
static uint64_t base_of(uint64_t type)
{
	enum { MOST_BASES = 16 };
	uint64_t word = peek_word(type + 16);

	/* { u32 flags, u32 count, { base, offset << 8 | flags }... } of a class with several, or a base of its own kind
	 */
	if ((uint32_t)word < MOST_BASES && word >> 32 && word >> 32 < MOST_BASES)
		return peek_word(type + 32) >> 8 ? 0 : peek_word(type + 24);
	return word;
}

/* Whether objects of this type are or derive from std::exception, whose third virtual function is `what`. */
static bool has_what(uint64_t type)
{
	enum { DEEPEST = 8, LEN = 16 };

	for (int i = 0; i < DEEPEST && type; i++) {
		char name[LEN] = "";

		peek_read(peek_word(type + 8), name, sizeof name - 1);
		if (!strcmp(name, "St9exception"))
			return true;
		type = base_of(type);
	}
	return false;
}

/* Text id; 0: not known. */
static uint32_t message_of(const char *class, uint64_t exception)
{
	uint64_t object = *class ? peek_word(exception - FIELDS) : exception + UNWIND_HEADER, table;
	const char *text;

	if (memcmp(class + 1, gnu_cpp, sizeof gnu_cpp) || !has_what(peek_word(object - UNWIND_HEADER - FIELDS)) ||
	    !(table = peek_word(object)))
		return 0;
	text = ((const char *(*)(uint64_t))peek_word(table + 16))(object);
	return text ? dict_text_of_run(text, strnlen(text, 2000)) : 0;
}

__attribute__((used, visibility("hidden"))) int bracket_personality(int version, int actions, uint64_t class,
								    void *exception, void *context);

int bracket_personality(int version, int actions, uint64_t class, void *exception, void *context)
{
	struct thread *thread = self_thread;
	const struct bracket *top;
	int saved = errno;

	if (!(actions & CLEANUP_PHASE) || !thread || !thread->brackets.n)
		return CONTINUE_UNWIND;
	top = &thread->brackets.at[--thread->brackets.n];
	if (thread->generation == hot->generation)
		top->left(thread, top, message_of((const char *)&class, (uint64_t)exception));
	errno = saved;
	return CONTINUE_UNWIND;
}

__attribute__((noinline)) bracket_word bracket_call(bracket_function *function, bracket_word a, bracket_word b,
						    bracket_word c, bracket_word d, bracket_word e, bracket_word f,
						    bracket_word g, bracket_word h, bracket_word i, bracket_word j,
						    bracket_word k, bracket_word l)
{
	bracket_word r;

	/* relative to its own place, four bytes */
	__asm__ volatile(".cfi_personality 0x1b, bracket_personality");
	r = function(a, b, c, d, e, f, g, h, i, j, k, l);
	__asm__ volatile("" : "+r"(r)); /* a frame of its own: no jump */
	return r;
}

__attribute__((used, visibility("hidden"))) int bracket_operator_personality(int version, int actions, uint64_t class,
									     void *exception, void *context);

int bracket_operator_personality(int version, int actions, uint64_t class, void *exception, void *context)
{
	struct thread *thread = self_thread;
	int saved = errno;
	uint32_t message;

	if (!(actions & CLEANUP_PHASE) || !thread || !thread->depth || thread->generation != hot->generation)
		return CONTINUE_UNWIND;
	thread->depth--;
	message = message_of((const char *)&class, (uint64_t)exception);
	inference_end_operator(thread, &thread->open[thread->depth], agent_now(),
			       message ? message : dict_text("failed", 6));
	errno = saved;
	return CONTINUE_UNWIND;
}

__attribute__((noinline)) bracket_word bracket_call_operator(bracket_word a, bracket_word b, bracket_word c,
							     bracket_word d, bracket_word e,
							     bracket_operator_function *function)
{
	bracket_word r;

	__asm__ volatile(".cfi_personality 0x1b, bracket_operator_personality");
	r = function(a, b, c, d, e);
	__asm__ volatile("" : "+r"(r));
	return r;
}

__attribute__((noinline)) bracket_word bracket_call_short(bracket_short_function *function, bracket_word a,
							  bracket_word b, bracket_word c, bracket_word d,
							  bracket_word e, bracket_word f)
{
	bracket_word r;

	__asm__ volatile(".cfi_personality 0x1b, bracket_personality");
	r = function(a, b, c, d, e, f);
	__asm__ volatile("" : "+r"(r));
	return r;
}

__attribute__((noinline)) bracket_word bracket_call_long(bracket_long_function *function, BRACKET_LONG)
{
	bracket_word r;

	__asm__ volatile(".cfi_personality 0x1b, bracket_personality");
	r = function(BRACKET_PASS_LONG);
	__asm__ volatile("" : "+r"(r));
	return r;
}
