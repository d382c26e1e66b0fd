// SPDX-License-Identifier: Apache-2.0
/*
 * GPUs under NVIDIA's driver, as reported by its library: "gpu nvidia0" is the one that nvidia-smi calls 0. Per
 * process: its share of the processors ("sm") and its memory; per device: the library's values. The library runs in a
 * process of its own (nvml_ask.c), and is queried only once a process of the target has opened such a device.
 *
 * The driver numbers processes as the host does. In a container the same number may mean another process: there it
 * counts only for a process that has the device open.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/proc/namespace.h"
#include "capture/source/device/device_source.h"
#include "capture/source/device/nvml.h"
#include "capture/source/tree.h"
#include "capture/source/walk.h"

#define MS_NS UINT64_C(1000000)
/* The driver takes its own samples, at most six a second. */
#define LEAST_NS (100 * MS_NS)

enum { MOST_DEVICES = 64, READ_MS = 50, LAST_MS = 150, DOCTOR_MS = 5000 };

/* One process's use of one device. */
struct use {
	struct counter memory, busy;
};

struct nvml_item {
	struct followed followed;
	uint64_t open; /* bits: minors of its open devices */
	bool has_any;  /* WSL: one node for all devices */
	struct walk walk;
	struct use *use; /* MOST_DEVICES of them */
};

struct nvml_device {
	char text[160];
	int minor;
	bool is_used, is_listed;
	uint32_t track;
	struct counter counter[N_NVML_WHATS];
	bool has_base, has_lost, has_total;
	double base_joules, last_joules;
};

struct nvml_state {
	const struct target *target;
	struct follow follow;
	struct nvml_ask ask;
	struct nvml_device *device; /* MOST_DEVICES of them */
	bool is_namespace;	    /* of pids, other than the host's */
};

static bool has_library(void)
{
	const char *path = secure_getenv("INFTRACE_NVML");

	return path && *path;
}

static int check(const struct target *target, struct err *err)
{
	static const char *const signs[] = { "/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/dxg" };
	char path[PATH_MAX];

	if (has_library())
		return 0;
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		snprintf(path, sizeof path, "%s%s", target->sysroot, signs[i]);
		if (!access(path, F_OK))
			return *target->sysroot ? err_set(err, ENOTSUP,
							  "cannot query NVIDIA's driver below %s: only this machine's "
							  "driver can be queried",
							  target->sysroot)
						: 0;
	}
	return err_set(
	    err, ENOENT,
	    "cannot find NVIDIA's driver: %s%s does not exist; pass the GPUs to the container (docker run --gpus all)",
	    target->sysroot, signs[1]);
}

static uint64_t interval_of(const struct target *target)
{
	uint64_t interval_ns = sample_interval_ns(target);

	return interval_ns < LEAST_NS ? LEAST_NS : interval_ns;
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	struct nvml_state *state = data;

	state->target = target;
	state->device = calloc(MOST_DEVICES, sizeof *state->device);
	if (!state->device)
		return err_no_memory(err, "cannot query NVIDIA's driver");
	state->is_namespace = !namespace_is_first(target->sysroot);
	return nvml_ask_start(&state->ask, interval_of(target), err);
}

static void keep_open(void *ctx, int fd, const char *name)
{
	struct nvml_item *item = ctx;
	char *end;
	long minor;

	if (!strcmp(name, "dxg"))
		item->has_any = true;
	if (strncmp(name, "nvidia", 6) || name[6] < '0' || name[6] > '9')
		return;
	minor = strtol(name + 6, &end, 10);
	if (!*end && minor < MOST_DEVICES)
		item->open |= UINT64_C(1) << minor;
}

static bool has_open(const struct nvml_item *item, const struct nvml_device *device)
{
	if (item->has_any)
		return true;
	return device->minor < 0 ? item->open : device->minor < MOST_DEVICES && item->open >> device->minor & 1;
}

/* Finds the devices that a process has open; queries the library from the first one on. */
static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	struct nvml_state *state = data;
	struct nvml_item *item = data_item;

	if (walk_state(&item->walk, sample) == WALK_DUE)
		walk_descriptors(&item->walk, sample, "/dev/", keep_open, item);
	if (item->open || item->has_any)
		nvml_ask_begin(&state->ask);
	return 0;
}

static void close_item(void *data_item)
{
	free(((struct nvml_item *)data_item)->use);
}

static const struct follow_kind nvml_kind = { sizeof(struct nvml_item), sample_process, close_item };

