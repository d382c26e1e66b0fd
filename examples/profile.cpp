/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles in C++: a stream of reports on every model whose name matches a pattern, with the stages of each inference.
 * Here the runs are annotations; with ONNX Runtime, in any binding, they are seen without.
 *
 *	c++ profile.cpp -o profile $(pkg-config --cflags --libs inftrace)
 *	./profile > latency.txt
 */
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include <inftrace_profile.h>

namespace
{

	struct closer {
		void operator()(inftrace_profile *profile) const noexcept
		{
			inftrace_profile_close(profile);
		}
	};

	using handle = std::unique_ptr<inftrace_profile, closer>;

	void check(int code)
	{
		if (code)
			throw std::runtime_error(inftrace_profile_message());
	}

	/* Called on a thread of the library; report is valid until it returns. */
	void take_report(void *ctx, const inftrace_report *report)
	{
		if (report->n_samples)
			static_cast<std::string *>(ctx)->assign(report->text, report->text_len);
	}

	handle open_stream(const char *models, std::string &last)
	{
		inftrace_stream_opts opts{};
		inftrace_profile *profile;

		opts.size = sizeof opts;
		opts.rate_ms = 60000;
		opts.models = models;
		opts.report = take_report;
		opts.ctx = &last;
		check(inftrace_profile_stream(&opts, &profile));
		return handle(profile);
	}

	const inftrace_name *intern(inftrace_kind kind, const char *model, const char *name)
	{
		inftrace_name_opts opts{};

		opts.size = sizeof opts;
		opts.kind = kind;
		opts.model = model;
		opts.name = name;
		return inftrace_intern_with(&opts);
	}

	double work(int n)
	{
		double sum = 0;

		for (int i = 1; i < n; i++)
			sum += 1.0 / i;
		return sum;
	}

	/* One inference: its stages fill columns of the table. */
	double infer(const char *model)
	{
		inftrace::slice whole(intern(INFTRACE_INFERENCE, model, nullptr));
		double sum = 0;

		{
			inftrace::slice stage(intern(INFTRACE_STAGE, model, "pre"));
			sum += work(2000);
		}
		{
			inftrace::slice stage(intern(INFTRACE_STAGE, model, "device"));
			sum += work(20000);
		}
		inftrace::slice stage(intern(INFTRACE_STAGE, model, "post"));
		return sum + work(1000);
	}

} // namespace

int main()
try {
	std::string last;
	handle stream = open_stream("^digits$", last);
	double sum = 0;

	check(inftrace_profile_start(stream.get()));
	for (int i = 0; i < 20; i++)
		sum += infer("digits") + infer("letters");
	check(inftrace_profile_stop(stream.get()));
	check(inftrace_profile_flush(stream.get()));
	std::cout << last;
	return sum < 0;
} catch (const std::exception &error) {
	std::cerr << "cannot profile: " << error.what() << '\n';
	return 1;
}
