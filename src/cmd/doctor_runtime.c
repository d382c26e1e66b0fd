// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the copies of ONNX Runtime that programs started from here would load: packages of Python and Node.js,
 * and libraries where the loader looks. Reads folder and file names only; starts no Python and loads no library.
 */
#include "cmd/doctor.h"

#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
	struct doctor_runtimes *found;
	const char *sysroot;
	size_t capacity;
};

static void add(struct search *search, const char *path, const char *version, const char *way)
{
	struct doctor_runtimes *found = search->found;
	char *real = realpath(path, NULL);

	for (size_t i = 0; real && i < found->n; i++) {
		if (!strcmp(found->runtime[i].path, real)) {
			free(real);
			return;
		}
	}
	if (real && found->n == search->capacity) {
		size_t capacity = search->capacity ? 2 * search->capacity : 8;
		struct doctor_runtime *grown = realloc(found->runtime, capacity * sizeof *grown);

		if (!grown) {
			free(real);
			return;
		}
		found->runtime = grown;
		search->capacity = capacity;
	}
	if (real)
		found->runtime[found->n++] = (struct doctor_runtime){ real, version && *version ? strdup(version) : NULL, way };
}

typedef void (*visit_fn)(struct search *search, const char *path);

/* Calls visit for each path that matches the pattern, which is made as by printf and lies below the sysroot. */
__attribute__((format(printf, 3, 4))) static void visit_matches(struct search *search, visit_fn visit, const char *fmt, ...)
{
	char pattern[PATH_MAX];
	size_t len = (size_t)snprintf(pattern, sizeof pattern, "%s", search->sysroot);
	va_list args;
	glob_t matches;

	va_start(args, fmt);
	if (len < sizeof pattern)
		len += (size_t)vsnprintf(pattern + len, sizeof pattern - len, fmt, args);
	va_end(args);
	if (len >= sizeof pattern)
		return;
	if (!glob(pattern, 0, NULL, &matches))
		for (size_t i = 0; i < matches.gl_pathc; i++)
			visit(search, matches.gl_pathv[i]);
	globfree(&matches);
}

/* "onnxruntime_gpu-1.22.0.dist-info" beside the package says the version. */
static void find_package_version(const char *packages, char *version, size_t size)
{
	char pattern[PATH_MAX + 32];
	glob_t matches;

	*version = 0;
	snprintf(pattern, sizeof pattern, "%s/onnxruntime*.dist-info", packages);
	if (!glob(pattern, 0, NULL, &matches)) {
		const char *dash = strchr(strrchr(matches.gl_pathv[0], '/'), '-');

		if (dash)
			snprintf(version, size, "%.*s", (int)(strstr(dash, ".dist-info") - dash - 1), dash + 1);
	}
	globfree(&matches);
}

/* path: .../site-packages/onnxruntime/capi/onnxruntime_pybind11_state<suffix>.so */
static void visit_python(struct search *search, const char *path)
{
	char packages[PATH_MAX], version[64];

	snprintf(packages, sizeof packages, "%.*s", (int)(strstr(path, "/onnxruntime/capi/") - path), path);
	find_package_version(packages, version, sizeof version);
	add(search, path, version, "Python");
}

static void search_python(struct search *search, const char *folder)
{
	visit_matches(search, visit_python, "%s/onnxruntime/capi/onnxruntime_pybind11_state*.so", folder);
}

/* prefix: of an installation of Python, or a virtual environment. */
static void search_python_prefix(struct search *search, const char *prefix)
{
	static const char *const folders[] = { "lib/python3*/site-packages", "lib64/python3*/site-packages", "lib/python3*/dist-packages" };

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		visit_matches(search, visit_python, "%s/%s/onnxruntime/capi/onnxruntime_pybind11_state*.so", prefix, folders[i]);
}

/* The number behind `"version":` in package.json. */
static void find_node_version(const char *package, char *version, size_t size)
{
	char text[8192];
	const char *at;

	*version = 0;
	doctor_read(package, "/package.json", text, sizeof text);
	at = strstr(text, "\"version\"");
	at = at ? strchr(at + strlen("\"version\""), '"') : NULL;
	if (at)
		snprintf(version, size, "%.*s", (int)strcspn(at + 1, "\"\n"), at + 1);
}

/* path: .../onnxruntime-node/bin/napi-v3/linux/x64/libonnxruntime.so.1 */
static void visit_node(struct search *search, const char *path)
{
	char package[PATH_MAX], version[64];

	snprintf(package, sizeof package, "%.*s", (int)(strstr(path, "/bin/napi-") - path), path);
	find_node_version(package, version, sizeof version);
	add(search, path, version, "Node.js");
}

