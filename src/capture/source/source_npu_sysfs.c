// SPDX-License-Identifier: Apache-2.0
/*
 * NPUs and other accelerators with a driver in the kernel's accel subsystem (intel_vpu, amdxdna, qaic ...): per process
 * what the driver tells of its clients, which Intel's and Qualcomm's do of memory or not at all, per device what it
 * tells in /sys. A device that no process of the target uses has no counters.
 *
 * "busy" of Intel's NPU is the time in which a job lay in one of its queues. Its driver wants that not to be read more
 * often than once a second. A clock of 0 MHz is that of an NPU that sleeps.
 */
#include <stdio.h>
#include <string.h>

#include "capture/source/device_source.h"

#define SECOND_NS UINT64_C(1000000000)

static const struct gauge_kind gauges[] = {
	/* intel_vpu: microseconds of work in a second as percent */
	{ "device/npu_busy_time_us", "busy", "%", 1e-4, GAUGE_GROWTH, SECOND_NS },
	{ "device/npu_memory_utilization", "memory used", "bytes", 1, GAUGE_VALUE },
	{ "device/npu_current_frequency_mhz", "clock", "MHz", 1, GAUGE_VALUE },
	{ "device/npu_max_frequency_mhz", "largest clock", "MHz", 1, GAUGE_ONCE },
	/* amdxdna, where it has sensors */
	{ "device/hwmon/hwmon*/energy1_input", "energy", "J", 1e-6, GAUGE_SUM },
	{ "device/hwmon/hwmon*/power1_average", "power", "W", 1e-6, GAUGE_VALUE },
	{ "device/hwmon/hwmon*/power1_input", "power", "W", 1e-6, GAUGE_VALUE },
	{ "device/hwmon/hwmon*/temp1_input", "temperature", "degC", 1e-3, GAUGE_VALUE },
	/* qaic: channels to which a workload is assigned */
	{ "dbc*_state", "workloads", "count", 1, GAUGE_HOW_MANY },
	{ 0 },
};

/* Drivers that are known not to tell how long a process had the device. */
static void hint(const struct target *target, const struct device *device, char *text, size_t size)
{
	if (!strcmp(device->driver, "intel_vpu"))
		snprintf(text, size, "its driver tells the time of work of the whole NPU, not of each process");
	else if (!strcmp(device->driver, "qaic"))
		snprintf(text, size, "its driver tells no time of work, and no memory of a process");
}

static const struct device_kind kind = {
	.class = { "npu", "/sys/class/accel", "accel", "/dev/accel/" },
	.gauges = gauges,
	.missing =
	    "this machine has no NPU with a driver in the kernel's accel subsystem (intel_vpu, amdxdna, qaic ...)",
	.hint = hint,
};

static int check(const struct target *target, struct err *err)
{
	return device_source_check(&kind, target, err);
}

static int start(void *state, const struct target *target, struct sink *out, struct err *err)
{
	return device_source_start(state, &kind, target, err);
}

static void devices(const struct target *target, source_device_fn each, void *ctx)
{
	device_source_each(&kind, target, each, ctx);
}

const struct source source_npu_sysfs = {
	.name = "npu",
	.help = "NPUs (Intel, AMD, Qualcomm), and each process's use of them",
	.state_size = sizeof(struct device_state),
	.check = check,
	.start = start,
	.due_ms = device_source_due_ms,
	.drain = device_source_drain,
	.stop = device_source_stop,
	.devices = devices,
};
