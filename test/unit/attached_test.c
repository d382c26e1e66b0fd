// SPDX-License-Identifier: Apache-2.0
/* Programs are children of this one, which end when they are told to. */
#include "capture/recorder/attached.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

enum { MANY = 150 };

static pid_t start(void)
{
	pid_t child = fork();

	if (!child) {
		/* also where a case fails */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static bool is_readable(int fd)
{
	struct pollfd poller = { fd, POLLIN, 0 };

	return poll(&poller, 1, 0) == 1;
}

TEST(who_has_ended_is_taken_out_of_many)
{
	struct attached attached;
	struct attached_end ended;
	struct err err = { 0 };
	pid_t child[MANY];
	int seen[MANY] = { 0 }, other[2];

	assert_int_equal(attached_init(&attached, &err), 0);
	assert_int_equal(pipe(other), 0);
	assert_int_equal(attached_watch(&attached, other[0], &err), 0);
	for (int i = 0; i < MANY; i++) {
		child[i] = start();
		assert_int_equal(attached_add(&attached, child[i], 0, &err), 0);
	}
	assert_false(attached_next_ended(&attached, &ended));
	/* what else is waited for is no program */
	assert_int_equal(write(other[1], "", 1), 1);
	assert_false(attached_next_ended(&attached, &ended));
	for (int i = 0; i < MANY; i += 2)
		end(child[i]);
	while (attached_next_ended(&attached, &ended))
		for (int i = 0; i < MANY; i++)
			seen[i] += child[i] == ended.pid;
	for (int i = 0; i < MANY; i++)
		assert_int_equal(seen[i], i % 2 == 0);
	assert_int_equal(attached.n, MANY / 2);
	for (int i = 1; i < MANY; i += 2)
		end(child[i]);
	attached_done(&attached);
	close(other[0]);
	close(other[1]);
}

/* A child that was forked meanwhile has the same descriptions: closing ours takes none of them out. */
TEST(one_that_was_taken_out_is_no_longer_waited_for)
{
	struct attached attached;
	struct attached_end ended;
	struct err err = { 0 };
	pid_t child = start(), holder;

	assert_int_equal(attached_init(&attached, &err), 0);
	assert_int_equal(attached_add(&attached, child, 0, &err), 0);
	holder = start();
	end(child);
	assert_true(attached_next_ended(&attached, &ended));
	assert_int_equal(ended.pid, child);
	assert_false(is_readable(attached.fd));
	end(holder);
	attached_done(&attached);
}
