// SPDX-License-Identifier: Apache-2.0
/*
 * Loads the library's functions from one list. The structs that they fill follow the order and sizes of fields in its
 * documentation. A value that the library or device does not provide is missing. Values are input.
 */
#include "capture/source/device/nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	OK = 0,
	NOT_FOUND = 6,
	INSUFFICIENT_SIZE = 7,
	MOST_DEVICES = 64,
	MOST_ENTRIES = 4096,
	SENSOR_GPU = 0,
	CLOCK_SM = 1,
	CLOCK_MEMORY = 2,
};

#define DAY_US (86400 * 1000000ull)

typedef struct opaque *handle;

struct utilization {
	unsigned gpu, memory;
};

struct memory {
	unsigned long long total, free, used;
};

/* The oldest entry of a list of processes has the first two fields only. */
struct running {
	unsigned pid;
	unsigned long long used_bytes; /* all ones: unknown */
	unsigned gpu_instance, compute_instance;
};

struct used {
	unsigned pid;
	unsigned long long time_us;
	unsigned processors, memory, encoder, decoder;
};

struct pci {
	char legacy[16];
	unsigned domain, bus, device, id, subsystem;
	char bus_id[32];
};

typedef int list_fn(handle device, unsigned *n, void *entries);

#define NVML_FUNCS(F) \
	F(int, nvmlInit_v2, (void), true) \
	F(int, nvmlShutdown, (void), true) \
	F(int, nvmlDeviceGetCount_v2, (unsigned *), true) \
	F(int, nvmlDeviceGetHandleByIndex_v2, (unsigned, handle *), true) \
	F(const char *, nvmlErrorString, (int), false) \
	F(int, nvmlSystemGetDriverVersion, (char *, unsigned), false) \
	F(int, nvmlDeviceGetName, (handle, char *, unsigned), false) \
	F(int, nvmlDeviceGetPciInfo_v3, (handle, struct pci *), false) \
	F(int, nvmlDeviceGetMinorNumber, (handle, unsigned *), false) \
	F(int, nvmlDeviceGetUtilizationRates, (handle, struct utilization *), false) \
	F(int, nvmlDeviceGetMemoryInfo, (handle, struct memory *), false) \
	F(int, nvmlDeviceGetPowerUsage, (handle, unsigned *), false) \
	F(int, nvmlDeviceGetTotalEnergyConsumption, (handle, unsigned long long *), false) \
	F(int, nvmlDeviceGetTemperature, (handle, int, unsigned *), false) \
	F(int, nvmlDeviceGetClockInfo, (handle, int, unsigned *), false) \
	F(int, nvmlDeviceGetComputeRunningProcesses_v3, (handle, unsigned *, void *), false) \
	F(int, nvmlDeviceGetComputeRunningProcesses_v2, (handle, unsigned *, void *), false) \
	F(int, nvmlDeviceGetComputeRunningProcesses, (handle, unsigned *, void *), false) \
	F(int, nvmlDeviceGetGraphicsRunningProcesses_v3, (handle, unsigned *, void *), false) \
	F(int, nvmlDeviceGetGraphicsRunningProcesses_v2, (handle, unsigned *, void *), false) \
	F(int, nvmlDeviceGetGraphicsRunningProcesses, (handle, unsigned *, void *), false) \
	F(int, nvmlDeviceGetProcessUtilization, (handle, struct used *, unsigned *, unsigned long long), false)

#define POINTER(type, name, args, must) type(*name) args;
struct nvml_funcs {
	NVML_FUNCS(POINTER)
};

#define ROW(type, name, args, must) { #name, offsetof(struct nvml_funcs, name), must },
static const struct {
	const char *name;
	size_t offset;
	bool must;
} rows[] = { NVML_FUNCS(ROW) };

const struct nvml_name nvml_names[N_NVML_WHATS] = {
	[NVML_BUSY] = { "busy", "%" },
	[NVML_MEMORY_BUSY] = { "memory busy", "%" },
	[NVML_MEMORY_USED] = { "memory used", "bytes" },
	[NVML_MEMORY_TOTAL] = { "memory total", "bytes" },
	[NVML_POWER] = { "power", "W" },
	[NVML_ENERGY] = { "energy", "J" },
	[NVML_TEMPERATURE] = { "temperature", "degC" },
	[NVML_CLOCK] = { "clock", "MHz" },
	[NVML_MEMORY_CLOCK] = { "memory clock", "MHz" },
};

struct nvml {
	void *library;
	struct nvml_funcs call;
	bool is_started;
	unsigned n;
	handle device[MOST_DEVICES];
	unsigned long long seen_us[MOST_DEVICES]; /* newest sample of a process's use so far */
	struct nvml_process *process;
	struct used *used;
	char *entries; /* of lists of processes */
};

static const char *words(const struct nvml *nvml, int code)
{
	const char *text = nvml->call.nvmlErrorString ? nvml->call.nvmlErrorString(code) : NULL;

	return text ? text : "it does not say why";
}

