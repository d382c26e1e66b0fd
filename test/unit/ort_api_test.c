// SPDX-License-Identifier: Apache-2.0
#include "model/ort/ort_api.h"

#include <stdio.h>
#include <string.h>

#include "cases.h"

static void expect(const char *said, const char *plain)
{
	char text[512];

	snprintf(text, sizeof text, "%s", said);
	ort_api_plain(text);
	assert_string_equal(text, plain);
}

TEST(places_in_the_source_are_taken_out)
{
	expect("Status Message: /src/a/b.h:33 ns::F::F(const T&, V&, bool) i < n was false.",
	       "Status Message: i < n was false.");
	expect("failed:/src/model.h:46 void ns::V(const std::map<a, int (*)(b)>&, int) const Only guaranteed",
	       "failed:Only guaranteed");
	expect("/o/f.cc:232 ns::P(const O&, C*)::<lambda()> Invalid key: x", "Invalid key: x");
}

TEST(only_the_innermost_of_nodes_that_failed_is_named)
{
	expect("failed: Non-zero status code returned while running If node. Name:'a' Status Message: Non-zero status "
	       "code returned while running Pad node. Name:'b' Status Message: /o/pad.cc:1 f() axis is too short",
	       "failed: Pad node 'b': axis is too short");
	expect("Non-zero status code returned while running Pad node. Name:'' Status Message: .", "Pad node '': .");
	expect("cannot: Non-zero status code returned while running Pad node. Name:'b",
	       "cannot: Non-zero status code returned while running Pad node. Name:'b");
	expect("Non-zero status code returned while running ", "Non-zero status code returned while running");
}

TEST(a_message_is_one_line)
{
	expect("  one\n\ttwo  \r\n", "one two");
	expect("", "");
	expect("\n", "");
}

TEST(what_only_looks_like_a_place_stays)
{
	expect("Load model from /tmp/m.onnx failed (twice) for good",
	       "Load model from /tmp/m.onnx failed (twice) for good");
	expect("cannot open /tmp/a:12", "cannot open /tmp/a:12");
	expect("/tmp/a.cc:12 no brackets at all", "/tmp/a.cc:12 no brackets at all");
	expect("at /a.cc:12 f(never closed", "at /a.cc:12 f(never closed");
	expect("ratio 1/a:2 (x) y", "ratio 1/a:2 (x) y");
	expect(":5 (a) b", ":5 (a) b");
	expect("/ (a) b", "/ (a) b");
	expect("5 (a) b", "5 (a) b");
}

TEST(a_file_that_is_no_runtime_is_refused_with_its_name)
{
	static struct ort_api api;
	struct err err;

	assert_true(ort_api_open(&api, "/nowhere/libonnxruntime.so", &err) < 0);
	assert_non_null(strstr(err.msg, "cannot load /nowhere/libonnxruntime.so"));
	assert_true(ort_api_open(&api, "libc.so.6", &err) < 0);
	assert_non_null(strstr(err.msg, "exports no OrtGetApiBase"));
}
