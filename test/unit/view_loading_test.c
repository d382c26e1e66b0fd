// SPDX-License-Identifier: Apache-2.0
/* While a file is read, the page and the state of reading are there; other questions wait, and begin anew then. */
#include "show/view/view_loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static struct http_job *ask(struct view_loading *loading, const char *name, struct http_answer *answer)
{
	struct http_handler handler = view_loading_handler(loading);
	struct http_request request = { 0 };
	char uri[100];
	int len = snprintf(uri, sizeof uri, "/token/%s", name);

	assert_int_equal(http_request_parse(&request, uri, (size_t)len), 0);
	*answer = (struct http_answer){ 0 };
	return handler.handle(handler.ctx, &request, answer);
}

TEST(how_far_reading_is_is_answered_at_once)
{
	struct view_loading loading = {
		.path = "a \"b\".pftrace", .file_bytes = 1234567, .n_events = 4242, .share = 0.25
	};
	struct http_answer answer;

	assert_null(ask(&loading, "loading.json", &answer));
	assert_int_equal(answer.status, 200);
	assert_non_null(memmem(answer.body, answer.size, "\"events\": 4242", 14));
	assert_non_null(memmem(answer.body, answer.size, "\"share\": 0.25", 13));
	assert_non_null(memmem(answer.body, answer.size, "\"over\": false", 13));
	assert_non_null(memmem(answer.body, answer.size, "a \\\"b\\\".pftrace", 15));
	free(answer.body);
	assert_null(ask(&loading, "", &answer));
	assert_int_equal(answer.status, 200);
}

TEST(other_questions_wait_and_begin_anew)
{
	struct view_loading loading = { .path = "a" };
	struct http_answer answer;
	struct http_job *job = ask(&loading, "recording.json", &answer);

	assert_non_null(job);
	assert_true(job->waits);
	assert_false(job->step(job, &answer));
	assert_false(job->is_void);
	loading.is_over = true;
	assert_true(job->step(job, &answer));
	assert_true(job->is_void);
	free(answer.body);
	job->free(job);
}
