// SPDX-License-Identifier: Apache-2.0
/*
 * A function that waits, with a large array on its stack, calls what calls it again; and it waits where older calls of
 * it have left what looks like its frame.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>

typedef void then_fn(void);

__attribute__((noinline, optimize("no-omit-frame-pointer"))) static int waits(int ms, int n, then_fn *then)
{
	char room[12288];
	volatile char *at = room;

	for (int i = 0; i < n; i++) /* else it is what it was */
		at[i] = 1;
	poll(NULL, 0, ms);
	if (then)
		then();
	return at[0];
}

__attribute__((noinline)) static void inner(void)
{
	waits(600, 8, NULL);
	__asm__ volatile("");
}

__attribute__((noinline)) static void outer(void)
{
	waits(1, 8, inner);
	__asm__ volatile("");
}

__attribute__((noinline)) static void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		waits(1, 8, NULL);
	__asm__ volatile("");
}

__attribute__((noinline)) static void later(void)
{
	waits(600, 8, NULL);
	__asm__ volatile("");
}

int main(void)
{
	outer();
	deep(60);
	later();
	return 0;
}
