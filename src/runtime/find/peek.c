// SPDX-License-Identifier: Apache-2.0
/*
 * Reads this process's memory by a system call, which fails where a load would crash. Not for the hot path. Where a
 * sandbox forbids process_vm_readv, as Docker's did for a long time, the same is read from /proc/thread-self/mem.
 * Both by the thread: a process whose first thread has ended (pthread_exit) has no memory by its own number. Where that
 * is forbidden, too, a call that nearly every sandbox allows tells what can be loaded.
 *
 * std::string takes 32 bytes { text, length, ... } or, in the C++ library's ABI before version 5, 8 bytes: a pointer to
 * the text, with the length 24 bytes before the text.
 */
#include "runtime/find/peek.h"

#include <ctype.h>
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/syscalls.h"
#include "runtime/find/image.h"

static bool read_file(uint64_t from, void *to, size_t size)
{
	bool ok = false;
	int fd;

	call_begin();
	fd = call_open("/proc/thread-self/mem", O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0) {
		ok = call_pread(fd, to, size, from) == (ssize_t)size;
		call_close(fd);
	}
	call_end();
	return ok;
}

/*
 * Asks the futex call about a word on each page and then loads: a thread that unmaps the page between the two would be
 * the end. The call compares, and moves no waiter even if the word is equal.
 */
static bool read_checked(uint64_t from, void *to, size_t size)
{
	uint64_t last = (from + size - 1) & ~3ull;

	for (uint64_t at = from & ~3ull;; at = (at | 4095) + 1 < last ? (at | 4095) + 1 : last) {
		if (CALL(SYS_futex, (long)at, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, (long)at) && errno != EAGAIN)
			return false;
		if (at >= last)
			break;
	}
	memcpy(to, (const void *)from, size);
	return true;
}

bool peek_read(uint64_t from, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)from, size };
	int saved = errno;
	ssize_t n = from >= 4096 ? CALL(SYS_process_vm_readv, call_tid(), (long)&local, 1, (long)&remote, 1) : 0;
	bool ok = n == (ssize_t)size;

	if (n < 0 && errno != EFAULT)
		ok = read_file(from, to, size) || (errno != EIO && read_checked(from, to, size));
	errno = saved;
	return ok;
}

bool peek_two(uint64_t from, void *to, size_t size, uint64_t other_from, void *other, size_t other_size)
{
	struct iovec local[2] = { { to, size }, { other, other_size } };
	struct iovec remote[2] = { { (void *)from, size }, { (void *)other_from, other_size } };
	int saved = errno;
	ssize_t n = from >= 4096 && other_from >= 4096
			? CALL(SYS_process_vm_readv, call_tid(), (long)local, 2, (long)remote, 2)
			: 0;

	errno = saved;
	/* where that call is forbidden there are other ways */
	return n == (ssize_t)(size + other_size) ||
	       (peek_read(from, to, size) && peek_read(other_from, other, other_size));
}

uint64_t peek_word(uint64_t from)
{
	uint64_t word;

	return peek_read(from, &word, 8) ? word : 0;
}

static bool is_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] < 32 && !strchr("\n\t", text[i])) || text[i] == 127)
			return false;
	return true;
}

int peek_counted(uint64_t text, uint64_t len, char *to, size_t size)
{
	uint64_t kept = len < size - 1 ? len : size - 1;
	char end = 1;

	*to = 0;
	if (!text || len > 1 << 20)
		return -1;
	/* a text of full length must end in NUL */
	if (!peek_read(text, to, kept < len ? kept : kept + 1)) {
		*to = 0;
		return -1;
	}
	if (kept == len)
		end = to[len];
	else if (!peek_read(text + len, &end, 1))
		end = 1;
	to[kept] = 0;
	if (kept < len && kept > 3)
		memcpy(to + kept - 3, "...", 3);
	if (end || !is_text(to, kept)) {
		*to = 0;
		return -1;
	}
	return (int)kept;
}

int peek_string_in(uint64_t object, const void *copy, size_t offset, char *to, size_t size)
{
	enum { INSIDE = 16, ROOM = 16 };
	const char *inside = (const char *)copy + offset + INSIDE;
	uint64_t words[2]; /* text and length */

	memcpy(words, (const char *)copy + offset, sizeof words);
	if (words[0] != object + offset + INSIDE || words[1] >= ROOM || words[1] >= size)
		return peek_counted(words[0], words[1], to, size);
	*to = 0;
	if (inside[words[1]] || !is_text(inside, words[1]))
		return -1;
	memcpy(to, inside, words[1] + 1);
	return (int)words[1];
}

int peek_string_abi(uint64_t string, bool is_old, char *to, size_t size)
{
	uint64_t words[2]; /* text and length */

	*to = 0;
	if (is_old) {
		words[0] = peek_word(string);
		words[1] = words[0] ? peek_word(words[0] - 24) : 0;
	} else if (!peek_read(string, words, sizeof words)) {
		return -1;
	}
	return peek_counted(words[0], words[1], to, size);
}

int peek_string(uint64_t string, char *to, size_t size)
{
	int len = peek_string_abi(string, false, to, size);

	return len >= 0 ? len : peek_string_abi(string, true, to, size);
}

int peek_class(uint64_t object, char *to, size_t size)
{
	uint64_t type = peek_word(peek_word(object) - 8);
	char mangled[160] = "";
	const char *at = mangled, *last = mangled;
	size_t len = 0;

	for (uint64_t text = peek_word(type + 8); len < sizeof mangled - 1; len++)
		if (!peek_read(text + len, mangled + len, 1) || !mangled[len])
			break;
	mangled[len] = 0;
	at += *at == 'N';
	while (isdigit((unsigned char)*at)) {
		size_t n = 0;
		while (isdigit((unsigned char)*at) && n < sizeof mangled)
			n = n * 10 + (size_t)(*at++ - '0');
		if (n > strlen(at))
			break;
		last = at;
		len = n;
		at += n;
	}
	if (!len || len >= size)
		return -1;
	memcpy(to, last, len);
	to[len] = 0;
	return (int)len;
}

static int peek_text(uint64_t text, char *to, size_t size)
{
	size_t len = 0;
	bool is_there = true;

	for (; len < size - 1; len++)
		if (!(is_there = peek_read(text + len, to + len, 1)) || !to[len])
			break;
	to[len] = 0;
	return is_there && is_text(to, len) ? (int)len : -1;
}

int peek_path(const char *path, uint64_t object, char *to, size_t size)
{
	uint64_t at = object;

	*to = 0;
	for (; *path; path++) {
		uint64_t offset = 0;
		while (isdigit((unsigned char)*path))
			offset = offset * 10 + (uint64_t)(*path++ - '0');
		at += offset;
		if (*path == '>')
			at = peek_word(at);
		else if (*path == 's')
			return peek_string(at, to, size);
		else if (*path == 'c')
			return peek_text(peek_word(at), to, size);
		else if (*path == 't')
			return peek_text(at, to, size);
		else if (*path == 'r')
			return peek_class(at, to, size);
		else
			return -1;
	}
	return -1;
}
