// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the libcupti that fits: one that is in the program already, because two copies disturb each other; the one that
 * the user names; one beside the CUDA libraries of the program; the loader's. Its major version must not be above the
 * driver's, and should be that of libcudart.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/agent/cupti/cupti_in.h"
#include "capture/agent/glibc.h"
#include "capture/agent/guard.h"
#include "capture/agent/replace/module_walk.h"

enum { PATH = 1024, NEWEST = 13, OLDEST = 11 };

struct cupti cupti;

static const char *const names[] = { "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so.11.7" };
static const int majors[] = { 13, 12, 11, 11 };
enum { N_NAMES = sizeof names / sizeof *names };

static char why[256];

bool cupti_find_driver(struct cupti_driver *driver)
{
	int (*count)(int *), (*version)(int *), n = 0;
	void *library = guard_dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	bool has;

	if (!library)
		return false;
	*(void **)&count = glibc.dlsym(library, "cuDeviceGetCount");
	*(void **)&version = glibc.dlsym(library, "cuDriverGetVersion");
	has = count && version && !count(&n) && n > 0 && !version(&driver->version);
	glibc.dlclose(library); /* it is the program's */
	return has;
}

/* Where else the library lies, from the folder of one of CUDA's. */
static const char *const beside[] = { "", "/../../cuda_cupti/lib", "/../extras/CUPTI/lib64",
				      "/../../extras/CUPTI/lib64", "/../../cu13/lib" };

static const char *const of_cuda[] = { "libcudart.so", "libcublas.so", "libcublasLt.so", "libcudnn.so", "libcufft.so" };

static bool is_of_cuda(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; slash && i < sizeof of_cuda / sizeof *of_cuda; i++)
		if (!strncmp(slash + 1, of_cuda[i], strlen(of_cuda[i])))
			return true;
	return false;
}

/* The major version at the end of "libcudart.so.12"; 0: none. */
static int major_of(const char *path)
{
	const char *at = strstr(path, "libcudart.so.");

	return at ? atoi(at + strlen("libcudart.so.")) : 0;
}

/* The folders of CUDA's libraries in the program, and what libcudart says that it needs. */
struct folders {
	char path[8][PATH];
	unsigned n;
	int major; /* 0: not known */
};

static void find_folders(struct folders *folders)
{
	struct image_set set = { 0 };

	if (module_walk_images(&set))
		return;
	for (size_t i = 0; i < set.n; i++) {
		const char *path = set.image[i].path, *slash;

		if (!is_of_cuda(path) || strlen(path) >= PATH)
			continue;
		if (major_of(path))
			folders->major = major_of(path);
		if (folders->n == sizeof folders->path / sizeof *folders->path)
			continue;
		slash = strrchr(path, '/');
		memcpy(folders->path[folders->n], path, (size_t)(slash - path));
		folders->path[folders->n++][slash - path] = 0;
	}
	image_set_done(&set);
}

static void *open_beside(const struct folders *folders, const char *name)
{
	char path[PATH + 64];
	void *library = NULL;

	for (unsigned i = 0; i < folders->n && !library; i++)
		for (size_t b = 0; b < sizeof beside / sizeof *beside && !library; b++) {
			stpcpy(stpcpy(stpcpy(stpcpy(path, folders->path[i]), beside[b]), "/"), name);
			library = guard_dlopen(path, RTLD_LAZY | RTLD_LOCAL);
		}
	return library;
}

/* The newest that the driver allows, that of libcudart first. */
static void *open_any(const struct folders *folders, int most)
{
	void *library = NULL;

	for (int pass = 0; pass < 2 && !library; pass++)
		for (unsigned i = 0; i < N_NAMES && !library; i++) {
			bool is_wanted = folders->major ? majors[i] == folders->major : true;

			if (majors[i] > most || is_wanted != !pass)
				continue;
			library = open_beside(folders, names[i]);
			if (!library)
				library = guard_dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
		}
	return library;
}

static void *open_loaded(void)
{
	void *library = NULL;

	for (unsigned i = 0; i < N_NAMES && !library; i++)
		library = guard_dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
	return library;
}

static const char *take_functions(void *library)
{
	const char *missing = NULL;

#define TAKE(function, params, is_needed) \
	*(void **)&cupti.function = glibc.dlsym(library, "cupti" #function); \
	if (!cupti.function && is_needed) \
		missing = "cupti" #function;
	CUPTI_FUNCTIONS(TAKE)
#undef TAKE
	*(void **)&cupti.EnableRuntimeApi = glibc.dlsym(library, "cuptiActivityEnableRuntimeApi");
	*(void **)&cupti.EnableDriverApi = glibc.dlsym(library, "cuptiActivityEnableDriverApi");
	return missing;
}

const char *cupti_find(const struct cupti_driver *driver)
{
	static struct folders folders;
	const char *named = getenv("INFTRACE_CUPTI"), *missing;
	int major = driver->version / 1000;
	void *library;

	memset(&folders, 0, sizeof folders);
	library = open_loaded();
	if (!library && named && *named)
		library = guard_dlopen(named, RTLD_LAZY | RTLD_LOCAL);
	if (!library && !(named && *named)) {
		find_folders(&folders);
		library = open_any(&folders, major > NEWEST ? NEWEST : major);
	}
	if (!library) {
		major = folders.major ? folders.major : major > NEWEST ? NEWEST : major;
		snprintf(why, sizeof why,
			 named && *named ? "INFTRACE_CUPTI names %.80s, which cannot be loaded"
					 : "libcupti was not found: pip install nvidia-cuda-cupti%s",
			 named && *named   ? named
			 : major <= OLDEST ? "-cu11"
			 : major == 12	   ? "-cu12"
					   : "");
		return why;
	}
	missing = take_functions(library);
	if (missing) {
		snprintf(why, sizeof why, "libcupti has no function %s: install one of CUDA 11.7 or later", missing);
		return why;
	}
	cupti.library = library;
	return NULL;
}
