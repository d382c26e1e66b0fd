// SPDX-License-Identifier: Apache-2.0
#include "capture/proc/proc.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"

#define REST " S 7 10 10 0 -1 4194304 90 1 80 2 70 60 5 4 20 0 3 0 990010 250000000 250 18446744073709551615\n"

static bool parse(const char *text, struct proc_stat *stat)
{
	return proc_stat_parse(text, strlen(text), stat);
}

TEST(stat_gives_its_fields)
{
	struct proc_stat stat;

	assert_true(parse("10 (python3)" REST, &stat));
	assert_string_equal(stat.name, "python3");
	assert_int_equal(stat.state, 'S');
	assert_int_equal(stat.parent, 7);
	assert_int_equal(stat.minor_faults, 90);
	assert_int_equal(stat.major_faults, 80);
	assert_int_equal(stat.cpu_ticks, 130);
	assert_int_equal(stat.n_threads, 3);
	assert_int_equal(stat.start_ticks, 990010);
}

TEST(a_thread_of_the_kernel_is_known_by_its_flag)
{
	struct proc_stat stat;

	assert_true(parse("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 35 0 0 ", &stat));
	assert_true(stat.is_kernel);
	assert_true(parse("2 (python3) S 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 35 0 0 ", &stat));
	assert_false(stat.is_kernel);
}

TEST(a_name_may_hold_anything)
{
	struct proc_stat stat;

	assert_true(parse("10 () (x)" REST, &stat));
	assert_string_equal(stat.name, ") (x");
	assert_true(parse("10 (a) R 1 2 3)" REST, &stat));
	assert_string_equal(stat.name, "a) R 1 2 3");
	assert_int_equal(stat.parent, 7);
	assert_true(parse("10 (a\nb)" REST, &stat));
	assert_string_equal(stat.name, "a\nb");
	assert_true(parse("10 ()" REST, &stat));
	assert_string_equal(stat.name, "");
}

/*
 * A cut is detected at every length except the last few, after the end of the start time; and nothing behind it is
 * read.
 */
TEST(a_cut_stat_is_no_stat)
{
	static const char text[] = "10 (python3)" REST;
	size_t enough = (size_t)(strstr(text, "990010") - text) + strlen("990010 ");
	struct proc_stat stat;

	for (size_t len = 0; len <= strlen(text); len++) {
		char *copy = malloc(len ? len : 1);
		memcpy(copy, text, len);
		assert_int_equal(proc_stat_parse(copy, len, &stat), len >= enough);
		free(copy);
	}
}

TEST(numbers_beyond_64_bits_are_none)
{
	struct proc_stat stat;
	uint64_t value = 5;

	assert_true(parse("1 (x) S 0 1 1 0 -1 0 18446744073709551615 0 0 0 18446744073709551615 9 0 0 20 0 1 0 "
			  "9223372036854775808 0\n",
			  &stat));
	assert_true(stat.minor_faults == UINT64_MAX && stat.cpu_ticks == UINT64_MAX && stat.start_ticks == 1ull << 63);
	assert_false(parse("1 (x) S 0 1 1 0 -1 0 18446744073709551616 0 0 0 0 9 0 0 20 0 1 0 9 0\n", &stat));
	assert_false(parse("1 (x) S 0 1 1 0 -1 0 -1 0 0 0 0 9 0 0 20 0 1 0 9 0\n", &stat));
	assert_false(parse("1 (x) S 4294967296 1 1 0 -1 0 1 0 0 0 0 9 0 0 20 0 1 0 9 0\n", &stat));
	assert_false(proc_number("99999999999999999999 ", 21, 0, &value));
	assert_int_equal(value, 5);
}

