// SPDX-License-Identifier: Apache-2.0
/* Functions of code that a program makes while it runs: this program, which writes what its runtime would. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/stacks/stack_image.h"
#include "cases.h"

struct fixture {
	char path[64];
	struct stack_jit jit;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	snprintf(f->path, sizeof f->path, "/tmp/perf-%d.map", (int)getpid());
	unlink(f->path);
	f->jit.pid = getpid();
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	stack_jit_done(&f->jit);
	free(f);
	return 0;
}

static void put(struct fixture *f, const char *text)
{
	FILE *file = fopen(f->path, "a");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* "function|file|line"; "": not known. */
static const char *at(struct fixture *f, uint64_t address)
{
	static char text[512];
	struct code_place place;

	if (!stack_jit_find(&f->jit, address, &place))
		return "";
	assert_int_equal(place.n, 1);
	snprintf(text, sizeof text, "%s|%s|%u", place.at[0].function, place.at[0].file, place.at[0].line);
	return text;
}

#define CASE(name) TEST_FROM(name, struct fixture, f, setup, teardown)

CASE(functions_have_their_names)
{
	assert_string_equal(at(f, 0x1000), "");
	put(f, "1000 20 JS:*resize /srv/my app.js:31:14\n");
	put(f,
	    "0x1020 10 Lcom/example/Scale;::resize\n2000 8 JS:~ /srv/app.js:7:1\n3000 4 LazyCompile:~old /a.js:12\n");
	put(f, "4000 10 Builtin:CallFunction_Any\n");
	assert_string_equal(at(f, 0x101f), "resize /srv/my|app.js|31");
	assert_string_equal(at(f, 0x1020), "Lcom/example/Scale;::resize||0");
	assert_string_equal(at(f, 0x2007), "(anonymous)|/srv/app.js|7");
	assert_string_equal(at(f, 0x3000), "old|/a.js|12");
	assert_string_equal(at(f, 0x400f), "Builtin:CallFunction_Any||0");
	assert_string_equal(at(f, 0x4010), "");
}

CASE(what_comes_later_holds)
{
	put(f, "1000 20 first\n");
	assert_string_equal(at(f, 0x1010), "first||0");
	put(f, "2000 20 sl"); /* is being written */
	assert_string_equal(at(f, 0x2000), "");
	put(f, "ow\n1010 8 again\n");
	assert_string_equal(at(f, 0x2000), "slow||0");
	assert_string_equal(at(f, 0x1010), "again||0");
	assert_string_equal(at(f, 0x1018), "first||0");
}

CASE(nonsense_is_passed_over)
{
	char *line = malloc(5000);

	memset(line, 'x', 5000);
	memcpy(line, "5000 10 ", 8);
	line[4998] = '\n';
	line[4999] = 0;
	put(f, "\n\nno line\n1000\n1000 20\n1000 20 \nffffffffffffffff 20 over\n-1 -1 below\n: :\n");
	put(f, line);
	put(f, "6000 10 JS:*\x1b[31mred /a.js:1:2\n7000 10 JS:*x :1:2\n8000 10 JS:*x /a:99999999999999:1\n");
	assert_string_equal(at(f, 0x1000), "");
	assert_non_null(strstr(at(f, 0x5000), "xxxx"));
	assert_null(strchr(at(f, 0x6000), 0x1b));
	assert_non_null(strstr(at(f, 0x6000), "|/a.js|1"));
	assert_string_not_equal(at(f, 0x7000), "");
	assert_string_not_equal(at(f, 0x8000), "");
	free(line);
}

CASE(only_a_file_of_its_own_is_read)
{
	char other[80];

	snprintf(other, sizeof other, "%s.other", f->path);
	put(f, "1000 20 secret\n");
	assert_int_equal(rename(f->path, other), 0);
	assert_int_equal(symlink(other, f->path), 0);
	assert_string_equal(at(f, 0x1000), "");
	unlink(other);
}
