// SPDX-License-Identifier: Apache-2.0
/*
 * Python: site-packages/torch/lib/libtorch.so belongs to the site-packages/torch-2.11.0.dist-info whose name is that of
 * the folder, or whose top_level.txt has it, or which has its name at the end and installed its files
 * (https://packaging.python.org/en/latest/specifications/recording-installed-packages/). npm: the nearest package.json
 * above a library in node_modules. Else, and of libraries of others that a package of Python brings, "libx.so.1.2.3".
 */
#include "capture/proc/package_version.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text/json_read.h"

enum { MOST_TEXT = 64 << 10, NAME = 128, MOST_ENTRIES = 20000 };

static bool is_version(const char *text, size_t len)
{
	bool has_digit = false;

	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)text[i]) && !strchr(".+-_!~", text[i]))
			return false;
		has_digit |= isdigit((unsigned char)text[i]) != 0;
	}
	return has_digit && len < NAME;
}

static bool put(const char *text, size_t len, char *version, size_t size)
{
	if (!is_version(text, len) || len >= size)
		return false;
	memcpy(version, text, len);
	version[len] = 0;
	return true;
}

static size_t read_text(const char *folder, const char *name, const char *file, char *text, size_t size)
{
	char path[PATH_MAX];
	ssize_t got = -1;
	int fd = -1;

	if (snprintf(path, sizeof path, "%s/%s%s%s", folder, name, *name ? "/" : "", file) < (int)sizeof path)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0) {
		got = read(fd, text, size - 1);
		close(fd);
	}
	text[got > 0 ? got : 0] = 0;
	return got > 0 ? (size_t)got : 0;
}

/* Names of packages are alike whatever their case is, and with -, _ or . in them. */
static bool is_alike(const char *a, size_t len_a, const char *b, size_t len_b)
{
	if (len_a != len_b)
		return false;
	for (size_t i = 0; i < len_a; i++) {
		int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[i]);

		if ((strchr("-_.", x) ? '-' : x) != (strchr("-_.", y) ? '-' : y))
			return false;
	}
	return true;
}

/* Is there a line with this name? */
static bool has_line(const char *text, const char *name, size_t len)
{
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (is_alike(line, strcspn(line, "\r\n"), name, len))
			return true;
	return false;
}

/* Is there a file of the module's folder among those that it installed? */
static bool has_file(const char *record, const char *module, size_t len)
{
	for (const char *line = record; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (!strncmp(line, module, len) && line[len] == '/')
			return true;
	return false;
}

/* Whether a package of another name has the module: "apache_tvm" that of "tvm". */
static bool brings(const char *site, const char *package, const char *module, size_t len)
{
	static char text[MOST_TEXT];
	char within[NAME];

	if (read_text(site, package, "top_level.txt", text, sizeof text))
		return has_line(text, module, len);
	return len < sizeof within && snprintf(within, sizeof within, "_%.*s-", (int)len, module) > 0 &&
	       strstr(package, within) && read_text(site, package, "RECORD", text, sizeof text) &&
	       has_file(text, module, len);
}

static bool of_python(const char *site, const char *module, size_t len, char *version, size_t size)
{
	DIR *folder = opendir(site);
	struct dirent *entry;
	bool is_exact = false, is_found = false;

	for (int n = 0; folder && !is_exact && n < MOST_ENTRIES && (entry = readdir(folder)); n++) {
		const char *name = entry->d_name, *end = strstr(name, ".dist-info"), *dash;

		end = end ? end : strstr(name, ".egg-info");
		dash = end ? memchr(name, '-', (size_t)(end - name)) : NULL;
		if (!dash)
			continue;
		is_exact = is_alike(name, (size_t)(dash - name), module, len);
		if (!is_exact && (is_found || !brings(site, name, module, len)))
			continue;
		is_found = put(dash + 1, (size_t)(end - dash - 1), version, size);
	}
	if (folder)
		closedir(folder);
	return is_found;
}

/* path: with its root. The folder below site-packages is the module; "x.libs" has the libraries of x. */
static bool of_site(char *path, char *version, size_t size)
{
	static const char *const sites[] = { "/site-packages/", "/dist-packages/" };
	char *module = NULL;
	size_t len;

	for (int i = 0; i < 2; i++)
		for (char *at = strstr(path, sites[i]); at; at = strstr(at + 1, sites[i]))
			module = at + strlen(sites[i]);
	if (!module)
		return false;
	len = strcspn(module, "/.");
	module[-1] = 0;
	return len && of_python(path, module, len, version, size);
}

static bool of_json(const char *text, size_t len, char *version, size_t size)
{
	struct json_reader reader;
	enum json_token token;

	json_read_init(&reader, text, len);
	if (json_read_next(&reader) != JSON_OBJECT)
		return false;
	while ((token = json_read_next(&reader)) > JSON_BROKEN && token != JSON_CLOSE) {
		if (token == JSON_TEXT && json_span_is(reader.key, "version"))
			return put(reader.value.start, reader.value.len, version, size);
		if ((token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(&reader))
			return false;
	}
	return false;
}

static bool of_npm(char *path, char *version, size_t size)
{
	static char text[MOST_TEXT];
	char *least = strstr(path, "/node_modules/"), *slash;
	size_t len;

	if (!least)
		return false;
	while ((slash = strrchr(path, '/')) && slash > least + strlen("/node_modules")) {
		*slash = 0;
		len = read_text(path, "", "package.json", text, sizeof text);
		if (len && of_json(text, len, version, size))
			return true;
	}
	return false;
}

static bool of_name(const char *path, char *version, size_t size)
{
	const char *slash = strrchr(path, '/'), *so = strstr(slash ? slash : path, ".so.");

	return so && put(so + 4, strlen(so + 4), version, size);
}

/* "x.libs/liby-1a2b3c4d.so.1.8.5": a library of others that a package of Python brings has a version of its own. */
static bool of_brought(const char *path, char *version, size_t size)
{
	const char *folder = strstr(path, ".libs/");
	unsigned n_dots = 0;

	if (!folder || strchr(folder + strlen(".libs/"), '/') || !of_name(path, version, size))
		return false;
	for (const char *at = version; *at; at++)
		n_dots += *at == '.';
	return n_dots >= 2;
}

bool package_version(const char *root, const char *path, char *version, size_t size)
{
	char full[PATH_MAX];

	if (of_brought(path, version, size))
		return true;
	for (int way = 0; way < 2; way++) {
		if (snprintf(full, sizeof full, "%s%s", root, path) >= (int)sizeof full)
			return false;
		if (way ? of_npm(full, version, size) : of_site(full, version, size))
			return true;
	}
	return of_name(path, version, size);
}