/* The value's name excludes the device; its time is that of the message. */
static int put(const struct nvml_message *message, struct counter *counter, const struct counter_value *value,
	       struct sink *out, struct err *err)
{
	struct counter_value full = *value;
	char name[64];

	if (!isfinite(value->value))
		return 0;
	snprintf(name, sizeof name, "gpu nvidia%u %s", message->device, value->name);
	full.name = name;
	full.time_ns = message->time_ns;
	return counter_put(counter, &full, out, err);
}

static int take_process(struct nvml_state *state, const struct nvml_message *message, struct sink *out, struct err *err)
{
	struct nvml_device *device = &state->device[message->device];
	const struct tree *tree = state->target->tree;
	struct nvml_item *item = NULL;
	struct counter_value memory = { "memory", "bytes", .value = message->number };
	struct counter_value busy = { "sm", "%", .value = message->other };
	struct use *use;
	int result;

	for (size_t i = 0; i < state->follow.n && i < tree->n && !item; i++)
		if (tree->process[i].pid == message->pid)
			item = (struct nvml_item *)(state->follow.item + i * sizeof *item);
	if (!item || (state->is_namespace && !has_open(item, device)))
		return 0;
	if (!item->use)
		item->use = calloc(MOST_DEVICES, sizeof *item->use);
	if (!item->use)
		return 0;
	device->is_used = true;
	use = &item->use[message->device];
	memory.parent = busy.parent = tree_track(tree, message->pid);
	result = put(message, &use->memory, &memory, out, err);
	return result ? result : put(message, &use->busy, &busy, out, err);
}

/* Without a list of processes by their pids here, an open device counts as used. */
static bool is_open(const struct nvml_state *state, const struct nvml_device *device)
{
	for (size_t i = 0; i < state->follow.n; i++)
		if (has_open((const struct nvml_item *)(state->follow.item + i * sizeof(struct nvml_item)), device))
			return true;
	return false;
}

/* Joules since the first sample. A meter that decreased was reset: the missed part is unknown. */
static double find_joules(struct nvml_device *device, double joules)
{
	if (!isfinite(joules))
		return NAN;
	if (!device->has_base)
		device->base_joules = device->last_joules = joules;
	device->has_base = true;
	device->has_lost |= joules < device->last_joules;
	device->last_joules = joules;
	return device->has_lost ? NAN : joules - device->base_joules;
}

static int take_values(struct nvml_state *state, const struct nvml_message *message, struct sink *out, struct err *err)
{
	struct nvml_device *device = &state->device[message->device];
	char name[32];
	int result;

	if (!device->is_listed || state->is_namespace)
		device->is_used |= is_open(state, device);
	if (!device->is_used)
		return 0;
	snprintf(name, sizeof name, "gpu nvidia%u", message->device);
	result = device_track(&device->track, out, name, device->text, message->time_ns, err);
	for (int what = 0; what < N_NVML_WHATS && !result; what++) {
		double value = message->value[what];

		if (what == NVML_ENERGY)
			value = find_joules(device, value);
		if (what == NVML_MEMORY_TOTAL && device->has_total)
			continue;
		result = put(message, &device->counter[what],
			     &(struct counter_value){ nvml_names[what].name, nvml_names[what].unit, device->track,
						      .value = value },
			     out, err);
	}
	device->has_total = true;
	return result;
}

static int take(struct nvml_state *state, const struct nvml_message *message, struct sink *out, struct err *err)
{
	struct nvml_device *device = &state->device[message->device % MOST_DEVICES];

	if (message->device >= MOST_DEVICES)
		return 0;
	switch (message->type) {
	case NVML_FAILED:
		return err_set(err, ENODEV, "%s", message->text);
	case NVML_DEVICE:
		snprintf(device->text, sizeof device->text, "%.159s", message->text);
		device->minor = (int)message->number;
		return 0;
	case NVML_LISTED:
		device->is_listed = message->number != 0;
		return 0;
	case NVML_PROCESS:
		return take_process(state, message, out, err);
	case NVML_VALUES:
		return take_values(state, message, out, err);
	}
	return 0;
}

