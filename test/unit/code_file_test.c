// SPDX-License-Identifier: Apache-2.0
/* Names of functions as people write them; rules and places of this program's own code, by the child. */
#include "capture/code/code_file.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"

static const char *plain(const char *name)
{
	static char text[128];

	code_name_plain(text, sizeof text, name);
	return text;
}

TEST(names_have_neither_parameters_nor_templates)
{
	(void)state;
	assert_string_equal(plain("main"), "main");
	assert_string_equal(plain("copy.constprop.0"), "copy");
	assert_string_equal(plain("_Z1fi"), "f");
	assert_string_equal(plain("_ZN3app6Worker3runEd"), "app::Worker::run");
	assert_string_equal(plain("_ZN3app12_GLOBAL__N_14workEi"), "app::(anonymous namespace)::work");
	assert_string_equal(plain("_ZNK11onnxruntime6MatMulIfE7ComputeEPv"), "onnxruntime::MatMul::Compute");
	assert_string_equal(plain("_ZSt4sortIPdEvT_S1_"), "std::sort");
	assert_string_equal(plain("_ZNKSt8functionIFviEEclEi"), "std::function::operator()");
	assert_string_equal(plain("_ZN9__gnu_cxxmiIPdEElNS_1AIT_EES3_"), "__gnu_cxx::operator-");
	assert_string_equal(plain("_ZZ4mainENKUlvE_clEv"), "main::{lambda()#1}::operator()");
	assert_string_equal(plain("_ZN1r4work17h0123456789abcdefE"), "r::work");
	assert_string_equal(plain("_RNvCs1234_1r9spin_rust"), "r::spin_rust");
	assert_string_equal(plain("_RNvMs0_NtNtNtCsjrHSEGnQ3l9_3std3sys6thread4unixNtB5_6Thread4join"),
			    "std::sys::thread::unix::Thread::join");
	assert_string_equal(plain("_RINvNtC3std2rt10lang_startuEC1r"), "std::rt::lang_start");
	assert_string_equal(plain("_R9999x"), "_R9999x");
	assert_string_equal(plain("_Znonsense"), "_Znonsense");
	assert_string_equal(plain("bell\a"), "bell?");
}

/* The offset in its file of an address of this program. */
static uint64_t offset_of(const void *address)
{
	char line[512];
	unsigned long start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t found = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && (uintptr_t)address >= start &&
		    (uintptr_t)address < end)
			found = (uintptr_t)address - start + offset;
	fclose(maps);
	return found;
}

TEST(child_knows_functions_and_their_callers)
{
	uint64_t offset = offset_of((const void *)plain);
	struct code_question question = { .number = 7, .kind = CODE_PLACE, .has_file = 1, .offset = offset };
	struct code_reader reader = { 0 };
	struct code_answer answer;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(code_reader_start(&reader, false), 0);
	assert_int_equal(code_reader_ask(&reader, &question, fd), 0);
	close(fd);
	question = (struct code_question){ .number = 8, .kind = CODE_RULE, .offset = offset };
	assert_int_equal(code_reader_ask(&reader, &question, -1), 0);
	question.offset = UINT64_MAX / 2;
	assert_int_equal(code_reader_ask(&reader, &question, -1), 0);
	question.file = 3; /* was never given */
	assert_int_equal(code_reader_ask(&reader, &question, -1), 0);

	assert_int_equal(code_reader_answer(&reader, &answer, 10000), 1);
	assert_int_equal(answer.number, 7);
	assert_true(answer.is_known && answer.place.n > 0);
	assert_string_equal(answer.place.at[answer.place.n - 1].function, "plain");
	assert_int_equal(code_reader_answer(&reader, &answer, 10000), 1);
	assert_true(answer.is_known && answer.rule.cfa == CODE_CFA_SUM && !answer.rule.is_end);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(code_reader_answer(&reader, &answer, 10000), 1);
		assert_false(answer.is_known);
	}
	code_reader_stop(&reader);
}

TEST(a_child_may_take_only_time_that_nobody_wants)
{
	struct code_question question = { .kind = CODE_PLACE, .has_file = 1, .offset = 64 };
	struct code_answer answer;

	(void)state;
	for (int is_idle = 0; is_idle <= 1; is_idle++) {
		struct code_reader reader = { 0 };
		int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

		assert_int_equal(code_reader_start(&reader, is_idle), 0);
		assert_int_equal(code_reader_ask(&reader, &question, fd), 0);
		close(fd);
		assert_int_equal(code_reader_answer(&reader, &answer, 10000), 1);
		assert_int_equal(sched_getscheduler(reader.child), is_idle ? SCHED_IDLE : SCHED_OTHER);
		assert_true(code_reader_cpu_ns(&reader) > 0);
		if (code_reader_hurry(&reader))
			assert_int_equal(sched_getscheduler(reader.child), SCHED_OTHER);
		code_reader_stop(&reader);
		assert_int_equal(code_reader_cpu_ns(&reader), 0);
	}
}

TEST(child_survives_files_that_are_no_code)
{
	static const char *const files[] = { "/etc/passwd", "/dev/null" };
	struct code_reader reader = { 0 };
	struct code_answer answer;

	(void)state;
	assert_int_equal(code_reader_start(&reader, false), 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct code_question question = { .number = i, .file = i, .has_file = 1, .offset = 64 };
		int fd = open(files[i], O_RDONLY | O_CLOEXEC);

		question.kind = i ? CODE_RULE : CODE_PLACE;
		assert_int_equal(code_reader_ask(&reader, &question, fd), 0);
		close(fd);
		assert_int_equal(code_reader_answer(&reader, &answer, 10000), 1);
		assert_true(answer.number == i && !answer.is_known);
	}
	code_reader_stop(&reader);
}