static int load(struct nvml *nvml, struct err *err)
{
	const char *path = secure_getenv("INFTRACE_NVML"), *problem;

	path = path && *path ? path : "libnvidia-ml.so.1";
	nvml->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!nvml->library) {
		problem = dlerror();
		return err_set(err, ENOENT,
			       "cannot load NVIDIA's library: %.120s; the driver brings it; a container needs the "
			       "capability \"utility\"",
			       problem ? problem : path);
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		void *symbol = dlsym(nvml->library, rows[i].name);
		if (!symbol && rows[i].must)
			return err_set(err, ENOSYS, "cannot use %s: it has no %s", path, rows[i].name);
		memcpy((char *)&nvml->call + rows[i].offset, &symbol, sizeof symbol);
	}
	return 0;
}

static int begin(struct nvml *nvml, struct err *err)
{
	unsigned n = 0;
	int code = nvml->call.nvmlInit_v2();

	if (code)
		return err_set(err, ENODEV, "cannot query NVIDIA's driver: %s (%d)", words(nvml, code), code);
	nvml->is_started = true;
	code = nvml->call.nvmlDeviceGetCount_v2(&n);
	if (code)
		return err_set(err, ENODEV, "cannot count NVIDIA's GPUs: %s (%d)", words(nvml, code), code);
	nvml->n = n < MOST_DEVICES ? n : MOST_DEVICES;
	for (unsigned i = 0; i < nvml->n; i++)
		if (nvml->call.nvmlDeviceGetHandleByIndex_v2(i, &nvml->device[i]))
			nvml->device[i] = NULL; /* a failed device stays in the list, without values */
	return 0;
}

struct nvml *nvml_open(struct err *err)
{
	struct nvml *nvml = calloc(1, sizeof *nvml);
	struct timespec now;

