// SPDX-License-Identifier: Apache-2.0
/* Names of machine code, while the child that reads them is held up: this program's own code and the C library's. */
#include "capture/stacks/stack_image.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

#define HELD_UP_NS UINT64_C(130000000000)

/* Of 10 ms: the child takes CPU time that no other program wants. */
enum { PATIENCE = 10000 };

/* The address in the file that contains it. */
static uint32_t frame_of(struct stack_images *images, struct names *names, const void *address)
{
	struct modules modules;
	uint32_t frame = 0;
	struct err err;

	assert_int_equal(modules_read(&modules, "", getpid(), &err), 0);
	for (size_t i = 0; i < modules.n; i++) {
		const struct module *module = &modules.module[i];
		uint64_t at = (uintptr_t)address;

		if (at >= module->start && at < module->end)
			frame = stack_image_frame(images, names, stack_image_of(images, names, getpid(), module),
						  at - module->start + module->offset);
	}
	modules_done(&modules);
	return frame;
}

static const char *function_of(const struct stack_images *images, struct names *names, uint64_t number)
{
	const struct stack_code *code = stack_image_code(images, number);
	uint32_t frame = ((const uint32_t *)images->frame.data)[code->begin + code->n - 1];

	assert_true(code->is_answered);
	return names_text(names, callstacks_frame_of(names_callstacks(names), frame)->function);
}

TEST(a_child_that_is_given_up_costs_one_file_its_names)
{
	struct stack_images images = { 0 };
	struct names *names = names_new();
	struct code_reader *reader = &images.reader[CODE_PLACE];
	uint64_t now = 1;

	(void)state;
	assert_true(frame_of(&images, names, (const void *)getenv));
	assert_true(frame_of(&images, names, (const void *)frame_of));
	assert_int_equal(code_reader_start(reader, true), 0);
	assert_int_equal(kill(reader->child, SIGSTOP), 0);
	assert_int_equal(waitpid(reader->child, NULL, WUNTRACED), reader->child);
	stack_images_work(&images, names, now);
	now += HELD_UP_NS;
	stack_images_work(&images, names, now);
	assert_int_equal(reader->n_starts, 2);
	/* the second one has had no time */
	for (int i = 0; i < PATIENCE && images.n_answered < 2; i++) {
		stack_images_work(&images, names, ++now);
		usleep(10000);
	}
	assert_int_equal(reader->n_starts, 2);
	assert_string_equal(function_of(&images, names, 1), "frame_of");
	stack_images_done(&images);
	names_free(names);
}

TEST(a_child_that_waits_for_a_cpu_is_not_given_up)
{
	struct stack_images images = { 0 };
	struct names *names = names_new();
	const struct code_reader *reader = &images.reader[CODE_PLACE];
	uint64_t now = 1;
	cpu_set_t before, one;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_true(frame_of(&images, names, (const void *)getenv));
	stack_images_work(&images, names, now);
	/* this process has the CPU */
	for (int i = 0; i < 3; i++)
		stack_images_work(&images, names, now += HELD_UP_NS);
	assert_int_equal(reader->n_starts, 1);
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
	for (int i = 0; i < PATIENCE && !images.n_answered; i++) {
		stack_images_work(&images, names, ++now);
		usleep(10000);
	}
	assert_string_equal(function_of(&images, names, 0), "getenv");
	stack_images_done(&images);
	names_free(names);
}
