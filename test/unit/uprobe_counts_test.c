// SPDX-License-Identifier: Apache-2.0
/* What sessions run while no probes are in, by counts in the memory of a process: here, of the test itself. */
#include "capture/probe/uprobe_counts.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"

/* The end of a session. */
struct made_session {
	uint32_t count, padding;
	uint64_t between;
	const char *text;
};

static struct made_session session[100];
static struct uprobe_counts counts;
static uint64_t now_ns;

static void add(uint32_t number, bool is_new)
{
	uprobe_counts_add(&counts, number, (uint64_t)&session[number].text, is_new, now_ns);
}

static void begin(uint32_t n_sessions)
{
	uprobe_counts_done(&counts);
	counts.pid = getpid();
	now_ns = 1000;
	memset(session, 0, sizeof session);
	for (uint32_t i = 0; i <= n_sessions; i++)
		session[i].text = "model_loading_uri";
	for (uint32_t i = 1; i <= n_sessions; i++)
		add(i, false);
}

/* As an inference that probes see. */
static void see(uint32_t number, uint32_t n, bool is_counted)
{
	for (uint32_t i = 0; i < n; i++) {
		now_ns += 1000;
		session[number].count += is_counted;
		uprobe_counts_end(&counts, number, now_ns);
	}
}

static uint64_t take_all(void)
{
	uint64_t n = 0;

	uprobe_counts_look(&counts, now_ns += 1000);
	for (uint32_t i = 0; i < counts.n; i++)
		n += uprobe_counts_take(&counts, i);
	return n;
}

static void close_gate(void)
{
	uprobe_counts_close(&counts, now_ns += 1000);
}

static void open_gate(void)
{
	uprobe_counts_open(&counts, now_ns += 1000);
}

TEST(what_a_session_counts_while_probes_are_out_ran_unseen)
{
	begin(2);
	see(1, 50, true);
	assert_int_equal(take_all(), 0);
	close_gate();
	session[1].count += 300;
	session[2].count += 7;
	uprobe_counts_look(&counts, now_ns += 1000);
	assert_true(uprobe_counts_are_sound(&counts));
	assert_int_equal(uprobe_counts_take(&counts, 0), 300);
	assert_int_equal(uprobe_counts_take(&counts, 1), 7);
	session[1].count += 5;
	open_gate();
	see(1, 50, true);
	assert_int_equal(take_all(), 5);
	assert_int_equal(take_all(), 0);
}

TEST(one_that_began_before_and_was_seen_to_end_is_not_counted_twice)
{
	begin(1);
	see(1, 50, true);
	close_gate();
	see(1, 2, true);
	session[1].count += 10;
	assert_int_equal(take_all(), 10);
}

TEST(one_seen_before_the_gap_and_read_in_it_is_of_the_window)
{
	begin(1);
	session[1].count += 1;
	close_gate();
	uprobe_counts_end(&counts, 1, counts.changed_ns - 1);
	session[1].count += 10;
	assert_int_equal(take_all(), 10);
}

TEST(one_that_ends_in_the_gap_and_is_read_behind_it_is_not_counted_twice)
{
	uint64_t end_ns;

	begin(1);
	see(1, 50, true);
	close_gate();
	session[1].count += 11;
	end_ns = now_ns += 1000;
	open_gate();
	uprobe_counts_end(&counts, 1, end_ns);
	assert_int_equal(take_all(), 10);
	/* handed on already */
	close_gate();
	session[1].count += 1;
	end_ns = now_ns += 1000;
	open_gate();
	assert_int_equal(take_all(), 1);
	uprobe_counts_end(&counts, 1, end_ns);
	close_gate();
	session[1].count += 5;
	assert_int_equal(take_all(), 4);
}

TEST(a_time_before_the_last_look_makes_no_inferences)
{
	begin(1);
	close_gate();
	now_ns += 100000000;
	session[1].count = 1000;
	uprobe_counts_look(&counts, now_ns);
	session[1].count = 3;
	uprobe_counts_look(&counts, now_ns - 1000);
	assert_int_equal(uprobe_counts_take(&counts, 0), 1003);
}

