/* SPDX-License-Identifier: Apache-2.0 */
/* Calls handles of libinftrace in every wrong way, and prints the results. Without a runtime: nothing is profiled. */
#include <inftrace_profile.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int n_reports;

static void report(void *ctx, const struct inftrace_report *made)
{
	(void)ctx, (void)made;
	n_reports++;
}

static void program(void *ctx, const struct inftrace_program *found)
{
	(void)ctx, (void)found;
}

static void print(const char *what, int code)
{
	printf("%s: %s%s%s\n", what, code ? strerrorname_np(-code) : "0", *inftrace_profile_message() ? ": " : "",
	       inftrace_profile_message());
}

/* Prints the result, and closes what was opened against all expectation. */
static void try_samples(const char *what, const struct inftrace_samples_opts *opts)
{
	struct inftrace_profile *profile = (void *)&n_reports;

	print(what, inftrace_profile_samples(opts, &profile));
	inftrace_profile_close(profile);
}

static void try_stream(const char *what, const struct inftrace_stream_opts *opts)
{
	struct inftrace_profile *profile = (void *)&n_reports;

	print(what, inftrace_profile_stream(opts, &profile));
	inftrace_profile_close(profile);
}

static void open_samples(void)
{
	const struct inftrace_samples_opts good = {
		.size = sizeof good, .model = "net", .n_samples = 5, .report = report
	};
	struct inftrace_samples_opts opts = good;
	struct {
		struct inftrace_samples_opts opts;
		unsigned long later;
	} newer = { good, 0 };

	try_samples("samples", &good);
	try_samples("no options", NULL);
	print("nowhere", inftrace_profile_samples(&good, NULL));
	opts.size = offsetof(struct inftrace_samples_opts, session);
	try_samples("of the first version", &opts);
	opts.size = offsetof(struct inftrace_samples_opts, ctx);
	try_samples("too short", &opts);
	opts.size = 1 << 20;
	try_samples("too long", &opts);
	newer.opts.size = sizeof newer;
	try_samples("of a later version", &newer.opts);
	newer.later = 1;
	try_samples("of a later version, and it matters", &newer.opts);
	opts = good;
	opts.model = NULL;
	try_samples("no program", &opts);
	opts.model = "";
	try_samples("empty name", &opts);
	opts = good;
	opts.session = &n_reports;
	try_samples("two programs", &opts);
	opts = good;
	opts.n_samples = 0;
	try_samples("no samples", &opts);
	opts = good;
	opts.report = NULL;
	try_samples("no callback", &opts);
	opts = good;
	opts.type = 2;
	try_samples("unknown type", &opts);
}

static void open_streams(void)
{
	const struct inftrace_stream_opts good = { .size = sizeof good, .rate_ms = 500, .report = report };
	static const char *const patterns[] = { "net(", "*net", "a{2,1}" };
	struct inftrace_stream_opts opts = good;
	char pattern[1100];

	try_stream("stream", &good);
	opts.size = offsetof(struct inftrace_stream_opts, models);
	try_stream("of the first version", &opts);
	opts = good;
	opts.rate_ms = 0;
	try_stream("rate 0", &opts);
	for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		opts = good;
		opts.models = patterns[i];
		try_stream(patterns[i], &opts);
	}
	memset(pattern, 'a', sizeof pattern);
	pattern[sizeof pattern - 1] = 0;
	opts.models = pattern;
	try_stream("too long", &opts);
}

static void use_wrongly(void)
{
	struct inftrace_samples_opts one = { .size = sizeof one, .model = "net", .n_samples = 5, .report = report };
	struct inftrace_stream_opts many = { .size = sizeof many, .rate_ms = 500, .report = report };
	struct inftrace_profile *samples, *stream;

	inftrace_profile_samples(&one, &samples);
	inftrace_profile_stream(&many, &stream);
	print("start nothing", inftrace_profile_start(NULL));
	print("stop what is idle", inftrace_profile_stop(samples));
	print("add to samples", inftrace_profile_add(samples, "other"));
	print("add", inftrace_profile_add(stream, "net"));
	print("add again", inftrace_profile_add(stream, "net"));
	print("add nothing", inftrace_profile_add(stream, NULL));
	print("remove another", inftrace_profile_remove(stream, "other"));
	print("add no session", inftrace_profile_add_session(stream, NULL));
	print("add a session", inftrace_profile_add_session(stream, &one));
	print("add it again", inftrace_profile_add_session(stream, &one));
	print("remove it", inftrace_profile_remove_session(stream, &one));
	print("remove it again", inftrace_profile_remove_session(stream, &one));
	print("list to nobody", inftrace_profile_list(NULL, NULL));
	print("list", inftrace_profile_list(program, NULL));
	print("start", inftrace_profile_start(stream));
	print("start again", inftrace_profile_start(stream));
	print("start the other", inftrace_profile_start(samples));
	print("stop without an inference", inftrace_profile_stop(samples));
	print("flush", inftrace_profile_flush(samples));
	inftrace_profile_close(samples);
	inftrace_profile_close(samples);
	inftrace_profile_close(NULL);
	print("start what is closed", inftrace_profile_start(samples));
	print("stop what is closed", inftrace_profile_stop(samples));
	print("flush what is closed", inftrace_profile_flush(samples));
	print("add to what is closed", inftrace_profile_add(samples, "net"));
	n_reports = 0;
	print("stop the stream", inftrace_profile_stop(stream));
	print("flush", inftrace_profile_flush(stream));
	printf("reports of the end: %d\n", n_reports);
	inftrace_profile_close(stream);
}

int main(void)
{
	open_samples();
	open_streams();
	use_wrongly();
	return 0;
}
