// SPDX-License-Identifier: Apache-2.0
/*
 * GPUs whose drivers are the kernel's own (amdgpu, i915, xe, panthor, panfrost, msm, v3d ...): per process the share of
 * each engine and the memory, per device what the driver tells of it in /sys. A device that no process of the target
 * uses has no counters. GPUs under NVIDIA's driver are in source_gpu_nvml.c.
 *
 * "busy" is the driver's own word for it. Intel's drivers have none that can be read without a privilege: "awake" is
 * the share of time in which the part of the GPU that computes was not powered down. Power and energy are those of the
 * board or chip, as the driver measures it; on a chip with CPUs in it theirs are in them.
 */
#include <stdio.h>
#include <string.h>

#include "capture/source/device_source.h"

static const struct gauge_kind gauges[] = {
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

/* panthor and panfrost measure engines only when they are told to. */
static void hint(const struct target *target, const struct device *device, char *text, size_t size)
{
	char path[128], profiling[32];

	snprintf(path, sizeof path, "/sys/class/drm/%s/device/profiling", device->node);
	if (device_read(target->sysroot, path, profiling, sizeof profiling) > 0 && !strcmp(profiling, "0"))
		snprintf(text, size, "its driver measures processes only after: echo %d | sudo tee %s",
			 strcmp(device->driver, "panthor") ? 1 : 3, path);
}

static const struct device_kind kind = {
	.class = { "gpu", "/sys/class/drm", "card", "/dev/dri/" },
	.gauges = gauges,
	.missing = "this machine has no GPU with a driver of the kernel's own",
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

const struct source source_gpu_drm = {
	.name = "gpu",
	.help = "GPUs with drivers of the kernel's own (AMD, Intel, Arm ...), and each process's use of them",
	.state_size = sizeof(struct device_state),
	.check = check,
	.start = start,
	.due_ms = device_source_due_ms,
	.drain = device_source_drain,
	.stop = device_source_stop,
	.devices = devices,
};