TEST(what_grows_much_faster_than_inferences_end_is_no_count_of_them)
{
	begin(1);
	for (int i = 0; i < 100; i++) {
		session[1].count += 50;
		see(1, 1, false);
	}
	close_gate();
	session[1].count += 50000;
	now_ns += UINT64_C(1000000000);
	assert_int_equal(take_all(), 0);
	assert_false(uprobe_counts_are_sound(&counts));
	/* records that are only not read yet say nothing */
	begin(1);
	session[1].count += 500;
	close_gate();
	session[1].count += 7;
	assert_int_equal(take_all(), 7);
	for (int i = 0; i < 500; i++)
		uprobe_counts_end(&counts, 1, counts.changed_ns - 1);
	now_ns += UINT64_C(1000000000);
	assert_int_equal(take_all(), 0);
	assert_true(uprobe_counts_are_sound(&counts));
}

TEST(a_count_that_begins_anew_goes_on)
{
	begin(1);
	session[1].count = 500;
	close_gate();
	session[1].count = 40;
	assert_int_equal(take_all(), 40);
}

TEST(inferences_that_the_runtime_does_not_count_are_made_up_for)
{
	begin(1);
	see(1, 300, true);
	see(1, 100, false);
	close_gate();
	session[1].count += 3000;
	assert_int_equal(take_all(), 4000);
	assert_true(uprobe_counts_are_sound(&counts));
}

TEST(a_count_that_hardly_counts_is_not_believed)
{
	begin(1);
	see(1, 300, false);
	close_gate();
	session[1].count += 30;
	assert_int_equal(take_all(), 0);
	assert_false(uprobe_counts_are_sound(&counts));
}

TEST(a_count_that_began_anew_in_a_window_says_nothing_about_it)
{
	begin(1);
	see(1, 300, true);
	assert_int_equal(take_all(), 0);
	session[1].count = 0;
	see(1, 100, true);
	assert_int_equal(take_all(), 0);
	see(1, 20, true);
	close_gate();
	/* records that come late */
	for (int i = 0; i < 50; i++)
		uprobe_counts_end(&counts, 1, counts.changed_ns - 100000 + 1);
	session[1].count += 30;
	assert_int_equal(take_all(), 30);
}

TEST(what_it_counted_before_it_began_anew_follows_from_its_rate)
{
	begin(1);
	close_gate();
	now_ns += 100000000;
	session[1].count = 1000;
	uprobe_counts_look(&counts, now_ns);
	now_ns += 100000000;
	session[1].count = 10;
	uprobe_counts_look(&counts, now_ns);
	assert_in_range(uprobe_counts_take(&counts, 0), 1998, 2001);
}

TEST(a_long_window_says_nothing_about_a_count)
{
	begin(1);
	see(1, 300, false);
	now_ns += UINT64_C(2000000000);
	close_gate();
	session[1].count += 30;
	assert_int_equal(take_all(), 30);
}

TEST(a_new_session_is_counted_from_its_begin)
{
	begin(0);
	close_gate();
	session[1].text = "model_loading_uri";
	session[1].count = 20;
	add(1, true);
	session[1].count += 5;
	assert_int_equal(take_all(), 25);
}

TEST(what_is_seen_before_a_session_is_read_is_no_evidence)
{
	begin(1);
	session[1].count = 500;
	session[2] = session[1];
	now_ns += 1000000;
	add(2, false);
	for (int i = 0; i < 400; i++)
		uprobe_counts_end(&counts, 2, now_ns - 500);
	close_gate();
	session[2].count += 10;
	assert_int_equal(take_all(), 10);
	assert_true(uprobe_counts_are_sound(&counts));
}

