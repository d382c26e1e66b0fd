// SPDX-License-Identifier: Apache-2.0
/* What the kernel says of a thread that waits, and memory that is there or not. */
#include "capture/stacks/stack_call.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/processor.h"
#include "cases.h"

static bool parse(const char *text, struct stack_call *to)
{
	return stack_call_parse(text, strlen(text), to);
}

TEST(lines_of_the_kernel_are_read)
{
	struct stack_call call;

	assert_true(parse("running\n", &call));
	assert_true(call.is_running);
	assert_true(parse("202 0x7f0000001000 0x80 0x0 0x0 0x0 0xffffffff 0x7ffd00000010 0x7f00000020aa\n", &call));
	assert_false(call.is_running);
	assert_int_equal(call.number, 202);
	assert_int_equal(call.arg[0], 0x7f0000001000);
	assert_int_equal(call.arg[5], 0xffffffff);
	assert_int_equal(call.sp, 0x7ffd00000010);
	assert_int_equal(call.pc, 0x7f00000020aa);
	assert_true(parse("-1 0x7ffd00000010 0x7f00000020aa\n", &call));
	assert_int_equal(call.number, -1);
	assert_int_equal(call.pc, 0x7f00000020aa);
	assert_false(parse("", &call));
	assert_false(parse("202 0x1\n", &call));
	assert_false(parse("nonsense", &call));
}

TEST(calls_have_names)
{
	enum stack_call_kind kind;

	assert_string_equal(stack_call_name(SYS_recvfrom, &kind), "recvfrom");
	assert_int_equal(kind, CALL_FILE);
	assert_string_equal(stack_call_name(SYS_futex, &kind), "futex");
	assert_int_equal(kind, CALL_FUTEX);
	assert_string_equal(stack_call_name(SYS_clock_nanosleep, &kind), "clock_nanosleep");
	assert_int_equal(kind, CALL_SLEEP);
	assert_null(stack_call_name(-1, &kind));
	assert_null(stack_call_name(1 << 20, &kind));
	assert_int_equal(kind, CALL_OTHER);
}

/* What a descriptor is, as words. */
static void expect_object(struct stack_sockets *sockets, int fd, const char *words)
{
	char text[300];

	stack_call_object(sockets, getpid(), fd, 1, text, sizeof text);
	assert_string_equal(text, words);
}

TEST(descriptors_have_words)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), ends[2];
	struct stack_sockets sockets = { .read_ns = 0 };
	socklen_t size = sizeof address;
	char words[40];

	assert_int_equal(bind(server, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(server, 1), 0);
	assert_int_equal(getsockname(server, (struct sockaddr *)&address, &size), 0);
	assert_int_equal(connect(client, (struct sockaddr *)&address, size), 0);
	assert_int_equal(pipe(ends), 0);
	snprintf(words, sizeof words, "127.0.0.1:%d", ntohs(address.sin_port));
	expect_object(&sockets, client, words);
	expect_object(&sockets, server, words);
	expect_object(&sockets, ends[0], "a pipe");
	expect_object(&sockets, 9999, "");
	stack_sockets_done(&sockets);
	close(server);
	close(client);
	close(ends[0]);
	close(ends[1]);
}

TEST(memory_is_read_as_far_as_it_is_there)
{
	static struct stack_memory memory;
	const size_t size = page_size();
	char *pages = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), to[3000];
	uint64_t end = (uint64_t)pages + size, ahead[] = { end - 2000, end, (uint64_t)pages };

	for (size_t i = 0; i < 2 * size; i++)
		pages[i] = (char)(i * 7 + i / 512);
	munmap(pages + size, size);
	stack_memory_begin(&memory, getpid());
	stack_memory_ahead(&memory, ahead, sizeof ahead / sizeof *ahead);
	for (size_t length = 1; length <= sizeof to; length = length * 3 / 2 + 1) {
		assert_true(stack_memory_read(&memory, end - length, to, length));
		assert_memory_equal(to, pages + size - length, length);
		assert_false(stack_memory_read(&memory, end - length + 1, to, length));
	}
	assert_false(stack_memory_read(&memory, 0, to, 8));
	assert_false(stack_memory_read(&memory, UINT64_MAX - 3, to, 8));
	/* of a new round nothing is kept */
	pages[8] = 'x';
	stack_memory_begin(&memory, getpid());
	assert_true(stack_memory_read(&memory, (uint64_t)pages + 8, to, 1));
	assert_int_equal(to[0], 'x');
	munmap(pages, size);
}
