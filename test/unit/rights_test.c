// SPDX-License-Identifier: Apache-2.0
/* Yama's rules on machines made of two files. */
#include "capture/proc/rights.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"

static char root[] = "/tmp/inftrace-rights-XXXXXX";

static const char *below(const char *name)
{
	static char path[200];

	snprintf(path, sizeof path, "%s%s", root, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(below(name), "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_root(void **state)
{
	static const char *const folders[] = {
		"/proc", "/proc/self", "/proc/sys", "/proc/sys/kernel", "/proc/sys/kernel/yama", "/proc/7"
	};

	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (mkdir(below(folders[i]), 0700))
			return -1;
	return 0;
}

static int remove_root(void **state)
{
	static const char *const names[] = { "/proc/7/status",
					     "/proc/7",
					     "/proc/sys/kernel/osrelease",
					     "/proc/self/status",
					     "/proc/sys/kernel/yama/ptrace_scope",
					     "/proc/sys/kernel/yama",
					     "/proc/sys/kernel",
					     "/proc/sys",
					     "/proc/self",
					     "/proc",
					     "" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		remove(below(names[i]));
	return 0;
}

static const char *why(const char *scope, const char *rights)
{
	static char text[300];
	char status[64];
	bool is_refused;

	snprintf(status, sizeof status, "Name:\tx\nCapEff:\t%s\n", rights);
	write_file("/proc/self/status", status);
	write_file("/proc/sys/kernel/yama/ptrace_scope", scope);
	is_refused = rights_is_yama(root, text, sizeof text);
	assert_int_equal(is_refused, *text != 0);
	return text;
}

TEST(without_yama_nothing_is_refused)
{
	char text[300] = "x";

	assert_false(rights_is_yama("/nowhere", text, sizeof text));
	assert_string_equal(text, "");
	assert_string_equal(why("0\n", "0000000000000000"), "");
}

TEST(a_user_is_told_the_command_that_helps)
{
	for (const char *scope = "12"; *scope; scope++) {
		char text[] = { *scope, '\n', 0 };
		assert_string_equal(why(text, "0000000000080000"), ""); /* CAP_SYS_PTRACE */
		assert_non_null(strstr(why(text, "000000c000000000"), "CAP_SYS_PTRACE is missing; once: sudo sh -c"));
	}
}

TEST(nothing_helps_against_the_strictest)
{
	assert_non_null(strstr(why("3\n", "000001ffffffffff"), "is 3, which forbids it to all users"));
	assert_null(strstr(why("3\n", "0000000000000000"), "sudo"));
}

static int returns_with(const char *kernel, const char *features, char *text, size_t size)
{
	struct err err = { 0 };
	char status[128];
	int code;

	snprintf(status, sizeof status, "Name:\tshstk\n%sCapEff:\t0\n", features);
	write_file("/proc/7/status", status);
	write_file("/proc/sys/kernel/osrelease", kernel);
	code = rights_check_returns(root, 7, &err);
	snprintf(text, size, "%s", code ? err.msg : "");
	return code;
}

TEST(returns_of_a_program_with_a_shadow_stack_need_a_kernel_that_knows_it)
{
	static const char has[] = "x86_Thread_features:\tshstk wrss \n", has_none[] = "x86_Thread_features:\t\n";
	char text[400];

	assert_int_equal(returns_with("6.10.3-generic\n", has, text, sizeof text), -ENOTSUP);
	assert_non_null(strstr(text, "process 7: it has a shadow stack"));
	assert_int_equal(returns_with("5.15.0\n", has, text, sizeof text), -ENOTSUP);
	assert_int_equal(returns_with("6.11.0\n", has, text, sizeof text), 0);
	assert_int_equal(returns_with("7.0.1\n", has, text, sizeof text), 0);
	assert_int_equal(returns_with("6.6.1\n", has_none, text, sizeof text), 0);
	assert_int_equal(returns_with("6.6.1\n", "", text, sizeof text), 0);
}

TEST_GROUP(make_root, remove_root)
