// SPDX-License-Identifier: Apache-2.0
/*
 * A runtime of its own, as annotations tell of it: a model with two functions, which two threads run at once, and one
 * without functions. functions: prints nothing.
 */
#include <inftrace.h>
#include <pthread.h>
#include <time.h>

static pthread_barrier_t barrier;

static void compute(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static const struct inftrace_name *of(uint32_t kind, const char *name, const char *model, const char *function)
{
	return inftrace_intern_with(&(struct inftrace_name_opts){ .size = sizeof(struct inftrace_name_opts),
								  .kind = kind,
								  .name = name,
								  .model = model,
								  .function = function,
								  .type = "Conv" });
}

static void run(const char *model, const char *function)
{
	INFTRACE_SCOPE("request");
	{
		INFTRACE_SLICE(of(INFTRACE_INFERENCE, NULL, model, function));
		{
			INFTRACE_SLICE(of(INFTRACE_SETUP, "bind", model, function));
			compute();
		}
		pthread_barrier_wait(&barrier); /* both threads are inside */
		{
			INFTRACE_SLICE(of(INFTRACE_OPERATOR, "conv_1", model, function));
			compute();
		}
		pthread_barrier_wait(&barrier);
	}
}

static void *work(void *unused)
{
	for (int i = 0; i < 5; i++) {
		run("digits", "decode");
		run("plain", NULL);
		run("digits", "encode");
	}
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	{
		INFTRACE_SLICE(of(INFTRACE_SESSION, NULL, "digits", NULL));
		INFTRACE_SLICE(of(INFTRACE_LOAD, NULL, "digits", NULL));
		compute();
	}
	if (pthread_create(&thread, NULL, work, NULL))
		return 1;
	work(NULL);
	return pthread_join(thread, NULL);
}
