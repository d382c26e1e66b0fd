// SPDX-License-Identifier: Apache-2.0
/*
 * By which library the kernels of each vendor's GPUs would be recorded. A new vendor is a row. Libraries are looked for
 * where they are installed, by their files alone: nothing is loaded.
 */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/doctor.h"

enum { PREFIXES = 6, PATTERNS = 8 };

struct vendor {
	const char *name, *library;
	/* Whether its driver is there; version: "" where it does not tell. */
	bool (*has_driver)(const char *sysroot, char *version, size_t size);
	/* Of files, the best first; those that begin with ~ are looked for in each Python environment. */
	const char *patterns[PATTERNS];
	const char *records, *advice;
};

static bool has_nvidia(const char *sysroot, char *version, size_t size)
{
	char text[512];
	const char *at;

	if (doctor_read(sysroot, "/proc/driver/nvidia/version", text, sizeof text))
		return false;
	at = strstr(text, "Module");
	at = at ? at + strcspn(at, "0123456789\n") : "";
	snprintf(version, size, "%.*s", (int)strspn(at, "0123456789."), at);
	return true;
}

/* ROCm's own device; a display driver alone has no kernels. */
static bool has_amd(const char *sysroot, char *version, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/dev/kfd", sysroot);
	doctor_read(sysroot, "/sys/module/amdgpu/version", version, size);
	return !access(path, F_OK);
}

static bool has_intel(const char *sysroot, char *version, size_t size)
{
	char path[PATH_MAX], text[256];
	glob_t found = { 0 };
	bool has = false;

	*version = 0;
	(void)size;
	snprintf(path, sizeof path, "%s/sys/class/drm/card*/device/uevent", sysroot);
	if (!glob(path, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && !has; i++) {
			doctor_read("", found.gl_pathv[i], text, sizeof text);
			has = strstr(text, "DRIVER=xe\n") || strstr(text, "DRIVER=i915\n");
		}
	globfree(&found);
	return has;
}

static const struct vendor vendors[] = {
	{ "NVIDIA",
	  "CUPTI",
	  has_nvidia,
	  { "~/lib/python3*/site-packages/nvidia/cu*/lib/libcupti.so.1[0-9]*",
	    "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.1[0-9]*",
	    "/usr/local/cuda*/targets/*/lib/libcupti.so.1[0-9]*", "/usr/lib/*/libcupti.so.1[0-9]*",
	    "/usr/lib64/libcupti.so.1[0-9]*" },
	  "kernels, copies and calls of CUDA, also of running programs (attach --inject)",
	  "a program may bring its own; else: pip install nvidia-cuda-cupti (CUDA 13; -cu12, -cu11)" },
	{ "AMD",
	  "rocprofiler-sdk",
	  has_amd,
	  { "/opt/rocm*/lib/librocprofiler-sdk.so.[01]*", "/usr/lib/*/librocprofiler-sdk.so.[01]*",
	    "/usr/lib64/librocprofiler-sdk.so.[01]*" },
	  "kernels, copies and calls of HIP, of programs that record starts",
	  "install the package rocprofiler-sdk of ROCm 6.2 or later" },
	{ "Intel",
	  "PTI",
	  has_intel,
	  { "~/lib/libpti_view.so.[01]*", "/opt/intel/oneapi/pti/*/lib/libpti_view.so.[01]*",
	    "/usr/lib/*/libpti_view.so.[01]*", "/usr/lib64/libpti_view.so.[01]*" },
	  "kernels, copies and calls of Level Zero, also of running programs (attach --inject)",
	  "a program may bring its own; else: pip install intel-pti" },
};

/* Where Python packages may be installed; the environment's own on this machine alone. */
static size_t find_prefixes(const char *sysroot, const char *prefixes[PREFIXES])
{
	const char *own[] = { getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX") };
	size_t n = 0;

	for (size_t i = 0; i < 2 && !*sysroot; i++)
		if (own[i] && *own[i] == '/')
			prefixes[n++] = own[i];
	prefixes[n++] = "/usr/local";
	prefixes[n++] = "/usr";
	return n;
}

/* The longest name, which has the whole version; "" if there is none. */
static void take_longest(const char *pattern, char *path, size_t size)
{
	glob_t found = { 0 };

	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (strlen(found.gl_pathv[i]) > strlen(path))
				snprintf(path, size, "%s", found.gl_pathv[i]);
	globfree(&found);
}

static void find_library(const char *sysroot, const struct vendor *vendor, char *path, size_t size)
{
	const char *prefixes[PREFIXES];
	size_t n = find_prefixes(sysroot, prefixes);
	char pattern[PATH_MAX];

	*path = 0;
	for (const char *const *at = vendor->patterns; *at && !*path; at++)
		for (size_t i = 0; i < (**at == '~' ? n : 1) && !*path; i++) {
			snprintf(pattern, sizeof pattern, "%s%s%s", sysroot, **at == '~' ? prefixes[i] : "",
				 **at == '~' ? *at + 1 : *at);
			take_longest(pattern, path, size);
		}
}

/* "2024.1.1" of "/usr/lib/libcupti.so.2024.1.1" */
static const char *version_of(const char *path)
{
	const char *at = strstr(strrchr(path, '/'), ".so.");

	return at ? at + strlen(".so.") : "";
}

void doctor_kernels_each(const char *sysroot, doctor_kernels_fn each, void *ctx)
{
	for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
		const struct vendor *vendor = &vendors[i];
		struct doctor_finding finding = { .state = DOCTOR_LESS };
		char version[64] = "", path[PATH_MAX], driver[80] = "driver";

		if (!vendor->has_driver(sysroot, version, sizeof version))
			continue;
		if (*version)
			snprintf(driver, sizeof driver, "driver %s", version);
		find_library(sysroot, vendor, path, sizeof path);
		if (*path) {
			finding.state = DOCTOR_OK;
			snprintf(finding.text, sizeof finding.text, "%s, %s %s (%.200s): %s", driver, vendor->library,
				 version_of(path), path + strlen(sysroot), vendor->records);
		} else {
			snprintf(finding.text, sizeof finding.text, "%s, %s was not found where it is installed",
				 driver, vendor->library);
			snprintf(finding.advice, sizeof finding.advice, "%s", vendor->advice);
		}
		each(ctx, vendor->name, &finding);
	}
}
