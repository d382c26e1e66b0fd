// SPDX-License-Identifier: Apache-2.0
/*
 * A libnvidia-ml.so.1 controlled by a test: it returns the values in the file named by FAKE_NVML, which it reads at
 * each call.
 *
 * init CODE / count N / driver TEXT / stop CALL (it hangs there) / crash CALL
 * I.name TEXT, I.pci TEXT, I.minor N, I.utilization GPU MEMORY, I.memory TOTAL USED, I.power MW, I.energy MJ,
 * I.temperature C, I.clock SM MEMORY		of device I; a missing line is not supported
 * I.compute PID BYTES, I.graphics PID BYTES	a process that uses it; PID 0: the list is empty
 * I.use PID SM AGE_US				a sample of a process's use, taken that long ago
 *
 * When started, it creates a file of that name with ".started" appended.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OK, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

struct device {
	int index;
};

static struct device devices[64];

/* The rest of the nth line that begins with the key; false: none. */
static int line_of(const char *key, int nth, char *rest)
{
	const char *path = getenv("FAKE_NVML");
	FILE *file = path ? fopen(path, "r") : NULL;
	size_t len = strlen(key);
	char line[256];
	int found = 0;

	while (file && !found && fgets(line, sizeof line, file)) {
		if (strncmp(line, key, len) || line[len] != ' ' || nth--)
			continue;
		line[strcspn(line, "\n")] = 0;
		strcpy(rest, line + len + 1);
		found = 1;
	}
	if (file)
		fclose(file);
	return found;
}

static int line_at(const struct device *device, const char *what, int nth, char *rest)
{
	char key[64];

	if (line_of("stop", 0, rest) && !strcmp(rest, what))
		pause();
	if (line_of("crash", 0, rest) && !strcmp(rest, what))
		raise(SIGSEGV);
	snprintf(key, sizeof key, "%d.%s", device->index, what);
	return line_of(key, nth, rest);
}

static int numbers(const struct device *device, const char *what, unsigned long long *a, unsigned long long *b)
{
	char rest[256];

	return line_at(device, what, 0, rest) && sscanf(rest, "%llu %llu", a, b) > 0 ? OK : NOT_SUPPORTED;
}

static int one(const struct device *device, const char *what, unsigned *value)
{
	unsigned long long a = 0, b;
	int code = numbers(device, what, &a, &b);

	if (!code)
		*value = (unsigned)a;
	return code;
}

static int text(const struct device *device, const char *what, char *out, unsigned size)
{
	char rest[256];

	if (!line_at(device, what, 0, rest) || strlen(rest) >= size)
		return NOT_SUPPORTED;
	strcpy(out, rest);
	return OK;
}

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
	char rest[256], path[4096];

	snprintf(path, sizeof path, "%s.started", getenv("FAKE_NVML"));
	close(open(path, O_CREAT | O_WRONLY, 0600));
	for (int i = 0; i < 64; i++)
		devices[i].index = i;
	return line_of("init", 0, rest) ? atoi(rest) : OK;
}

int nvmlShutdown(void);
int nvmlShutdown(void)
{
	return OK;
}

const char *nvmlErrorString(int code);
const char *nvmlErrorString(int code)
{
	return code == 9 ? "Driver Not Loaded" : "Another Error";
}

int nvmlSystemGetDriverVersion(char *out, unsigned size);
int nvmlSystemGetDriverVersion(char *out, unsigned size)
{
	char rest[256];

	if (!line_of("driver", 0, rest) || strlen(rest) >= size)
		return NOT_SUPPORTED;
	strcpy(out, rest);
	return OK;
}

int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetCount_v2(unsigned *n)
{
	char rest[256];

	*n = line_of("count", 0, rest) ? (unsigned)atoi(rest) : 0;
	return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **device);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **device)
{
	*device = &devices[index];
	return OK;
}

int nvmlDeviceGetName(struct device *device, char *out, unsigned size);
int nvmlDeviceGetName(struct device *device, char *out, unsigned size)
{
	return text(device, "name", out, size);
}

struct pci {
	char legacy[16];
	unsigned numbers[5];
	char bus_id[32];
};

int nvmlDeviceGetPciInfo_v3(struct device *device, struct pci *pci);
int nvmlDeviceGetPciInfo_v3(struct device *device, struct pci *pci)
{
	return text(device, "pci", pci->bus_id, sizeof pci->bus_id);
}

