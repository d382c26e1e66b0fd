// SPDX-License-Identifier: Apache-2.0
/*
 * The benchmark behind a roofline. Each figure is the median of five windows of 30 ms, in which one thread per CPU
 * (pinned to it) does nothing but multiply and add in registers, or read a buffer from front to back. Vectors are the
 * compiler's own, in one version per instruction set; which one runs is found out at run time. Knows no GPU.
 */
#include "analyze/result/model/machine_peak.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

enum { WINDOWS = 5, MAX_CPUS = CPU_SETSIZE, VECTORS = 12, STEPS = 2000, CHUNK = 64 << 10 };

static const uint64_t window_ns = 30000000;
static const size_t cache_bytes = 128 << 10, least_bytes = 64 << 20, most_bytes = 512 << 20;

/* How one instruction set computes: STEPS times VECTORS multiply-adds; CHUNK bytes read. Results keep them alive. */
struct kernels {
	const char *name;
	double flops; /* of one call */
	float (*compute)(float seed);
	uint64_t (*read)(const void *data);
};

/* Twelve chains hide the latency of a multiply-add on every core so far, and fit into 16 registers. */
#define CHAIN(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define CHAIN_START(i) v##i = one * (seed + i);
#define CHAIN_STEP(i) v##i = v##i * factor + shift;
#define CHAIN_SUM(i) sum += v##i[0];

#define KERNELS(set, text, lanes, ...) \
	typedef float float_##set __attribute__((vector_size((lanes) * 4))); \
	typedef uint64_t word_##set __attribute__((vector_size((lanes) * 4))); \
	__VA_ARGS__ static float compute_##set(float seed) \
	{ \
		float_##set one = { 0 }, factor, shift, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11; \
		float sum = 0; \
\
		one += 1; \
		factor = one * 0.999f; \
		shift = one * seed; \
		CHAIN(CHAIN_START) \
		for (int i = 0; i < STEPS; i++) { \
			CHAIN(CHAIN_STEP) \
		} \
		CHAIN(CHAIN_SUM) \
		return sum; \
	} \
	__VA_ARGS__ static uint64_t read_##set(const void *data) \
	{ \
		const word_##set *at = data, *end = at + CHUNK / sizeof *at; \
		word_##set a = *at, b = a, c = a, d = a; \
\
		for (; at < end; at += 4) { \
			a ^= at[0]; \
			b ^= at[1]; \
			c ^= at[2]; \
			d ^= at[3]; \
		} \
		a ^= b ^ c ^ d; \
		return a[0]; \
	} \
	static const struct kernels kernels_##set = { text, 2.0 * STEPS * VECTORS * (lanes), compute_##set, \
						      read_##set };

#if defined(__x86_64__)
KERNELS(avx512, "AVX-512", 16, __attribute__((target("avx512f"))))
KERNELS(avx2, "AVX2 + FMA", 8, __attribute__((target("avx2,fma"))))
KERNELS(plain, "SSE2", 4, )

/* Bits of the instruction cpuid, and of the registers that the kernel keeps for a thread (Intel SDM 1, 13.3 and 14). */
enum { FMA = 1 << 12, OSXSAVE = 1 << 27, AVX2 = 1 << 5, AVX512F = 1 << 16, KEEPS_YMM = 0x6, KEEPS_ZMM = 0xe6 };

/* __builtin_cpu_supports says no to everything where the compiler's library does not fill in what it reads: zig's. */
static const struct kernels *kernels_of_machine(void)
{
	unsigned a, b, c = 0, d, has = 0, rest, kept = 0;

	__get_cpuid(1, &a, &b, &c, &d);
	__get_cpuid_count(7, 0, &a, &has, &rest, &d);
	if (c & OSXSAVE)
		__asm__("xgetbv" : "=a"(kept), "=d"(d) : "c"(0));
	if ((has & AVX512F) && (kept & KEEPS_ZMM) == KEEPS_ZMM)
		return &kernels_avx512;
	if ((has & AVX2) && (c & FMA) && (kept & KEEPS_YMM) == KEEPS_YMM)
		return &kernels_avx2;
	return &kernels_plain;
}
#else
KERNELS(plain, "128-bit vectors", 4, )

static const struct kernels *kernels_of_machine(void)
{
	return &kernels_plain;
}
#endif

enum gate { GATE_SHUT, GATE_OPEN, GATE_HOME };

/* One window on some CPUs. data: read this much of it, each thread its own part; NULL: compute. */
struct window {
	const struct kernels *kernels;
	const char *data;
	size_t bytes; /* of each thread */
	_Atomic int gate;
};

struct worker {
	struct window *window;
	pthread_t thread;
	int index;
	double work;
	uint64_t ns, kept; /* kept: so that nothing is optimised away */
};

/* The work of about a tenth of a millisecond. */
static double work_on(struct worker *worker, size_t *at)
{
	const struct window *window = worker->window;
	const char *own = window->data ? window->data + (size_t)worker->index * window->bytes : NULL;

	if (!own) {
		worker->kept += (uint64_t)window->kernels->compute(0.5f);
		return window->kernels->flops;
	}
	for (int i = 0; i < 8; i++) {
		worker->kept += window->kernels->read(own + *at);
		*at = *at + CHUNK < window->bytes ? *at + CHUNK : 0;
	}
	return 8.0 * CHUNK;
}

