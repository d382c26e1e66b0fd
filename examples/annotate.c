/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations in C: a program with a runtime of its own, which inftrace does not know.
 *
 *	cc annotate.c -o annotate $(pkg-config --cflags --libs inftrace)
 *	inftrace record -- ./annotate
 */
#include <inftrace.h>
#include <stdio.h>

/* Stands for work. */
static void compute(double *sum, int n)
{
	for (int i = 1; i <= n; i++)
		*sum += 1.0 / i;
}

static const struct inftrace_name *run_name, *conv_name, *queue_name;

/* Once, when the program starts: a name costs memory and a lock, its use does not. */
static void make_names(void)
{
	run_name = inftrace_intern_with(&(struct inftrace_name_opts){ .size = sizeof(struct inftrace_name_opts),
								      .kind = INFTRACE_INFERENCE,
								      .model = "digits",
								      .function = "main",
								      .provider = "MyAccelerator" });
	conv_name = inftrace_intern_with(&(struct inftrace_name_opts){ .size = sizeof(struct inftrace_name_opts),
								       .kind = INFTRACE_OPERATOR,
								       .name = "conv_1",
								       .type = "Conv",
								       .provider = "MyAccelerator" });
	queue_name = inftrace_intern_with(&(struct inftrace_name_opts){
	    .size = sizeof(struct inftrace_name_opts), .name = "requests waiting", .unit = "count" });
}

static void load(double *sum)
{
	INFTRACE_SLICE(inftrace_intern_with(&(struct inftrace_name_opts){
	    .size = sizeof(struct inftrace_name_opts), .kind = INFTRACE_SESSION, .model = "digits" }));
	compute(sum, 100000);
}

static int run(double *sum, int number)
{
	inftrace_begin(run_name);
	{
		INFTRACE_SLICE(conv_name);
		compute(sum, 20000);
	}
	if (number == 42) {
		inftrace_end_failed("the input is empty");
		return -1;
	}
	inftrace_end();
	return 0;
}

static void serve(double *sum, int number)
{
	INFTRACE_SCOPE("request"); /* ends with the function */
	{
		INFTRACE_SCOPE("preprocess");
		compute(sum, 5000);
	}
	if (run(sum, number))
		inftrace_instant(inftrace_intern("rejected"));
}

int main(void)
{
	double sum = 0;

	make_names();
	load(&sum);
	for (int i = 0; i < 100; i++) {
		inftrace_counter(queue_name, 100 - i);
		serve(&sum, i);
	}
	printf("%.3f, %s\n", sum, inftrace_is_on() ? "recorded" : "not recorded");
	return 0;
}
