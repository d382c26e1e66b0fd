// SPDX-License-Identifier: Apache-2.0
#include "base/text/provider.h"

#include <string.h>

#include "cases.h"

TEST(names_of_one_provider_are_one)
{
	assert_true(provider_is("openvino", "OpenVINOExecutionProvider"));
	assert_true(provider_is("CPUExecutionProvider", "CPUExecutionProvider"));
	assert_true(provider_is("nv-tensorrt-rtx", "NvTensorRTRTXExecutionProvider"));
	assert_false(provider_is("cpu", "OpenVINOExecutionProvider"));
	assert_false(provider_is("tensorrt", "NvTensorRTRTXExecutionProvider"));
	assert_false(provider_is("", "") || provider_is(NULL, "cpu") || provider_is("cpu", NULL));
	assert_int_equal(provider_length("CUDAExecutionProvider", strlen("CUDAExecutionProvider")), 4);
	assert_int_equal(provider_length("ExecutionProvider", strlen("ExecutionProvider")), 17);
}

TEST(operators_of_a_gpu_only_start_work)
{
	assert_string_equal(provider_deferred_words("CUDAExecutionProvider", false).s,
			    "operators of CUDA only start work on the device: their time is that of starting it, and "
			    "waiting for the device is in no operator");
	assert_true(provider_is_deferred("WebGpuExecutionProvider") &&
		    provider_is_deferred("MIGraphXExecutionProvider"));
	assert_true(provider_is_deferred("cuda:0") && provider_is_deferred("xpu:1") && provider_is_deferred("cuda"));
	assert_non_null(strstr(provider_deferred_words("cuda:1", false).s, "of cuda:1 only start work"));
	assert_non_null(strstr(provider_deferred_words("TensorrtExecutionProvider", false).s,
			       "of Tensorrt can end before the device has computed them"));
}

TEST(other_operators_take_their_whole_time)
{
	static const char *const names[] = { "CPUExecutionProvider",
					     "OpenVINOExecutionProvider",
					     "QNNExecutionProvider",
					     "XnnpackExecutionProvider",
					     "cpu",
					     "cpu:0",
					     "meta",
					     "" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_false(provider_is_deferred(names[i]));
		assert_string_equal(provider_deferred_words(names[i], false).s, "");
	}
	assert_string_equal(provider_deferred_words(NULL, false).s, "");
}

TEST(a_name_of_a_file_is_harmless)
{
	assert_null(strchr(provider_deferred_words("cu\033da", true).s, '\033'));
}
