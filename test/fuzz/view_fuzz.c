// SPDX-License-Identifier: Apache-2.0
/*
 * The target of a request, any bytes: what is read of it lies in it, and the view of a small recording has an answer to
 * it, with a status and a type, after a bounded time.
 */
#include "show/view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static const char recording[] =
    "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":7,\"tid\":8,\"args\":{\"name\":\"main\"}},"
    "{\"ph\":\"X\",\"cat\":\"session\",\"name\":\"net\",\"pid\":7,\"tid\":8,\"ts\":1,\"dur\":90,\"args\":{\"model\":"
    "\"net\"}},"
    "{\"ph\":\"X\",\"cat\":\"load\",\"name\":\"load\",\"pid\":7,\"tid\":8,\"ts\":2,\"dur\":40},"
    "{\"ph\":\"X\",\"cat\":\"inference\",\"name\":\"net\",\"pid\":7,\"tid\":9,\"ts\":100,\"dur\":50,"
    "\"args\":{\"model\":\"net\",\"inference\":1,\"id\":1,\"session\":1,\"status\":\"ok\"}},"
    "{\"ph\":\"X\",\"cat\":\"operator\",\"name\":\"a\",\"pid\":7,\"tid\":8,\"ts\":101,\"dur\":20,"
    "\"args\":{\"op_type\":\"Conv\",\"inference\":1}},"
    "{\"ph\":\"X\",\"cat\":\"operator\",\"name\":\"b\",\"pid\":7,\"tid\":8,\"ts\":102,\"dur\":9,"
    "\"args\":{\"op_type\":\"Relu\",\"inference\":1}},"
    "{\"ph\":\"X\",\"cat\":\"inference\",\"name\":\"net\",\"pid\":7,\"tid\":9,\"ts\":200,\"dur\":70,"
    "\"args\":{\"model\":\"net\",\"inference\":2,\"id\":2,\"session\":1,\"status\":\"no\"}},"
    "{\"ph\":\"B\",\"cat\":\"mine\",\"name\":\"open\",\"pid\":7,\"tid\":10,\"ts\":300},"
    "{\"ph\":\"C\",\"name\":\"cpu\",\"pid\":7,\"ts\":120,\"args\":{\"cpu\":5}},"
    "{\"ph\":\"C\",\"name\":\"cpu\",\"pid\":7,\"ts\":220,\"args\":{\"cpu\":7}}]";

static void require(bool claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "not true: %s\n", what);
	abort();
}

static bool is_written(const char *path)
{
	return false;
}

static struct view *open_view(void)
{
	static char path[64];
	int fd = memfd_create("recording", 0);
	struct view *view;
	struct err err;

	require(fd >= 0 && write(fd, recording, sizeof recording - 1) == sizeof recording - 1, "the file is written");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	view = view_open(path, is_written, NULL, &err);
	if (!view)
		fprintf(stderr, "%s\n", err.msg);
	require(view, "the recording is read");
	return view;
}

static void require_inside(const struct http_request *request, const char *text)
{
	require(text >= request->text && text + strlen(text) <= request->text + HTTP_MAX_URI, "it lies in the request");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct http_request request;
	static struct view *view;
	struct http_answer answer = { 0 };
	struct http_handler handler;
	struct http_job *job;
	unsigned refused;

	if (!view)
		view = open_view();
	memset(&request, 0xff, sizeof request);
	refused = http_request_parse(&request, (const char *)data, size);
	require(!refused || refused == 400 || refused == 414, "it is refused for a reason");
	if (refused)
		return 0;
	require_inside(&request, request.token);
	require_inside(&request, request.name);
	require(!strchr(request.name, '/') && !strstr(request.name, ".."), "a name is no path");
	for (size_t i = 0; i < request.n_params; i++) {
		require_inside(&request, request.key[i]);
		require_inside(&request, request.value[i]);
	}
	handler = view_handler(view);
	job = handler.handle(handler.ctx, &request, &answer);
	for (int i = 0; job && !job->step(job, &answer); i++) {
		require(i < 100000, "it ends");
		if (job->waits)
			usleep(1000);
	}
	if (job)
		job->free(job);
	require(answer.status >= 200 && answer.status < 600 && answer.type, "it is answered");
	require(answer.body || !answer.size, "the answer has its bytes");
	if (!answer.is_borrowed)
		free(answer.body);
	return 0;
}
