// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/stats_ratio.h"

#include <math.h>
#include <stdlib.h>

#include "cases.h"

TEST(ratio_says_no_difference_when_intervals_overlap)
{
	struct stats_ratio ratio = stats_ratio(200, 10, 100, 5);

	assert_true(ratio.is_known && ratio.is_different && ratio.value == 2);
	assert_true(ratio.low > 1.85 && ratio.low < 1.87 && ratio.high > 2.14 && ratio.high < 2.16);
	ratio = stats_ratio(104, 3, 100, 2);
	assert_true(ratio.is_known && !ratio.is_different);
	ratio = stats_ratio(104, NAN, 100, 2);
	assert_true(!ratio.is_known && !ratio.is_different && ratio.value == 1.04 && isnan(ratio.low));
	assert_true(isnan(stats_ratio(1, 0, 0, 0).value));
	ratio = stats_ratio(200, 10, 100, 5);
	assert_true(stats_ratio_of_single(ratio, 1.9).is_different);
	assert_false(stats_ratio_of_single(ratio, 1.02).is_different);
	assert_false(stats_ratio_of_single(ratio, 0.5).is_different);
	assert_false(stats_ratio_of_single(ratio, NAN).is_different);
	assert_true(stats_ratio_of_single(stats_ratio(100, 5, 200, 10), 0.5).is_different);
	assert_true(isnan(stats_ratio(100, 50, 100, 100).high));
}
