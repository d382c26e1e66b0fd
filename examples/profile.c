/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles in C: a program gets reports on its own inferences. Here the runs of a model are annotations; with ONNX
 * Runtime, in any binding, they are seen without.
 *
 *	cc profile.c -o profile $(pkg-config --cflags --libs inftrace)
 *	./profile
 */
#include <inftrace_profile.h>
#include <stdio.h>
#include <string.h>

static void print_report(void *ctx, const struct inftrace_report *report)
{
	(void)ctx;
	printf("%u inferences of %s:\n%s\n", report->n_samples, report->model, report->text);
}

static int complain(const char *what, int code)
{
	fprintf(stderr, "cannot %s: %s\n", what, strerror(-code));
	return 1;
}

static double run(const struct inftrace_name *name)
{
	double sum = 0;

	INFTRACE_SLICE(name);
	for (int i = 1; i < 10000; i++)
		sum += 1.0 / i;
	return sum;
}

int main(void)
{
	struct inftrace_name_opts run_opts = { .size = sizeof run_opts, .kind = INFTRACE_INFERENCE, .model = "digits" };
	struct inftrace_samples_opts opts = {
		.size = sizeof opts, .model = "digits", .n_samples = 10, .report = print_report
	};
	const struct inftrace_name *name = inftrace_intern_with(&run_opts);
	struct inftrace_profile *profile;
	double sum = 0;
	int code;

	if ((code = inftrace_profile_samples(&opts, &profile)))
		return complain("make a handle", code);
	if ((code = inftrace_profile_start(profile)))
		return complain("start the handle", code);
	for (int i = 0; i < 20; i++)
		sum += run(name);
	inftrace_profile_stop(profile); /* in case there were fewer than ten */
	inftrace_profile_flush(profile);
	inftrace_profile_close(profile);
	return sum < 0;
}
