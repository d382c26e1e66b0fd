// SPDX-License-Identifier: Apache-2.0
/*
 * A library that looks like a runtime: classes with virtual tables and type information, laid out as by a C++ compiler,
 * to test a row of the table of runtimes (runtime_fake.c). Built in C, so that no C++ compiler is needed. A session has
 * two operators, which compute a sum.
 */
#include "fake_runtime.h"

#include <stdlib.h>
#include <string.h>

/* { vptr, name, base } as the Itanium C++ ABI has it; the two tables stand in for those of the C++ library. */
struct type {
	const void *vptr;
	const char *name;
	const struct type *base;
};

struct table {
	long offset_to_top;
	const struct type *type;
	void *function[4];
};

static void nothing(void)
{
}

static const struct table class_table, si_table;
static const struct type class_type = { class_table.function, "N10__cxxabiv117__class_type_infoE", NULL };
static const struct type si_type = { class_table.function, "N10__cxxabiv120__si_class_type_infoE", NULL };
static const struct table class_table = { 0, &class_type, { (void *)nothing } };
static const struct table si_table = { 0, &si_type, { (void *)nothing } };

static const struct type op_type = { class_table.function, "N4fake2OpE", NULL };
static const struct type add_type = { si_table.function, "N4fake3AddE", &op_type };
static const struct type mul_type = { si_table.function, "N4fake3MulE", &op_type };
static const struct type session_type = { class_table.function, "N4fake7SessionE", NULL };

struct op {
	void *const *vptr;
	const char *name;
};

struct fake_session {
	void *const *vptr;
	const char *name;
	struct op op[2];
	long sum;
};

static long add(struct op *op, long to)
{
	return to + 1;
}

static long mul(struct op *op, long to)
{
	return to * 3;
}

static void run(struct fake_session *session)
{
	for (int i = 0; i < 2; i++)
		session->sum = ((long (*)(struct op *, long))session->op[i].vptr[1])(&session->op[i], session->sum);
}

static void initialize(struct fake_session *session)
{
	session->sum = 1;
}

static void tune(struct fake_session *session, long by)
{
	session->sum += by;
}

static void destroy(struct fake_session *session)
{
	free(session);
}

/* { destroy, execute } and { destroy, run, initialize, tune } */
static const struct table op_table = { 0, &op_type, { (void *)nothing, (void *)nothing } };
static const struct table add_table = { 0, &add_type, { (void *)nothing, (void *)add } };
static const struct table mul_table = { 0, &mul_type, { (void *)nothing, (void *)mul } };
static const struct table session_table = { 0,
					    &session_type,
					    { (void *)destroy, (void *)run, (void *)initialize, (void *)tune } };

/* Inspection starts at 256 KiB, and at 4 KiB of relocated data; "N4fake" occurs often enough in its texts, too. */
#define EIGHT(text) text, text, text, text, text, text, text, text
const char *const fake_names[1024] = { EIGHT("N4fake1aE"), EIGHT("N4fake1bE") };
const char fake_weights[300000] = { 1 };
const struct table *const fake_tables[] = { &op_table };

/* Through the table, as a compiler calls a virtual function of an unknown object. */
__attribute__((noinline)) static void call(struct fake_session *session, int slot, long number)
{
	void *const *volatile vptr = session->vptr;

	((void (*)(struct fake_session *, long))vptr[slot])(session, number);
}

struct fake_session *fake_session_new(const char *name)
{
	struct fake_session *session = calloc(1, sizeof *session);

	if (!session)
		return NULL;
	session->vptr = session_table.function;
	session->name = name;
	session->op[0] = (struct op){ add_table.function, "first" };
	session->op[1] = (struct op){ mul_table.function, "second" };
	call(session, 2, 0);
	call(session, 3, 4);
	return session;
}

long fake_session_run(struct fake_session *session)
{
	call(session, 1, 0);
	return session->sum;
}

void fake_session_free(struct fake_session *session)
{
	if (session)
		call(session, 0, 0);
}