static void *worker_run(void *arg)
{
	struct worker *worker = arg;
	uint64_t begin_ns, now_ns;
	size_t at = 0;

	while (worker->window->gate == GATE_SHUT)
		sched_yield();
	begin_ns = now_ns = clock_ns();
	for (; worker->window->gate == GATE_OPEN && now_ns - begin_ns < window_ns; now_ns = clock_ns())
		worker->work += work_on(worker, &at);
	worker->ns = now_ns - begin_ns;
	return NULL;
}

static int start_worker(struct worker *worker, int cpu)
{
	pthread_attr_t attr;
	cpu_set_t set;
	int code;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (pthread_attr_init(&attr))
		return ENOMEM;
	code = pthread_attr_setaffinity_np(&attr, sizeof set, &set);
	code = code ? code : pthread_create(&worker->thread, &attr, worker_run, worker);
	pthread_attr_destroy(&attr);
	return code;
}

/* Work per second of all threads together. 0, or an error number. */
static int run_window(struct window *window, const int *cpu, int n_cpus, double *rate)
{
	struct worker *worker = calloc((size_t)n_cpus, sizeof *worker);
	int n = 0, code = worker ? 0 : ENOMEM;

	window->gate = GATE_SHUT;
	while (!code && n < n_cpus) {
		worker[n].window = window;
		worker[n].index = n;
		code = start_worker(&worker[n], cpu[n]);
		n += !code;
	}
	window->gate = code ? GATE_HOME : GATE_OPEN;
	*rate = 0;
	for (int i = 0; i < n; i++) {
		pthread_join(worker[i].thread, NULL);
		*rate += worker[i].ns ? worker[i].work * 1e9 / (double)worker[i].ns : 0;
	}
	free(worker);
	return code;
}

static int compare_rates(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int measure(struct window *window, const int *cpu, int n_cpus, struct machine_rate *to)
{
	double rate[WINDOWS];
	int code = 0;

	for (int i = 0; !code && i < WINDOWS; i++)
		code = run_window(window, cpu, n_cpus, &rate[i]);
	if (code)
		return code;
	qsort(rate, WINDOWS, sizeof *rate, compare_rates);
	*to = (struct machine_rate){ rate[WINDOWS / 2], rate[0], rate[WINDOWS - 1] };
	return 0;
}

/* Four times the caches, so that hardly anything is found in them; not more than an eighth of the memory. */
static size_t memory_bytes(void)
{
	long cache = sysconf(_SC_LEVEL3_CACHE_SIZE), pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	size_t bytes = cache > 0 ? (size_t)cache * 4 : least_bytes;
	size_t share = pages > 0 && page > 0 ? (size_t)pages * (size_t)page / 8 : least_bytes;

	bytes = bytes < least_bytes ? least_bytes : bytes > most_bytes ? most_bytes : bytes;
	return bytes < share ? bytes : share;
}

static int measure_bytes(struct machine_peak *peak, const struct kernels *kernels, const int *cpu, int n_cpus)
{
	size_t per_cpu = memory_bytes() / (size_t)n_cpus / CHUNK * CHUNK, bytes;
	struct window window = { .kernels = kernels };
	void *data;
	int code;

	per_cpu = per_cpu < cache_bytes ? cache_bytes : per_cpu;
	bytes = per_cpu * (size_t)n_cpus;
	data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data == MAP_FAILED)
		return errno;
	madvise(data, bytes, MADV_HUGEPAGE);
	memset(data, 1, bytes);
	window.data = data;
	window.bytes = per_cpu;
	code = measure(&window, cpu, n_cpus, &peak->bytes);
	window.bytes = cache_bytes;
	code = code ? code : measure(&window, cpu, n_cpus, &peak->cache_bytes);
	munmap(data, bytes);
	return code;
}

/* most: as many as a quota lets run at a time; -1: all */
static int list_cpus(int *cpu, int64_t most)
{
	cpu_set_t set;
	int n = 0;

	if (sched_getaffinity(0, sizeof set, &set))
		return 0;
	for (int i = 0; i < CPU_SETSIZE && n < MAX_CPUS && n != most; i++)
		if (CPU_ISSET((size_t)i, &set))
			cpu[n++] = i;
	return n;
}

int machine_peak_measure(struct machine_peak *peak, int64_t most, struct err *err)
{
	const struct kernels *kernels = kernels_of_machine();
	struct window window = { .kernels = kernels };
	int cpu[MAX_CPUS], n_cpus = list_cpus(cpu, most), code = n_cpus ? 0 : errno;

	machine_peak_init(peak);
	code = code ? code : measure(&window, cpu, 1, &peak->core_flops);
	code = code ? code : measure(&window, cpu, n_cpus, &peak->flops);
	code = code ? code : measure_bytes(peak, kernels, cpu, n_cpus);
	if (code) {
		machine_peak_init(peak);
		return err_set(err, code, "cannot measure what this machine can do: %s", strerror(code));
	}
	peak->n_cpus = n_cpus;
	peak->instructions = kernels->name;
	return 0;
}