TEST(a_thread_tells_how_long_it_ran_and_waited)
{
	struct proc_sched sched = { 5, 6 };

	assert_false(proc_thread_sched("", getpid(), INT32_MAX, &sched));
	assert_true(sched.ran_ns == 5 && sched.waited_ns == 6);
	if (access("/proc/self/schedstat", R_OK) != 0)
		skip();
	sched.ran_ns = 0;
	while (!sched.ran_ns) { /* it is summed up when another thread gets the CPU */
		sched_yield();
		assert_true(proc_thread_sched("", getpid(), getpid(), &sched));
	}
}

TEST(a_field_is_found_at_the_beginning_of_its_line)
{
	static const char text[] =
	    "Name:\tVmHWM: 1\nXVmHWM:\t2 kB\nVmHWMX:\t3 kB\nVmHWM:\t   4 kB\nPss:            12 kB\nEmpty:\nCut:\t55";
	uint64_t value = 0;

	assert_true(proc_field(text, strlen(text), "VmHWM", &value));
	assert_int_equal(value, 4);
	assert_true(proc_field(text, strlen(text), "Pss", &value));
	assert_int_equal(value, 12);
	assert_false(proc_field(text, strlen(text), "Empty", &value));
	assert_false(proc_field(text, strlen(text), "Cut", &value));
	assert_false(proc_field(text, strlen(text), "Missing", &value));
	assert_false(proc_field("", 0, "Missing", &value));
}

TEST(the_first_line_of_stat_is_the_machine)
{
	static const char text[] = "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 1 1 1\n", old[] = "cpu  1 2 3 4\n",
			  none[] = "cpu0 1 2 3 4\n", cut[] = "cpu  1 2 3 4 5";
	struct proc_cpu cpu;

	assert_true(proc_cpu_parse(text, strlen(text), &cpu));
	for (int i = 0; i < N_CPU_FIELDS; i++)
		assert_int_equal(cpu.ticks[i], i + 1);
	assert_true(proc_cpu_parse(old, strlen(old), &cpu));
	assert_int_equal(cpu.ticks[CPU_STEAL], 0);
	assert_false(proc_cpu_parse(none, strlen(none), &cpu));
	assert_false(proc_cpu_parse(cut, strlen(cut), &cpu));
	assert_false(proc_cpu_parse("cpu  1 2 x 4\n", 13, &cpu));
	assert_false(proc_cpu_parse("cpu", 3, &cpu));
}

TEST(pressure_is_the_total_of_some)
{
	static const char text[] = "some avg10=1.53 avg60=0.87 total=58761459\nfull avg10=0.00 total=44\n",
			  full[] = "full total=44\n", cut[] = "some avg10=1.53 total=5876",
			  none[] = "some avg10=1.53\nfull total=44\n";
	uint64_t value = 0;

	assert_true(proc_pressure(text, strlen(text), &value));
	assert_int_equal(value, 58761459);
	assert_false(proc_pressure(full, strlen(full), &value));
	assert_false(proc_pressure(cut, strlen(cut), &value));
	assert_false(proc_pressure(none, strlen(none), &value));
	assert_false(proc_pressure("so\n", 3, &value));
}

TEST(ticks_that_do_not_fit_are_the_most)
{
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);

	assert_int_equal(proc_ticks_ns(hz * 3 + hz / 2), 3500000000);
	assert_true(proc_ticks_ns(UINT64_MAX) == UINT64_MAX);
}

TEST(a_kept_file_is_read_anew_each_time)
{
	struct proc_file file = { 0 };
	char first[1024], second[1024];

	assert_true(proc_file_read(&file, "", getpid(), "stat", first, sizeof first) > 0);
	assert_int_not_equal(file.slot, 0);
	assert_true(proc_file_read(&file, "", getpid(), "stat", second, sizeof second) > 0);
	assert_memory_equal(first, second, 10);
	proc_file_close(&file);
	assert_int_equal(proc_read("", 0, "no such file", first, sizeof first), -ENOENT);
	assert_int_equal(proc_read("", getpid(), "no such file", first, sizeof first), -ENOENT);
	assert_int_equal(proc_read("", 0x7fffffff, "stat", first, sizeof first), -ESRCH);
}