int nvmlDeviceGetMinorNumber(struct device *device, unsigned *value);
int nvmlDeviceGetMinorNumber(struct device *device, unsigned *value)
{
	return one(device, "minor", value);
}

int nvmlDeviceGetUtilizationRates(struct device *device, unsigned value[2]);
int nvmlDeviceGetUtilizationRates(struct device *device, unsigned value[2])
{
	unsigned long long gpu = 0, memory = 0;
	int code = numbers(device, "utilization", &gpu, &memory);

	value[0] = (unsigned)gpu;
	value[1] = (unsigned)memory;
	return code;
}

int nvmlDeviceGetMemoryInfo(struct device *device, unsigned long long value[3]);
int nvmlDeviceGetMemoryInfo(struct device *device, unsigned long long value[3])
{
	int code = numbers(device, "memory", &value[0], &value[2]);

	if (!code)
		value[1] = value[0] - value[2];
	return code;
}

int nvmlDeviceGetPowerUsage(struct device *device, unsigned *value);
int nvmlDeviceGetPowerUsage(struct device *device, unsigned *value)
{
	return one(device, "power", value);
}

int nvmlDeviceGetTotalEnergyConsumption(struct device *device, unsigned long long *value);
int nvmlDeviceGetTotalEnergyConsumption(struct device *device, unsigned long long *value)
{
	unsigned long long unused;

	return numbers(device, "energy", value, &unused);
}

int nvmlDeviceGetTemperature(struct device *device, int sensor, unsigned *value);
int nvmlDeviceGetTemperature(struct device *device, int sensor, unsigned *value)
{
	return sensor ? NOT_SUPPORTED : one(device, "temperature", value);
}

int nvmlDeviceGetClockInfo(struct device *device, int which, unsigned *value);
int nvmlDeviceGetClockInfo(struct device *device, int which, unsigned *value)
{
	unsigned long long processors = 0, memory = 0;
	int code = which == 1 || which == 2 ? numbers(device, "clock", &processors, &memory) : NOT_SUPPORTED;

	*value = (unsigned)(which == 1 ? processors : memory);
	return code;
}

struct running {
	unsigned pid;
	unsigned long long bytes;
	unsigned instances[2];
};

static int list(struct device *device, const char *what, unsigned *n, struct running *running)
{
	unsigned room = *n, pid;
	unsigned long long bytes;
	char rest[256];

	*n = 0;
	if (!line_at(device, what, 0, rest))
		return NOT_SUPPORTED;
	for (int i = 0; line_at(device, what, i, rest); i++) {
		if (sscanf(rest, "%u %llu", &pid, &bytes) != 2 || !pid)
			continue;
		if (*n == room)
			return INSUFFICIENT_SIZE;
		running[(*n)++] = (struct running){ pid, bytes, { ~0u, ~0u } };
	}
	return OK;
}

int nvmlDeviceGetComputeRunningProcesses_v3(struct device *device, unsigned *n, struct running *running);
int nvmlDeviceGetComputeRunningProcesses_v3(struct device *device, unsigned *n, struct running *running)
{
	return list(device, "compute", n, running);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(struct device *device, unsigned *n, struct running *running);
int nvmlDeviceGetGraphicsRunningProcesses_v3(struct device *device, unsigned *n, struct running *running)
{
	return list(device, "graphics", n, running);
}

struct use {
	unsigned pid;
	unsigned long long time_us;
	unsigned processors, memory, encoder, decoder;
};

int nvmlDeviceGetProcessUtilization(struct device *device, struct use *use, unsigned *n, unsigned long long since_us);
int nvmlDeviceGetProcessUtilization(struct device *device, struct use *use, unsigned *n, unsigned long long since_us)
{
	unsigned room = *n, pid, processors;
	unsigned long long age_us, time_us;
	struct timespec now;
	char rest[256];

	clock_gettime(CLOCK_REALTIME, &now);
	*n = 0;
	if (!line_at(device, "use", 0, rest))
		return NOT_SUPPORTED;
	for (int i = 0; line_at(device, "use", i, rest); i++) {
		if (sscanf(rest, "%u %u %llu", &pid, &processors, &age_us) != 3)
			continue;
		time_us = (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000 - age_us;
		if (time_us <= since_us)
			continue;
		if (*n == room)
			return INSUFFICIENT_SIZE;
		use[(*n)++] = (struct use){ pid, time_us, processors, 0, 0, 0 };
	}
	return *n ? OK : NOT_FOUND;
}
