// SPDX-License-Identifier: Apache-2.0
/* Spends known time in known functions and lines, and prints how long each took, as JSON. No frame pointers. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long sum;
static int ends[2];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline __attribute__((always_inline)) void add_up(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum += i; /* spins here */
}

__attribute__((noinline)) static void spin(double seconds)
{
	double end = now() + seconds;

	while (now() < end)
		add_up(20000);
}

__attribute__((noinline)) static void rest(void)
{
	usleep(400000); /* rests here */
	sum++;
}

__attribute__((noinline)) static void wait_for_lock(void)
{
	pthread_mutex_lock(&lock); /* waits here */
	sum++;
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void wait_for_socket(void)
{
	char byte;

	if (recv(ends[0], &byte, 1, 0) != 1) /* receives here */
		exit(1);
	sum++;
}

__attribute__((noinline)) static void *help(void *ignored)
{
	pthread_mutex_lock(&lock);
	if (write(ends[1], "x", 1) != 1)
		exit(1);
	usleep(400000);
	pthread_mutex_unlock(&lock);
	usleep(400000);
	if (write(ends[1], "x", 1) != 1)
		exit(1);
	spin(0.3);
	return NULL;
}

static void measure(const char *name, void (*function)(void))
{
	double begin = now();

	function();
	printf("\"%s\": %.6f, ", name, now() - begin);
}

__attribute__((noinline)) static void spin_long(void)
{
	spin(0.6);
	sum++;
}

int main(void)
{
	pthread_t helper;

	printf("{");
	measure("spin_long", spin_long);
	measure("rest", rest);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pthread_create(&helper, NULL, help, NULL))
		return 1;
	wait_for_socket(); /* until the helper has the lock */
	measure("wait_for_lock", wait_for_lock);
	measure("wait_for_socket", wait_for_socket);
	pthread_join(helper, NULL);
	printf("\"pid\": %d}\n", (int)getpid());
	return 0;
}