static void search_node(struct search *search, const char *folder)
{
	visit_matches(search, visit_node, "%s/node_modules/onnxruntime-node/bin/napi-v*/linux/x64/libonnxruntime.so*", folder);
}

static void visit_library(struct search *search, const char *path)
{
	static const char name[] = "libonnxruntime.so.";
	char *real = realpath(path, NULL);
	const char *base = real ? strrchr(real, '/') + 1 : "", *version = "";

	/* "libonnxruntime.so.1" names the interface, not the version. */
	if (!strncmp(base, name, strlen(name)) && strchr(base + strlen(name), '.'))
		version = base + strlen(name);
	add(search, path, version, "library");
	free(real);
}

static void search_libraries(struct search *search, const char *folder)
{
	visit_matches(search, visit_library, "%s/libonnxruntime.so*", folder);
}

/* Calls look for every non-empty folder of a list such as PATH. */
static void for_each_of_list(struct search *search, const char *list, visit_fn look)
{
	char folder[PATH_MAX];

	for (; list && *list; list += *list == ':') {
		size_t len = strcspn(list, ":");

		if (len && len < sizeof folder) {
			snprintf(folder, sizeof folder, "%.*s", (int)len, list);
			look(search, folder);
		}
		list += len;
	}
}

/* A folder of PATH: the bin of a prefix that may hold a Python. */
static void search_beside_bin(struct search *search, const char *bin)
{
	size_t len = strlen(bin);
	char prefix[PATH_MAX];

	if (len > 4 && !strcmp(bin + len - 4, "/bin")) {
		snprintf(prefix, sizeof prefix, "%.*s", (int)len - 4, bin);
		search_python_prefix(search, prefix);
	}
}

/* A file of /etc/ld.so.conf.d: lines that begin with / are folders. */
static void visit_loader_config(struct search *search, const char *path)
{
	char text[4096];

	doctor_read("", path, text, sizeof text);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (*line == '/')
			search_libraries(search, line);
}

static void search_home(struct search *search, const char *home)
{
	char folder[PATH_MAX + 32];

	snprintf(folder, sizeof folder, "%s/.local", home);
	search_python_prefix(search, folder);
	snprintf(folder, sizeof folder, "%s/.pyenv/versions/*", home);
	search_python_prefix(search, folder);
}

/* node looks in the current folder and in all above. */
static void search_node_upwards(struct search *search)
{
	char folder[PATH_MAX];

	if (!getcwd(folder, sizeof folder))
		return;
	search_node(search, folder);
	while (*folder) {
		*strrchr(folder, '/') = 0;
		search_node(search, folder);
	}
}

void doctor_runtimes_find(struct doctor_runtimes *found, const char *sysroot)
{
	static const char *const prefixes[] = { "/usr", "/usr/local", "/opt/*" };
	static const char *const library_folders[] = { "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib",
						       "/usr/lib", "/usr/local/lib" };
	struct search search = { found, sysroot, 0 };

	*found = (struct doctor_runtimes){ 0 };
	if (!*sysroot) { /* what the caller's environment adds */
		for_each_of_list(&search, getenv("VIRTUAL_ENV"), search_python_prefix);
		for_each_of_list(&search, getenv("CONDA_PREFIX"), search_python_prefix);
		for_each_of_list(&search, getenv("PYTHONPATH"), search_python);
		for_each_of_list(&search, getenv("PATH"), search_beside_bin);
		for_each_of_list(&search, getenv("LD_LIBRARY_PATH"), search_libraries);
		for_each_of_list(&search, getenv("HOME"), search_home);
		search_python_prefix(&search, ".venv");
		search_python_prefix(&search, "venv");
		search_node_upwards(&search);
	}
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		search_python_prefix(&search, prefixes[i]);
	search_python(&search, "/usr/lib/python3/dist-packages");
	search_node(&search, "/usr/lib");
	search_node(&search, "/usr/local/lib");
	for (size_t i = 0; i < sizeof library_folders / sizeof *library_folders; i++)
		search_libraries(&search, library_folders[i]);
	visit_matches(&search, visit_loader_config, "/etc/ld.so.conf.d/*.conf");
}

void doctor_runtimes_done(struct doctor_runtimes *found)
{
	for (size_t i = 0; i < found->n; i++) {
		free(found->runtime[i].path);
		free(found->runtime[i].version);
	}
	free(found->runtime);
	*found = (struct doctor_runtimes){ 0 };
}
