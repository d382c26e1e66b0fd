// SPDX-License-Identifier: Apache-2.0
/* Finds the version of a library in its own bytes, its name, and the files around it. */
#include "model/ort/ort_version.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOKED_AT = 8 << 20, TEXT = 16384 };

/* "1.22.1" at text. */
static bool read_version(const char *text, char *version, size_t size)
{
	size_t len = strspn(text, "0123456789.");

	while (len && text[len - 1] == '.')
		len--;
	if (len < 3 || len >= size || !memchr(text, '.', len))
		return false;
	memcpy(version, text, len);
	version[len] = 0;
	return true;
}

/* The first bytes of a regular file, NUL-terminated; 0: none. Does not block on a pipe. */
static size_t read_start(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	ssize_t n = 0;

	*text = 0;
	if (fd < 0)
		return 0;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		n = pread(fd, text, size - 1, 0);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

/* The library's symbol versions end in its version: "VERS_1.22.1". They lie near the start of the file. */
static bool of_symbols(const char *path, char *version, size_t size)
{
	char *bytes = malloc(LOOKED_AT + 1), *at;
	size_t n = bytes ? read_start(path, bytes, LOOKED_AT + 1) : 0;
	bool is_there;

	at = n ? memmem(bytes, n, "VERS_1.", 7) : NULL;
	is_there = at && read_version(at + 5, version, size);
	free(bytes);
	return is_there;
}

/* libonnxruntime.so.1.22.1; "libonnxruntime.so.1" is the interface's number, not the version. */
static bool of_name(const char *path, char *version, size_t size)
{
	const char *at = strstr(strrchr(path, '/') ? strrchr(path, '/') : path, ".so.");

	return at && read_version(at + 4, version, size);
}

/* Cuts the last n parts off a path. */
static void cut(char *path, int n)
{
	while (n-- && strrchr(path, '/'))
		*strrchr(path, '/') = 0;
}

/* The text that follows key, at the start of a file. */
static bool of_text(const char *path, const char *key, char *version, size_t size)
{
	char text[TEXT], *at;

	if (!read_start(path, text, sizeof text))
		return false;
	at = strstr(text, key);
	if (!at)
		return false;
	at += strlen(key);
	return read_version(at + strspn(at, " \t:=\""), version, size);
}

void ort_version_noted(const char *site, const char *package, char *version, size_t size)
{
	char pattern[PATH_MAX + 64];
	glob_t folders;

	*version = 0;
	snprintf(pattern, sizeof pattern, "%s/%s-*.dist-info", site, package);
	if (glob(pattern, 0, NULL, &folders))
		return;
	read_version(strrchr(folders.gl_pathv[0], '/') + 1 + strcspn(strrchr(folders.gl_pathv[0], '/') + 1, "-") + 1,
		     version, size);
	globfree(&folders);
}

static bool noted(const char *site, const char *package, char *version, size_t size)
{
	ort_version_noted(site, package, version, size);
	return !strncmp(version, "1.", 2); /* plugins and others beside it start at 0 or 2 */
}

/* path: .../site-packages/onnxruntime/capi/X.so; "onnxruntime_gpu-1.22.0.dist-info" belongs to it as well. */
static bool of_python(const char *path, char *version, size_t size)
{
	char package[PATH_MAX], init[PATH_MAX + 16];

	snprintf(package, sizeof package, "%s", path);
	cut(package, 2);
	snprintf(init, sizeof init, "%s/__init__.py", package);
	if (of_text(init, "__version__ =", version, size))
		return true;
	cut(package, 1);
	return noted(package, "onnxruntime", version, size) || noted(package, "onnxruntime_*", version, size);
}

/* path: .../onnxruntime-node/bin/napi-v3/linux/x64/X.so */
static bool of_node(const char *path, char *version, size_t size)
{
	char package[PATH_MAX], json[PATH_MAX + 16];

	snprintf(package, sizeof package, "%s", path);
	cut(package, 5);
	snprintf(json, sizeof json, "%s/package.json", package);
	return of_text(json, "\"version\"", version, size);
}

void ort_version_find(const char *path, char *version, size_t size)
{
	bool is_module = strstr(path, "/onnxruntime_pybind11_state") != NULL;

	*version = 0;
	if (!is_module && (of_symbols(path, version, size) || of_name(path, version, size)))
		return;
	if (strstr(path, "/onnxruntime/capi/") && of_python(path, version, size))
		return;
	if (strstr(path, "/onnxruntime-node/bin/") && of_node(path, version, size))
		return;
	*version = 0;
}
