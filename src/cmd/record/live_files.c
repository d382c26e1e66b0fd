// SPDX-License-Identifier: Apache-2.0
/*
 * Completes the path of a model file or a runtime for the live page: the folders and the fitting files of one folder.
 * It reads names alone, and not many, because it runs on the recorder's thread.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/record/record_in.h"

enum { MOST_SEEN = 4096, MOST_SHOWN = 60, PATH = 1024 };

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && !strcasecmp(name + len - end_len, end);
}

static bool fits(const char *name, bool is_runtime)
{
	if (is_runtime)
		return !strncmp(name, "libonnxruntime", 14) && strstr(name, ".so");
	return ends_with(name, ".onnx") || ends_with(name, ".ort") || ends_with(name, ".gguf");
}

static bool is_folder(DIR *folder, const struct dirent *entry)
{
	struct stat file;

	if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK)
		return entry->d_type == DT_DIR;
	return !fstatat(dirfd(folder), entry->d_name, &file, 0) && S_ISDIR(file.st_mode);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void live_files_put(struct json *json, const char *begun, bool is_runtime)
{
	const char *slash = strrchr(begun, '/'), *last = slash ? slash + 1 : begun;
	size_t len = (size_t)(last - begun), n = 0;
	char folder[PATH] = ".", *shown[MOST_SHOWN];
	struct dirent *entry;
	DIR *dir;

	if (len >= sizeof folder)
		return;
	if (len)
		snprintf(folder, sizeof folder, "%.*s", (int)len, begun);
	dir = opendir(folder);
	for (int i = 0; dir && i < MOST_SEEN && n < MOST_SHOWN && (entry = readdir(dir)); i++) {
		bool is_in = !strncmp(entry->d_name, last, strlen(last)) && (*entry->d_name != '.' || *last == '.');
		const char *end = is_in && is_folder(dir, entry) ? "/" : "";

		if (!is_in || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    (!*end && !fits(entry->d_name, is_runtime)))
			continue;
		n += asprintf(&shown[n], "%.*s%s%s", (int)len, begun, entry->d_name, end) > 0;
	}
	if (dir)
		closedir(dir);
	qsort(shown, n, sizeof *shown, compare);
	for (size_t i = 0; i < n; i++) {
		json_text(json, NULL, shown[i]);
		free(shown[i]);
	}
}
