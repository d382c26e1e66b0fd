// SPDX-License-Identifier: Apache-2.0
/*
 * The copies of ONNX Runtime on this machine with what they answer, each asked in a process of its own, one after the
 * other and for a limited time. Those of another machine's files are only looked at.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/doctor.h"
#include "model/ort/ort_ask.h"

enum { ONE_MS = 5000, ALL_MS = 20000, LEAST_MS = 200 };

static void ask(struct doctor_runtime *runtime, uint64_t start_ns)
{
	uint64_t spent_ms = (clock_ns() - start_ns) / 1000000;
	uint64_t left_ms = spent_ms < ALL_MS ? ALL_MS - spent_ms : 0;
	struct err err = { 0 };

	if (left_ms < LEAST_MS) {
		snprintf(runtime->problem, sizeof runtime->problem, "it was not asked: those before it took too long");
		return;
	}
	left_ms = left_ms < ONE_MS ? left_ms : ONE_MS;
	runtime->has_answered = !ort_ask(runtime->found.path, (unsigned)left_ms, &runtime->answer, &err);
	if (!runtime->has_answered)
		snprintf(runtime->problem, sizeof runtime->problem, "%s", err.msg);
	else if (*runtime->answer.version)
		snprintf(runtime->found.version, sizeof runtime->found.version, "%.*s",
			 (int)sizeof runtime->found.version - 1, runtime->answer.version);
}

int doctor_runtimes_each(const char *sysroot, bool is_asked, doctor_runtime_fn each, void *ctx, struct err *err)
{
	struct ort_found_list list;
	uint64_t start_ns = clock_ns();
	int code = *sysroot ? ort_find_below(sysroot, &list, err) : ort_find_all(NULL, &list, err);

	/* what INFTRACE_ORT says may be wrong: the others are there all the same */
	if (code && ort_find_below(sysroot, &list, NULL))
		return code;
	for (size_t i = 0; i < list.n; i++) {
		struct doctor_runtime runtime = { .found = list.item[i] };

		if (is_asked && !*sysroot)
			ask(&runtime, start_ns);
		each(ctx, &runtime);
	}
	if (list.is_cut && !code)
		code = err_set(err, E2BIG, "cannot show more than %d runtimes: there are others", ORT_FIND_MAX);
	ort_find_done(&list);
	return code;
}