TEST(another_object_in_its_place_is_not_read)
{
	begin(1);
	close_gate();
	session[1].text = NULL;
	session[1].count = 77;
	assert_int_equal(take_all(), 0);
	assert_false(uprobe_counts_are_sound(&counts));
}

TEST(a_released_session_leaves_what_it_ran)
{
	begin(3);
	close_gate();
	session[2].count += 9;
	uprobe_counts_look(&counts, now_ns += 1000);
	uprobe_counts_release(&counts, 2, now_ns);
	session[2].count = 1000000;
	session[3].count += 4;
	assert_int_equal(take_all(), 13);
	uprobe_counts_tidy(&counts);
	assert_int_equal(counts.n, 2);
	session[3].count += 1;
	assert_int_equal(take_all(), 1);
	assert_true(uprobe_counts_has(&counts, 3) && !uprobe_counts_has(&counts, 2));
	assert_true(uprobe_counts_are_sound(&counts));
}

TEST(a_session_ran_as_fast_as_before_for_half_of_the_time_until_it_was_released)
{
	begin(1);
	close_gate();
	session[1].count = 1000;
	uprobe_counts_look(&counts, now_ns += UINT64_C(100000000));
	uprobe_counts_release(&counts, 1, now_ns + UINT64_C(50000000));
	now_ns += UINT64_C(100000000);
	assert_in_range(take_all(), 1249, 1251);
}

TEST(what_was_read_of_a_process_holds_when_it_has_gone)
{
	begin(1);
	close_gate();
	session[1].count = 1000;
	uprobe_counts_look(&counts, now_ns += UINT64_C(100000000));
	counts.pid = INT32_MAX;
	uprobe_counts_look(&counts, now_ns += UINT64_C(100000000));
	assert_true(uprobe_counts_are_sound(&counts));
	assert_in_range(take_all(), 1499, 1501);
}

TEST(a_session_without_a_count_leaves_an_estimate)
{
	begin(1);
	assert_true(uprobe_counts_are_sound(&counts));
	uprobe_counts_add(&counts, 2, 0, false, now_ns);
	assert_false(uprobe_counts_are_sound(&counts));
	assert_true(uprobe_counts_has(&counts, 2));
	uprobe_counts_release(&counts, 2, now_ns);
	uprobe_counts_tidy(&counts);
	assert_true(uprobe_counts_are_sound(&counts));
	begin(1);
	uprobe_counts_add(&counts, 2, 4096, false, now_ns);
	assert_false(uprobe_counts_are_sound(&counts));
	begin(0);
	assert_false(uprobe_counts_are_sound(&counts));
	begin(1);
	uprobe_counts_release(&counts, 1, now_ns);
	uprobe_counts_tidy(&counts);
	assert_true(uprobe_counts_are_sound(&counts));
}

TEST(memory_that_has_gone_does_not_hide_others)
{
	struct made_session *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	begin(1);
	assert_ptr_not_equal(gone, MAP_FAILED);
	gone->text = "model_loading_uri";
	uprobe_counts_add(&counts, 2, (uint64_t)&gone->text, false, now_ns);
	session[3].text = "model_loading_uri";
	add(3, false);
	assert_int_equal(counts.n, 3);
	close_gate();
	gone->count = 100;
	uprobe_counts_look(&counts, now_ns += 1000);
	munmap(gone, 4096);
	session[1].count += 2;
	session[3].count += 3;
	assert_int_equal(take_all(), 105); /* of the one that has gone, what was read before */
	assert_true(uprobe_counts_are_sound(&counts));
	uprobe_counts_tidy(&counts);
	assert_int_equal(counts.n, 2);
	assert_false(uprobe_counts_has(&counts, 2));
}

TEST(more_sessions_than_one_call_reads)
{
	begin(99);
	close_gate();
	for (uint32_t i = 1; i <= 99; i++)
		session[i].count += i;
	assert_int_equal(take_all(), 99 * 100 / 2);
	uprobe_counts_done(&counts);
}