static int due_ms(const void *data)
{
	const struct nvml_state *state = data;
	int ms = sample_due_ms(follow_due_ns(&state->follow, &nvml_kind, state->target->tree));

	return state->ask.has_begun && ms > READ_MS ? READ_MS : ms;
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct nvml_state *state = data;
	struct sample sample = { state->target, NULL, out, now_ns, err };
	bool is_last = state->target->is_ending && state->ask.has_begun;
	uint64_t until_ns = clock_ns() + LAST_MS * MS_NS;
	struct nvml_message message = { .type = NVML_LOOKED };
	int result = follow_drain(&state->follow, &nvml_kind, state, &sample);
	char text[200];

	if (is_last)
		nvml_ask_now(&state->ask);
	/* waits for the last sample, but not for long */
	while (!result && nvml_ask_next(&state->ask, &message, is_last && clock_ns() < until_ns ? READ_MS : 0)) {
		result = take(state, &message, out, err);
		is_last &= message.type != NVML_LOOKED || message.time_ns < now_ns;
	}
	if (!result && state->ask.has_ended) {
		nvml_ask_reason(&state->ask, text, sizeof text);
		return err_set(err, ENODEV, "%s", text);
	}
	return result;
}

static void stop(void *data)
{
	struct nvml_state *state = data;

	nvml_ask_stop(&state->ask);
	follow_done(&state->follow, &nvml_kind);
	free(state->device);
	state->device = NULL;
}

/* For doctor: the result of one sample. */

struct told {
	char text[160];
	bool is_listed;
};

static void tell(const struct told *told, const struct nvml_message *message, source_device_fn each, void *ctx)
{
	struct source_device seen = { .name = "" };
	size_t used = 0, missing = 0;
	char without[200] = "";

	snprintf(seen.name, sizeof seen.name, "gpu nvidia%u", message->device);
	snprintf(seen.text, sizeof seen.text, "%s", told->text);
	for (int what = 0; what < N_NVML_WHATS; what++) {
		if (isnan(message->value[what]) && missing < sizeof without)
			missing += (size_t)snprintf(without + missing, sizeof without - missing, "%s%s",
						    missing ? ", " : "", nvml_names[what].name);
		else if (used < sizeof seen.tells)
			used += (size_t)snprintf(seen.tells + used, sizeof seen.tells - used, "%s%s", used ? ", " : "",
						 nvml_names[what].name);
	}
	snprintf(seen.problem, sizeof seen.problem, "%s%s%s%s", missing ? "its driver does not report " : "", without,
		 missing && !told->is_listed ? "; " : "",
		 told->is_listed ? "" : "its driver does not list the processes that use it");
	each(ctx, &seen);
}

static void tell_failure(const char *problem, source_device_fn each, void *ctx)
{
	struct source_device seen = { .name = "gpu nvidia", .text = "NVIDIA's driver" };

	snprintf(seen.problem, sizeof seen.problem, "%s", problem);
	each(ctx, &seen);
}

static void devices(const struct target *target, source_device_fn each, void *ctx)
{
	struct told *told = calloc(MOST_DEVICES, sizeof *told);
	uint64_t until_ns = clock_ns() + DOCTOR_MS * MS_NS;
	struct nvml_message message = { .type = NVML_LISTED };
	struct nvml_ask ask = { 0 };
	struct err err = { 0 };
	char text[200];

	if (!told || check(target, &err) || nvml_ask_start(&ask, DOCTOR_MS * MS_NS, &err)) {
		free(told);
		return;
	}
	nvml_ask_begin(&ask);
	while (message.type != NVML_LOOKED && message.type != NVML_FAILED && clock_ns() < until_ns) {
		if (!nvml_ask_next(&ask, &message, READ_MS)) {
			if (ask.has_ended)
				break;
			continue;
		}
		if (message.type == NVML_DEVICE)
			snprintf(told[message.device % MOST_DEVICES].text, sizeof told->text, "%.159s", message.text);
		if (message.type == NVML_LISTED)
			told[message.device % MOST_DEVICES].is_listed = message.number != 0;
		if (message.type == NVML_VALUES)
			tell(&told[message.device % MOST_DEVICES], &message, each, ctx);
	}
	snprintf(text, sizeof text, "it did not answer within %d s", DOCTOR_MS / 1000);
	if (ask.has_ended)
		nvml_ask_reason(&ask, text, sizeof text);
	if (message.type == NVML_FAILED)
		tell_failure(message.text, each, ctx);
	else if (message.type != NVML_LOOKED)
		tell_failure(text, each, ctx);
	nvml_ask_stop(&ask);
	free(told);
}

const struct source source_gpu_nvml = {
	.name = "gpu-nvidia",
	.help = "GPUs under NVIDIA's driver, and each process's use of them",
	.state_size = sizeof(struct nvml_state),
	.is_for_sums = true,
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
	.devices = devices,
};
