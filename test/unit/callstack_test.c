// SPDX-License-Identifier: Apache-2.0
#include "event/callstack.h"

#include <string.h>

#include "cases.h"
#include "event/sample.h"

TEST(equal_frames_and_stacks_have_one_id)
{
	struct callstacks *stacks = callstacks_new();
	uint32_t main_line = callstacks_frame(stacks, &(struct frame){ FRAME_PYTHON, .function = 3, .line = 7 });
	uint32_t other_line = callstacks_frame(stacks, &(struct frame){ FRAME_PYTHON, .function = 3, .line = 8 });
	uint32_t outer = callstacks_push(stacks, 0, main_line), inner = callstacks_push(stacks, outer, other_line);

	assert_int_not_equal(main_line, other_line);
	assert_int_equal(callstacks_frame(stacks, &(struct frame){ FRAME_PYTHON, .function = 3, .line = 7 }),
			 main_line);
	assert_int_equal(callstacks_push(stacks, 0, main_line), outer);
	assert_int_equal(callstacks_push(stacks, outer, other_line), inner);
	assert_int_equal(callstacks_get(stacks, inner)->caller, outer);
	assert_int_equal(callstacks_get(stacks, inner)->depth, 2);
	assert_int_equal(callstacks_frame_of(stacks, callstacks_get(stacks, inner)->frame)->line, 8);
	assert_int_equal(callstacks_n(stacks), 2);
	assert_null(callstacks_get(stacks, 0));
	assert_null(callstacks_get(stacks, 3));
	assert_int_equal(callstacks_push(stacks, inner, 99), inner);
	callstacks_free(stacks);
}

/* A recursion without end takes no memory without end. */
TEST(a_full_dictionary_gives_the_caller)
{
	struct callstacks *stacks = callstacks_new();
	uint32_t frame = callstacks_frame(stacks, &(struct frame){ FRAME_NATIVE, .offset = 16 }), at = 0;

	for (uint32_t i = 1; i <= CALLSTACK_MAX; i++) {
		at = callstacks_push(stacks, at, frame);
		if (at != i)
			fail();
	}
	assert_int_equal(callstacks_push(stacks, at, frame), at);
	assert_int_equal(callstacks_push(stacks, 0, frame), 1);
	callstacks_free(stacks);
}

TEST(states_are_known_by_their_words)
{
	assert_string_equal(sample_state_name(N_SAMPLE_STATES - 1), "was stopped");
	assert_string_equal(sample_state_name(N_SAMPLE_STATES), "");
}
