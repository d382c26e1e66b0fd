/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases list themselves: TEST(name) { ... }, in the order of the file, which this header gives its main. What a case
 * states is its name.
 */
#ifndef TEST_UNIT_CASES_H
#define TEST_UNIT_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct CMUnitTest cases_all[128];
static size_t cases_n;
static CMFixtureFunction cases_setup, cases_teardown;

static inline void cases_add(const char *name, CMUnitTestFunction run, CMFixtureFunction setup,
			     CMFixtureFunction teardown)
{
	if (cases_n == sizeof cases_all / sizeof *cases_all)
		abort();
	cases_all[cases_n++] = (struct CMUnitTest){ name, run, setup, teardown, NULL };
}

#define TEST_WITH(name, setup, teardown) \
	static void name(void **state); \
	__attribute__((constructor)) static void add_##name(void) \
	{ \
		cases_add(#name, name, setup, teardown); \
	} \
	static void name(void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)

/*
 * A case with a `var` of its own, which points to what begin makes before it, or is what make returns, and which end
 * frees behind it. Files name theirs: #define CASE(name) TEST_OF(name, struct fixture, f, begin(f), end(f))
 */
#define TEST_OF(name, type, var, begin, end) \
	static void name##_of(type *var); \
	TEST(name) \
	{ \
		type var[1]; \
		begin; \
		name##_of(var); \
		end; \
	} \
	static void name##_of(type *var)
#define TEST_OF_NEW(name, type, var, make, end) \
	static void name##_of(type *var); \
	TEST(name) \
	{ \
		type *var = make; \
		name##_of(var); \
		end; \
	} \
	static void name##_of(type *var)
/* A case of setup and teardown, for what must go also if it fails: `var` is the state that setup made. */
#define TEST_FROM(name, type, var, setup, teardown) \
	static void name##_from(type *var); \
	TEST_WITH(name, setup, teardown) \
	{ \
		name##_from(*state); \
	} \
	static void name##_from(type *var)

/* Before the first of them, and after the last. */
#define TEST_GROUP(setup, teardown) \
	__attribute__((constructor)) static void set_group(void) \
	{ \
		cases_setup = setup; \
		cases_teardown = teardown; \
	}

static inline int cases_run(void)
{
	/* such a file tests nothing */
	if (!cases_n)
		return 1;
	return _cmocka_run_group_tests("tests", cases_all, cases_n, cases_setup, cases_teardown);
}

/* A file with a main of its own defines CASES_MAIN before, and calls cases_run. */
#ifndef CASES_MAIN
int main(void)
{
	return cases_run();
}
#endif

#endif
