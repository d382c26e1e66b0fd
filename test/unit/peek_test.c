// SPDX-License-Identifier: Apache-2.0
/* Reading this process's memory, also in a sandbox that forbids process_vm_readv. */
#include "runtime/find/peek.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/processor.h"
#include "cases.h"

static const char text[] = "some text";

/* What is there is read, what is not there is not, and errno stays. */
static bool reads_as_it_should(void)
{
	const size_t size = page_size();
	char *page = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char to[sizeof text] = "";

	munmap(page, size);
	errno = 7;
	if (!peek_read((uint64_t)text, to, sizeof to) || strcmp(to, text) || peek_read((uint64_t)page, to, 1) ||
	    peek_read(8, to, 1))
		return false;
	memset(to, 0, sizeof to);
	if (!peek_two((uint64_t)text + 5, to + 5, sizeof to - 5, (uint64_t)text, to, 5) || strcmp(to, text) ||
	    peek_two((uint64_t)text, to, 1, (uint64_t)page, to, 1) ||
	    peek_two((uint64_t)page, to, 1, (uint64_t)text, to, 1) || peek_two((uint64_t)text, to, 1, 8, to, 1))
		return false;
	/* over the end of a page, behind which there is nothing, and at it */
	page = mmap(NULL, 2 * size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page + size, size);
	return !peek_read((uint64_t)page + size - 3, to, 4) && peek_read((uint64_t)page + size - 3, to, 3) &&
	       errno == 7;
}

static bool forbid(uint32_t call)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TEST(memory_is_read_where_it_is)
{
	assert_true(reads_as_it_should());
}

TEST(a_sandbox_without_the_system_call_changes_nothing)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(!forbid(SYS_process_vm_readv) ? 2 : !reads_as_it_should());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

TEST(a_sandbox_without_files_either_changes_nothing)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(!forbid(SYS_process_vm_readv) || !forbid(SYS_openat) ? 2 : !reads_as_it_should());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Objects as the C++ library lays them out: { something, std::string }. */
struct object {
	uint64_t other;
	const char *text;
	uint64_t len;
	char inside[16];
};

static int string_of(const struct object *object, char *to, size_t size)
{
	struct object copy = *object;

	return peek_string_in((uint64_t)object, &copy, offsetof(struct object, text), to, size);
}

TEST(a_string_is_read_from_a_copy_of_its_object)
{
	struct object near = { .len = 5, .inside = "Relu6" }, far = { .text = "a text on the heap", .len = 18 };
	struct object empty = { 0 }, lost = { .text = (const char *)8, .len = 4 };
	char got[32];

	near.text = near.inside;
	empty.text = empty.inside;
	assert_int_equal(string_of(&near, got, sizeof got), 5);
	assert_string_equal(got, "Relu6");
	assert_int_equal(string_of(&far, got, sizeof got), 18);
	assert_string_equal(got, "a text on the heap");
	assert_int_equal(string_of(&far, got, 12), 11);
	assert_string_equal(got, "a text o...");
	assert_int_equal(string_of(&empty, got, sizeof got), 0);
	assert_int_equal(string_of(&lost, got, sizeof got), -1);
	near.len = 4; /* no NUL there */
	assert_int_equal(string_of(&near, got, sizeof got), -1);
	near.len = 5;
	near.inside[2] = 1;
	assert_int_equal(string_of(&near, got, sizeof got), -1);
	far.len = (uint64_t)&near;
	assert_int_equal(string_of(&far, got, sizeof got), -1);
}
