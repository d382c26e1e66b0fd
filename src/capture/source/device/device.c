// SPDX-License-Identifier: Apache-2.0
/* Reads names and files of /sys. Treats a name with unusual characters as missing. */
#include "capture/source/device/device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t device_read(const char *sysroot, const char *path, char *text, size_t size)
{
	char full[PATH_MAX];
	ssize_t got;
	int fd;

	if (snprintf(full, sizeof full, "%s%s", sysroot, path) >= (int)sizeof full)
		return -ENAMETOOLONG;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, size - 1);
	if (got < 0)
		got = -errno;
	close(fd);
	text[got > 0 ? got : 0] = 0;
	if (got > 0 && text[got - 1] == '\n')
		text[--got] = 0;
	return got;
}

int device_number(const char *text, uint64_t *value)
{
	char *end;

	/* strtoull alone would accept signs, blanks and overflow */
	if (*text < '0' || *text > '9')
		return -EPROTO;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || (*end && *end != '\n') ? -EPROTO : 0;
}

int device_read_number(const char *sysroot, const char *path, uint64_t *value)
{
	char text[64];
	ssize_t got = device_read(sysroot, path, text, sizeof text);

	return got < 0 ? (int)got : device_number(text, value);
}

/* The value of a line "KEY=value"; "" when there is none, or it is not a plain word. */
static void find_value(const char *text, const char *key, char *value)
{
	size_t key_len = strlen(key), len;

	*value = 0;
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (strncmp(line, key, key_len) || line[key_len] != '=')
			continue;
		line += key_len + 1;
		len = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:");
		if (len && len < DEVICE_TEXT && (!line[len] || line[len] == '\n'))
			snprintf(value, DEVICE_TEXT, "%.*s", (int)len, line);
		return;
	}
}

/* "card1", not "card1-HDMI-A-1". */
static bool is_device(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return !strncmp(name, prefix, len) && name[len] && strlen(name) < DEVICE_TEXT &&
	       strspn(name + len, "0123456789") == strlen(name + len);
}

static bool is_left_out(const char *driver)
{
	static const char *const drivers[] = { "ast",	    "bochs-drm", "cirrus",
					       "efidrm",    "gud",	 "hyperv_drm",
					       "mgag200",   "nvidia",	 "simple-framebuffer",
					       "simpledrm", "udl",	 "vboxvideo",
					       "vesadrm",   "vkms",	 "vmwgfx" };

	for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
		if (!strcmp(driver, drivers[i]))
			return true;
	return false;
}

/* Finds its other names: the kernel lists all nodes of a device in the device's folder. */
static void find_others(const char *sysroot, const struct device_class *class, struct device *device)
{
	const char *subsystem = strrchr(class->folder, '/');
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof path, "%s%s/%s/device%s", sysroot, class->folder, device->node, subsystem);
	folder = opendir(path);
	while (folder && device->n_others < DEVICE_NODES && (entry = readdir(folder)))
		if (*entry->d_name != '.' && strlen(entry->d_name) < DEVICE_TEXT && strcmp(entry->d_name, device->node))
			strcpy(device->other[device->n_others++], entry->d_name);
	if (folder)
		closedir(folder);
}

static void fill(const char *sysroot, const struct device_class *class, struct device *device, const char *node)
{
	char path[PATH_MAX], text[2048];

	*device = (struct device){ .node = "" };
	strcpy(device->node, node);
	snprintf(device->name, sizeof device->name, "%s %s", class->kind, node);
	snprintf(path, sizeof path, "%s/%s/device/uevent", class->folder, node);
	device_read(sysroot, path, text, sizeof text);
	find_value(text, "DRIVER", device->driver);
	find_value(text, "PCI_SLOT_NAME", device->pci);
	find_value(text, "PCI_ID", device->id);
	find_others(sysroot, class, device);
}

static int by_node(const void *left, const void *right)
{
	return strverscmp(((const struct device *)left)->node, ((const struct device *)right)->node);
}

int device_list(const char *sysroot, const struct device_class *class, struct device *devices, size_t *n)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *folder;

	*n = 0;
	if (snprintf(path, sizeof path, "%s%s", sysroot, class->folder) >= (int)sizeof path)
		return -ENAMETOOLONG;
	folder = opendir(path);
	if (!folder)
		return -errno;
	while (*n < DEVICE_MOST && (entry = readdir(folder))) {
		if (!is_device(entry->d_name, class->prefix))
			continue;
		fill(sysroot, class, &devices[*n], entry->d_name);
		*n += !is_left_out(devices[*n].driver);
	}
	closedir(folder);
	qsort(devices, *n, sizeof *devices, by_node);
	return 0;
}

void device_describe(const struct device *device, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s%s%s", *device->driver ? device->driver : "without a driver",
		 *device->id ? " " : "", device->id, *device->pci ? " at " : "", device->pci);
}

size_t device_of_node(const struct device *devices, size_t n, const char *node)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(devices[i].node, node))
			return i;
		for (size_t other = 0; other < devices[i].n_others; other++)
			if (!strcmp(devices[i].other[other], node))
				return i;
	}
	return n;
}

size_t device_of_pci(const struct device *devices, size_t n, const char *pci)
{
	for (size_t i = 0; i < n; i++)
		if (*pci && !strcmp(devices[i].pci, pci))
			return i;
	return n;
}
