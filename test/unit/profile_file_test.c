// SPDX-License-Identifier: Apache-2.0
/* Files that ONNX Runtime's own profiler writes, by their names. */
#include "capture/source/agent/source_agent_in.h"
#include "cases.h"

TEST(a_profile_is_told_by_the_time_in_its_name)
{
	assert_true(profile_file_is_one("/srv/onnxruntime_profile__2026-11-28_13-01-52_441.json"));
	assert_true(profile_file_is_one("/srv/onnxruntime_profile__2026-11-28_13-01-56.json"));
	assert_true(profile_file_is_one("my_2026-11-28_13-02-04_382.json"));
	assert_false(profile_file_is_one("/srv/report_2026-11-28.json"));
	assert_false(profile_file_is_one("/srv/my_2026-11-28_13-02-04_382.json (deleted)"));
	assert_false(profile_file_is_one("/srv/my_2026-11-28_13-02-04_382.log"));
	assert_false(profile_file_is_one("_382.json"));
	assert_false(profile_file_is_one(".json"));
	assert_false(profile_file_is_one(""));
}
