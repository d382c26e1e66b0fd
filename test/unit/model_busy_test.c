// SPDX-License-Identifier: Apache-2.0
#include "analyze/result/model/model_busy.h"

#include <math.h>
#include <stdio.h>

#include "cases.h"
#include "stream.h"

#define US UINT64_C(1000)
#define S_US UINT64_C(1000000)
#define S_NS UINT64_C(1000000000)

TEST(samples_count_as_long_as_they_are_of)
{
	struct stream s;
	uint32_t machine, other;

	stream_init(&s);
	other = stream_counter(&s, 0, "cpu pressure", "%");
	machine = stream_counter(&s, 0, "cpu", "%");
	for (uint64_t i = 0; i <= 10; i++) {
		stream_sample(&s, other, i * S_US, 77);
		stream_sample(&s, machine, i * S_US, i <= 4 ? 20 : 100);
	}
	assert_true(fabs(model_busy_find(s.store, 0, 10 * S_NS) - (4 * 0.2 + 6) / 10) < 1e-9);
	assert_true(fabs(model_busy_find(s.store, 5 * S_NS / 2, 5 * S_NS) - (1.5 * 0.2 + 1) / 2.5) < 1e-9);
	stream_done(&s);
}

TEST(what_was_not_sampled_is_not_known)
{
	struct stream s;
	uint32_t machine;

	stream_init(&s);
	assert_true(isnan(model_busy_find(s.store, 0, S_NS)));
	machine = stream_counter(&s, 0, "cpu", "%");
	stream_sample(&s, machine, S_US, 50);
	assert_true(isnan(model_busy_find(s.store, 0, S_NS)));
	stream_sample(&s, machine, 2 * S_US, 50);
	assert_true(fabs(model_busy_find(s.store, S_NS, 3 * S_NS) - 0.5) < 1e-9);
	assert_true(isnan(model_busy_find(s.store, S_NS, 4 * S_NS)));
	assert_true(isnan(model_busy_find(s.store, 2 * S_NS, 2 * S_NS)));
	stream_done(&s);
}
