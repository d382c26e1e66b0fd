// SPDX-License-Identifier: Apache-2.0
#include "model/run/genai_folder.h"

#include <errno.h>
#include <string.h>

#include "cases.h"

static int parse(struct genai_folder *to, const char *text, struct err *err)
{
	return genai_folder_parse(to, text, strlen(text), err);
}

TEST(the_decoder_and_its_limits_are_read)
{
	static struct genai_folder folder;
	struct err err = { 0 };

	assert_int_equal(parse(&folder,
			       "{\"model\":{\"type\":\"phi3\",\"context_length\":4096,\"decoder\":{\"head_size\":96,"
			       "\"filename\":\"a.onnx\"}},\"search\":{\"past_present_share_buffer\":true}}",
			       &err),
			 0);
	assert_string_equal(folder.model, "a.onnx");
	assert_int_equal(folder.context_length, 4096);
	assert_true(folder.shares_buffer);
	assert_int_equal(parse(&folder, "{\"model\":{\"decoder\":{\"filename\":\"a.onnx\"}}}", &err), 0);
	assert_int_equal(folder.context_length, 0);
	assert_false(folder.shares_buffer);
}

static void refuses(const char *text, const char *why)
{
	static struct genai_folder folder;
	struct err err = { 0 };

	assert_true(parse(&folder, text, &err) < 0);
	assert_non_null(strstr(err.msg, why));
}

TEST(what_cannot_be_run_is_refused_with_the_reason)
{
	refuses("{\"model\":{\"decoder\":{\"pipeline\":[]}}}", "pipeline");
	refuses("{\"model\":{\"decoder\":{\"filename\":\"\"}}}", "names no file");
	refuses("[]", "names no file");
	refuses("{\"model\":", "not JSON");
	refuses("{} {}", "not JSON");
}
