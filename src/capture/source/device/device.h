/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the GPUs and NPUs that have a kernel driver, from /sys/class/drm and /sys/class/accel below a sysroot. Keeps no
 * state; any thread.
 */
#ifndef CAPTURE_SOURCE_DEVICE_H
#define CAPTURE_SOURCE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { DEVICE_MOST = 64, DEVICE_TEXT = 32, DEVICE_NODES = 4 };

/* One class of devices. */
struct device_class {
	const char *kind;   /* "gpu": prefix of its devices' names */
	const char *folder; /* "/sys/class/drm" */
	const char *prefix; /* "card": prefix of the devices' folders */
	const char *nodes;  /* "/dev/dri/": where programs open them */
};

struct device {
	char node[DEVICE_TEXT];		       /* "card1": its name in the folder */
	char name[2 * DEVICE_TEXT];	       /* "gpu card1" */
	char driver[DEVICE_TEXT];	       /* "amdgpu"; "": unknown */
	char pci[DEVICE_TEXT];		       /* "0000:03:00.0"; "": not on that bus */
	char id[DEVICE_TEXT];		       /* "1002:744C", vendor and product */
	char other[DEVICE_NODES][DEVICE_TEXT]; /* other names of it below nodes: "renderD128" */
	size_t n_others;
};

/*
 * In order of their numbers, at most DEVICE_MOST. Leaves out devices that only drive displays, and those of NVIDIA's
 * own driver, which only NVIDIA's library reports on. 0, or -errno: no such folder.
 */
int device_list(const char *sysroot, const struct device_class *class, struct device *devices, size_t *n);

/* "amdgpu 1002:744C at 0000:03:00.0": the known parts. */
void device_describe(const struct device *device, char *text, size_t size);

/* The device that has a node of this name ("renderD128"), or is at this PCI address; n: none. */
size_t device_of_node(const struct device *devices, size_t n, const char *node);
size_t device_of_pci(const struct device *devices, size_t n, const char *pci);

/* Reads all of a small file below the sysroot, NUL-terminated, without its last line break. Its length, or -errno. */
ssize_t device_read(const char *sysroot, const char *path, char *text, size_t size);
/*
 * Parses a text or a small file that is a single number, except for a line break. 0, or -errno: EPROTO: not a number.
 */
int device_number(const char *text, uint64_t *value);
int device_read_number(const char *sysroot, const char *path, uint64_t *value);

#endif
