// SPDX-License-Identifier: Apache-2.0
/*
 * Annotations in C++: guards end their slices, also when an exception leaves the block; a flow ties a request to the
 * thread that answers it.
 *
 *	c++ -std=c++17 annotate.cpp -o annotate $(pkg-config --cflags --libs inftrace) -pthread
 *	inftrace record -- ./annotate
 */
#include <inftrace.h>

#include <cstdio>
#include <stdexcept>
#include <thread>

static double compute(int n)
{
	double sum = 0;

	for (int i = 1; i <= n; i++)
		sum += 1.0 / i;
	return sum;
}

static const inftrace_name *const answer_name = inftrace_intern("answer");

static double answer(unsigned request)
{
	inftrace::slice slice(answer_name);

	inftrace_flow_end(request);
	if (request == 7) {
		slice.fail("the tokens are invalid");
		throw std::invalid_argument("request 7");
	}
	return compute(20000);
}

int main()
{
	double sum = 0;
	int failed = 0;

	for (unsigned request = 1; request <= 10; request++) {
		INFTRACE_SCOPE("request");
		inftrace_flow(request);
		std::thread([&] {
			try {
				sum += answer(request);
			} catch (const std::exception &) {
				failed++;
			}
		}).join();
	}
	std::printf("%.3f, %d failed\n", sum, failed);
	return 0;
}
