// SPDX-License-Identifier: Apache-2.0
#include "capture/decode/workers.h"

#include "cases.h"

TEST(a_thread_that_ended_is_found_no_more)
{
	enum { MANY = 100000, LIVING = 20 };
	struct workers workers = { 0 };

	for (int32_t tid = 0; tid < MANY; tid++) {
		struct worker *worker = workers_add(&workers, tid, (uint64_t)tid, 0);

		assert_ptr_equal(workers_find(&workers, tid), worker);
		worker->track = (uint32_t)tid + 1;
		if (tid >= LIVING)
			workers_end(&workers, workers_find(&workers, tid - LIVING), (uint64_t)tid);
	}
	for (int32_t tid = 0; tid < MANY - LIVING; tid++)
		assert_null(workers_find(&workers, tid));
	for (int32_t tid = MANY - LIVING; tid < MANY; tid++)
		assert_int_equal(workers_find(&workers, tid)->track, tid + 1);
	assert_int_equal(workers.living.n, LIVING);
	assert_true(workers.living.n_slots <= 64 && workers.n <= WORKERS_EARLY + 2 * LIVING);
	workers_done(&workers);
}