	err_no_memory(err, "cannot query NVIDIA's driver");
	if (!nvml)
		return NULL;
	nvml->process = calloc(MOST_ENTRIES, sizeof *nvml->process);
	nvml->used = calloc(MOST_ENTRIES, sizeof *nvml->used);
	/* some drivers write more per entry than documented */
	nvml->entries = calloc(MOST_ENTRIES, 2 * sizeof(struct running));
	if (!nvml->process || !nvml->used || !nvml->entries || load(nvml, err) || begin(nvml, err)) {
		nvml_close(nvml);
		return NULL;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	for (unsigned i = 0; i < nvml->n; i++)
		nvml->seen_us[i] = (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000;
	return nvml;
}

void nvml_close(struct nvml *nvml)
{
	if (!nvml)
		return;
	if (nvml->is_started)
		nvml->call.nvmlShutdown();
	if (nvml->library)
		dlclose(nvml->library);
	free(nvml->process);
	free(nvml->used);
	free(nvml->entries);
	free(nvml);
}

unsigned nvml_count(const struct nvml *nvml)
{
	return nvml->n;
}

void nvml_describe(struct nvml *nvml, unsigned device, char *text, size_t size, int *minor)
{
	char name[96] = "NVIDIA GPU", driver[80] = "";
	struct pci pci = { .legacy = "" };
	handle at = nvml->device[device];
	unsigned number;

	*minor = -1;
	if (at && nvml->call.nvmlDeviceGetName)
		nvml->call.nvmlDeviceGetName(at, name, sizeof name - 1);
	if (at && nvml->call.nvmlDeviceGetPciInfo_v3)
		nvml->call.nvmlDeviceGetPciInfo_v3(at, &pci);
	if (nvml->call.nvmlSystemGetDriverVersion)
		nvml->call.nvmlSystemGetDriverVersion(driver, sizeof driver - 1);
	if (at && nvml->call.nvmlDeviceGetMinorNumber && !nvml->call.nvmlDeviceGetMinorNumber(at, &number) &&
	    number < MOST_ENTRIES)
		*minor = (int)number;
	snprintf(text, size, "%.64s%s%.31s%s%.40s", name, *pci.bus_id ? " at " : "", pci.bus_id,
		 *driver ? ", driver " : "", driver);
}

/* A number returned by a function; NAN: failed. */
static double number(int (*call)(handle, unsigned *), handle device, double scale)
{
	unsigned value = 0;

	return call && !call(device, &value) ? value * scale : NAN;
}

static double number_of(int (*call)(handle, int, unsigned *), handle device, int which)
{
	unsigned value = 0;

	return call && !call(device, which, &value) ? value : NAN;
}

void nvml_values(struct nvml *nvml, unsigned device, double value[N_NVML_WHATS])
{
	const struct nvml_funcs *call = &nvml->call;
	handle at = nvml->device[device];
	struct utilization utilization;
	unsigned long long mj = 0;
	struct memory memory;

	for (int i = 0; i < N_NVML_WHATS; i++)
		value[i] = NAN;
	if (!at)
		return;
	if (call->nvmlDeviceGetUtilizationRates && !call->nvmlDeviceGetUtilizationRates(at, &utilization) &&
	    utilization.gpu <= 100 && utilization.memory <= 100) {
		value[NVML_BUSY] = utilization.gpu;
		value[NVML_MEMORY_BUSY] = utilization.memory;
	}
	if (call->nvmlDeviceGetMemoryInfo && !call->nvmlDeviceGetMemoryInfo(at, &memory) &&
	    memory.used <= memory.total) {
		value[NVML_MEMORY_USED] = (double)memory.used;
		value[NVML_MEMORY_TOTAL] = (double)memory.total;
	}
	value[NVML_POWER] = number(call->nvmlDeviceGetPowerUsage, at, 1e-3);
	if (call->nvmlDeviceGetTotalEnergyConsumption && !call->nvmlDeviceGetTotalEnergyConsumption(at, &mj))
		value[NVML_ENERGY] = (double)mj / 1e3;
	value[NVML_TEMPERATURE] = number_of(call->nvmlDeviceGetTemperature, at, SENSOR_GPU);
	value[NVML_CLOCK] = number_of(call->nvmlDeviceGetClockInfo, at, CLOCK_SM);
	value[NVML_MEMORY_CLOCK] = number_of(call->nvmlDeviceGetClockInfo, at, CLOCK_MEMORY);
}

/* The newest of three functions for the same list; *size: of an entry. */
static list_fn *newest(list_fn *v3, list_fn *v2, list_fn *v1, size_t *size)
{
	*size = v3 || v2 ? sizeof(struct running) : 16;
	return v3 ? v3 : v2 ? v2 : v1;
}

static void add_process(struct nvml *nvml, size_t *n, const struct running *running)
{
	double bytes = running->used_bytes == ~0ull ? NAN : (double)running->used_bytes;
	struct nvml_process *process;
	size_t i = 0;

	if (!running->pid || running->pid > INT32_MAX)
		return;
	while (i < *n && nvml->process[i].pid != (int32_t)running->pid)
		i++;
	if (i == MOST_ENTRIES)
		return;
	process = &nvml->process[i];
	if (i == *n) {
		*process = (struct nvml_process){ (int32_t)running->pid, bytes, NAN };
		++*n;
	} else if (isnan(process->memory_bytes) || bytes > process->memory_bytes) {
		/* listed for both compute and graphics: the memory is the same */
		process->memory_bytes = bytes;
	}
}

static bool add_list(struct nvml *nvml, handle device, list_fn *list, size_t size, size_t *n)
{
	unsigned n_entries = MOST_ENTRIES;

	if (!list || list(device, &n_entries, nvml->entries))
		return false;
	for (unsigned i = 0; i < n_entries && i < MOST_ENTRIES; i++) {
		struct running running = { 0 };
		memcpy(&running, nvml->entries + i * size, size);
		add_process(nvml, n, &running);
	}
	return true;
}

/* A process without a sample since the last look has not used the device. */
static void add_use(struct nvml *nvml, unsigned device, size_t n)
{
	unsigned long long newest_us = nvml->seen_us[device];
	unsigned n_used = MOST_ENTRIES;
	int code;

	if (!nvml->call.nvmlDeviceGetProcessUtilization)
		return;
	code = nvml->call.nvmlDeviceGetProcessUtilization(nvml->device[device], nvml->used, &n_used,
							  nvml->seen_us[device]);
	if (code && code != NOT_FOUND)
		return;
	if (code || n_used > MOST_ENTRIES)
		n_used = 0;
	for (size_t i = 0; i < n; i++) {
		double sum = 0;
		unsigned n_sums = 0;

		for (unsigned u = 0; u < n_used; u++) {
			const struct used *used = &nvml->used[u];
			/* the driver returns nonsense now and then */
			if (used->pid != (unsigned)nvml->process[i].pid || used->processors > 100 ||
			    used->time_us <= nvml->seen_us[device] || used->time_us - nvml->seen_us[device] > DAY_US)
				continue;
			sum += used->processors;
			n_sums++;
			newest_us = used->time_us > newest_us ? used->time_us : newest_us;
		}
		nvml->process[i].busy = n_sums ? sum / n_sums : 0;
	}
	nvml->seen_us[device] = newest_us;
}

bool nvml_processes(struct nvml *nvml, unsigned device, const struct nvml_process **processes, size_t *n)
{
	const struct nvml_funcs *call = &nvml->call;
	handle at = nvml->device[device];
	bool is_listed = false;
	list_fn *list;
	size_t size;

	*n = 0;
	*processes = nvml->process;
	if (!at)
		return false;
	list = newest(call->nvmlDeviceGetComputeRunningProcesses_v3, call->nvmlDeviceGetComputeRunningProcesses_v2,
		      call->nvmlDeviceGetComputeRunningProcesses, &size);
	is_listed |= add_list(nvml, at, list, size, n);
	list = newest(call->nvmlDeviceGetGraphicsRunningProcesses_v3, call->nvmlDeviceGetGraphicsRunningProcesses_v2,
		      call->nvmlDeviceGetGraphicsRunningProcesses, &size);
	is_listed |= add_list(nvml, at, list, size, n);
	add_use(nvml, device, *n);
	return is_listed;
}
