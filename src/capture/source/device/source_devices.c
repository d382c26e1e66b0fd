// SPDX-License-Identifier: Apache-2.0
/*
 * Devices with a driver in the kernel: one row of device_kinds[] for GPUs (amdgpu, i915, xe, panthor, panfrost, msm,
 * v3d ...), one for NPUs and other accelerators of the accel subsystem (intel_vpu, amdxdna, qaic ...), and one source
 * per row. Per process: the share of each engine and the memory; per device: the driver's files in /sys. A device that
 * no process of the target uses has no counters. source_gpu_nvml.c handles GPUs under NVIDIA's driver.
 *
 * "busy" is the driver's own value. Intel's GPU drivers have none that can be read without a privilege: "awake" is the
 * share of time in which the compute part of the GPU was powered. Power and energy are those of the board or chip, as
 * the driver measures them, including any CPUs on the chip. "busy" of Intel's NPU is the time in which one of its
 * queues held a job; its driver must not be read more often than once a second. A clock of 0 MHz means that an NPU is
 * asleep.
 */
#include <stdio.h>
#include <string.h>

#include "capture/source/device/device_source.h"

#define SECOND_NS UINT64_C(1000000000)

static const struct gauge_kind gpu_gauges[] = {
	/* amdgpu */
	{ "device/gpu_busy_percent", "busy", "%", 1, GAUGE_VALUE },
	{ "device/mem_busy_percent", "memory busy", "%", 1, GAUGE_VALUE },
	{ "device/mem_info_vram_used", "memory used", "bytes", 1, GAUGE_VALUE },
	{ "device/mem_info_vram_total", "memory total", "bytes", 1, GAUGE_ONCE },
	{ "device/mem_info_gtt_used", "system memory used", "bytes", 1, GAUGE_VALUE },
	/* xe, i915, older i915: milliseconds of sleep */
	{ "device/tile0/gt0/gtidle/idle_residency_ms", "awake", "%", 0.1, GAUGE_IDLE },
	{ "gt/gt0/rc6_residency_ms", "awake", "%", 0.1, GAUGE_IDLE },
	{ "power/rc6_residency_ms", "awake", "%", 0.1, GAUGE_IDLE },
	/* hwmon: the whole card, else its package */
	{ "device/hwmon/hwmon*/energy1_input", "energy", "J", 1e-6, GAUGE_SUM },
	{ "device/hwmon/hwmon*/energy2_input", "energy", "J", 1e-6, GAUGE_SUM },
	{ "device/hwmon/hwmon*/power1_average", "power", "W", 1e-6, GAUGE_VALUE },
	{ "device/hwmon/hwmon*/power1_input", "power", "W", 1e-6, GAUGE_VALUE },
	{ "device/hwmon/hwmon*/energy1_input", "power", "W", 1e-6, GAUGE_GROWTH },
	{ "device/hwmon/hwmon*/energy2_input", "power", "W", 1e-6, GAUGE_GROWTH },
	{ "device/hwmon/hwmon*/temp1_input", "temperature", "degC", 1e-3, GAUGE_VALUE },
	{ "device/hwmon/hwmon*/temp2_input", "temperature", "degC", 1e-3, GAUGE_VALUE },
	/* amdgpu, xe, i915, older i915, drivers with devfreq */
	{ "device/hwmon/hwmon*/freq1_input", "clock", "MHz", 1e-6, GAUGE_VALUE },
	{ "device/tile0/gt0/freq0/act_freq", "clock", "MHz", 1, GAUGE_VALUE },
	{ "gt/gt0/rps_act_freq_mhz", "clock", "MHz", 1, GAUGE_VALUE },
	{ "gt_act_freq_mhz", "clock", "MHz", 1, GAUGE_VALUE },
	{ "device/devfreq/*/cur_freq", "clock", "MHz", 1e-6, GAUGE_VALUE },
	{ "device/hwmon/hwmon*/freq2_input", "memory clock", "MHz", 1e-6, GAUGE_VALUE },
	{ 0 },
};

/* panthor and panfrost measure engines only when enabled. */
static void gpu_hint(const struct target *target, const struct device *device, char *text, size_t size)
{
	char path[128], profiling[32];

	snprintf(path, sizeof path, "/sys/class/drm/%s/device/profiling", device->node);
	if (device_read(target->sysroot, path, profiling, sizeof profiling) > 0 && !strcmp(profiling, "0"))
		snprintf(text, size, "its driver measures processes only after: echo %d | sudo tee %s",
			 strcmp(device->driver, "panthor") ? 1 : 3, path);
}

static const struct gauge_kind npu_gauges[] = {
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

/* Drivers known not to report how long a process used the device. */
static void npu_hint(const struct target *target, const struct device *device, char *text, size_t size)
{
	if (!strcmp(device->driver, "intel_vpu"))
		snprintf(text, size, "its driver reports the busy time of the whole NPU, not of each process");
	else if (!strcmp(device->driver, "qaic"))
		snprintf(text, size, "its driver reports neither busy time nor memory of a process");
}

enum { GPU, NPU };

static const struct device_kind device_kinds[] = {
	[GPU] = { .class = { "gpu", "/sys/class/drm", "card", "/dev/dri/" },
		  .gauges = gpu_gauges,
		  .missing = "this machine has no GPU with a driver of the kernel's own",
		  .hint = gpu_hint },
	[NPU] = { .class = { "npu", "/sys/class/accel", "accel", "/dev/accel/" },
		  .gauges = npu_gauges,
		  .missing =
		      "this machine has no NPU with a driver in the kernel's accel subsystem (intel_vpu, amdxdna, "
		      "qaic ...)",
		  .hint = npu_hint },
};

/* The functions of a source have no argument for the row: each kind has functions of its own. */
#define DEVICE_SOURCE(which, kind, words) \
	static int check_##which(const struct target *target, struct err *err) \
	{ \
		return device_source_check(&device_kinds[kind], target, err); \
	} \
	static int start_##which(void *state, const struct target *target, struct sink *out, struct err *err) \
	{ \
		return device_source_start(state, &device_kinds[kind], target, err); \
	} \
	static void devices_##which(const struct target *target, source_device_fn each, void *ctx) \
	{ \
		device_source_each(&device_kinds[kind], target, each, ctx); \
	} \
	const struct source source_##which = { \
		.name = #which, \
		.help = words, \
		.state_size = sizeof(struct device_state), \
		.is_for_sums = true, \
		.check = check_##which, \
		.start = start_##which, \
		.due_ms = device_source_due_ms, \
		.drain = device_source_drain, \
		.stop = device_source_stop, \
		.devices = devices_##which, \
	};

DEVICE_SOURCE(gpu, GPU, "GPUs with drivers of the kernel's own (AMD, Intel, Arm ...), and each process's use of them")
DEVICE_SOURCE(npu, NPU, "NPUs (Intel, AMD, Qualcomm), and each process's use of them")
