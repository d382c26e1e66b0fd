// SPDX-License-Identifier: Apache-2.0
/*
 * Lists the places where packages are installed: by environment variables, by the python3 and node on the PATH, and by
 * convention. Runs neither.
 */
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/processor.h"
#include "model/ort/ort_wheel.h"

enum { MAX_FOLDERS = 400, MAX_CONF_LINES = 200, MAX_PARENTS = 16 };

struct walk {
	const char *sysroot;
	ort_place look;
	void *ctx;
	const char *kind;  /* "Python in" */
	const char *below; /* subfolder to search in each folder of Python packages: "/onnxruntime/capi" */
	int n;		   /* folders so far */
};

static void walk_folder(struct walk *walk, const char *folder)
{
	char how[PATH_MAX + 64];

	if (walk->n++ >= MAX_FOLDERS)
		return;
	snprintf(how, sizeof how, "%s %s", walk->kind, folder);
	walk->look(walk->ctx, folder, how);
}

/* A folder in a fixed place, below the sysroot. */
static void walk_below(struct walk *walk, const char *folder)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s%s", walk->sysroot, folder) < (int)sizeof path)
		walk_folder(walk, path);
}

/* The folders that match a pattern; none when a part of it is empty (an unset variable). */
static void walk_pattern(struct walk *walk, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void walk_pattern(struct walk *walk, const char *format, ...)
{
	char pattern[2 * PATH_MAX];
	va_list args;
	glob_t found;

	va_start(args, format);
	vsnprintf(pattern, sizeof pattern, format, args);
	va_end(args);
	if (glob(pattern, GLOB_ONLYDIR, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		walk_folder(walk, found.gl_pathv[i]);
	globfree(&found);
}

/* Each folder of "a:b:c". */
static void each_of_path(const char *list, void (*each)(struct walk *, const char *), struct walk *walk)
{
	char *copy = list ? strdup(list) : NULL, *rest = NULL;

	for (char *folder = copy ? strtok_r(copy, ":", &rest) : NULL; folder; folder = strtok_r(NULL, ":", &rest))
		each(walk, folder);
	free(copy);
}

static void walk_loader_conf(struct walk *walk)
{
	char pattern[PATH_MAX], line[PATH_MAX];
	glob_t files;
	int n = 0;

	snprintf(pattern, sizeof pattern, "%s/etc/ld.so.conf.d/*.conf", walk->sysroot);
	if (glob(pattern, 0, NULL, &files))
		return;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		FILE *in = fopen(files.gl_pathv[i], "re");

		while (in && n++ < MAX_CONF_LINES && fgets(line, sizeof line, in)) {
			line[strcspn(line, " \t\r\n#")] = 0;
			if (line[0] == '/')
				walk_below(walk, line);
		}
		if (in)
			fclose(in);
	}
	globfree(&files);
}

static void walk_loader(struct walk *walk)
{
	static const char *const standard[] = {
		"/lib/" PROCESSOR_MULTIARCH,
		"/usr/lib/" PROCESSOR_MULTIARCH,
		"/usr/local/lib",
		"/lib64",
		"/usr/lib64",
		"/lib",
		"/usr/lib",
	};

	walk->kind = "the loader's path:";
	if (!*walk->sysroot)
		each_of_path(getenv("LD_LIBRARY_PATH"), walk_folder, walk);
	walk_loader_conf(walk);
	for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
		walk_below(walk, standard[i]);
}

/* The prefix of a Python installation or environment. */
static void walk_prefix(struct walk *walk, const char *prefix)
{
	walk_pattern(walk, "%s/lib/python3*/site-packages%s", prefix, walk->below);
	walk_pattern(walk, "%s/lib64/python3*/site-packages%s", prefix, walk->below);
	walk_pattern(walk, "%s/lib/python3*/dist-packages%s", prefix, walk->below);
}

static void walk_python_path(struct walk *walk, const char *folder)
{
	walk_pattern(walk, "%s%s", folder, walk->below);
}

/* folder/name without its last two parts: /usr for /usr/bin/python3. */
static bool prefix_of(const char *folder, const char *name, bool is_resolved, char *prefix, size_t size)
{
	char program[PATH_MAX], real[PATH_MAX];

	snprintf(program, sizeof program, "%s/%s", folder, name);
	if (access(program, X_OK))
		return false;
	if (!realpath(is_resolved ? program : folder, real))
		return false;
	for (int i = 0; i < (is_resolved ? 2 : 1); i++)
		if (strrchr(real, '/'))
			*strrchr(real, '/') = 0;
	snprintf(prefix, size, "%s", real);
	return *prefix != 0;
}

static void walk_python_program(struct walk *walk, const char *folder)
{
	char prefix[PATH_MAX];

	if (prefix_of(folder, "python3", false, prefix, sizeof prefix))
		walk_prefix(walk, prefix);
	if (prefix_of(folder, "python3", true, prefix, sizeof prefix))
		walk_prefix(walk, prefix);
}

static void walk_variable(struct walk *walk, const char *name, const char *behind)
{
	char prefix[PATH_MAX];
	const char *value = getenv(name);

	if (!value || !*value)
		return;
	snprintf(prefix, sizeof prefix, "%s%s", value, behind);
	walk_prefix(walk, prefix);
}

static void walk_prefix_below(struct walk *walk, const char *prefix)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s%s", walk->sysroot, prefix) < (int)sizeof path)
		walk_prefix(walk, path);
}

/* The Python that the caller's environment points to. */
static void walk_own_python(struct walk *walk)
{
	walk_variable(walk, "VIRTUAL_ENV", "");
	walk_variable(walk, "CONDA_PREFIX", "");
	each_of_path(getenv("PYTHONPATH"), walk_python_path, walk);
	walk_prefix(walk, "./.venv");
	walk_prefix(walk, "./venv");
	each_of_path(getenv("PATH"), walk_python_program, walk);
	walk_variable(walk, "PYTHONUSERBASE", "");
	walk_variable(walk, "HOME", "/.local");
}

static void walk_python(struct walk *walk)
{
	walk->kind = "Python in";
	if (!*walk->sysroot)
		walk_own_python(walk);
	walk_prefix_below(walk, "/usr/local");
	walk_prefix_below(walk, "/usr");
	walk_prefix_below(walk, "/opt/*");
	if (*walk->sysroot)
		return;
	walk_variable(walk, "PYENV_ROOT", "/versions/*");
	walk_variable(walk, "HOME", "/.pyenv/versions/*");
}

#define NODE_LIBRARY "onnxruntime-node/bin/napi-v*/linux/" PROCESSOR_NODE

static void walk_modules(struct walk *walk, const char *modules)
{
	walk_pattern(walk, "%s/" NODE_LIBRARY, modules);
}

static void walk_node_program(struct walk *walk, const char *folder)
{
	char prefix[PATH_MAX];

	if (prefix_of(folder, "node", true, prefix, sizeof prefix))
		walk_pattern(walk, "%s/lib/node_modules/" NODE_LIBRARY, prefix);
}

/* The current Node project: node_modules here and in every parent folder. */
static void walk_node_project(struct walk *walk)
{
	char folder[PATH_MAX];

	if (!getcwd(folder, sizeof folder))
		return;
	for (int i = 0; i < MAX_PARENTS; i++) {
		walk_pattern(walk, "%s/node_modules/" NODE_LIBRARY, folder);
		if (!strrchr(folder, '/') || !folder[1])
			return;
		*strrchr(folder, '/') = 0;
	}
}

static void walk_node(struct walk *walk)
{
	const char *home = getenv("HOME");

	walk->kind = "Node in";
	if (!*walk->sysroot) {
		walk_node_project(walk);
		each_of_path(getenv("NODE_PATH"), walk_modules, walk);
		each_of_path(getenv("PATH"), walk_node_program, walk);
	}
	walk_pattern(walk, "%s/usr/local/lib/node_modules/" NODE_LIBRARY, walk->sysroot);
	walk_pattern(walk, "%s/usr/lib/node_modules/" NODE_LIBRARY, walk->sysroot);
	if (*walk->sysroot || !home || !*home)
		return;
	walk_pattern(walk, "%s/.npm-global/lib/node_modules/" NODE_LIBRARY, home);
	walk_pattern(walk, "%s/.nvm/versions/node/*/lib/node_modules/" NODE_LIBRARY, home);
}

static void walk_common(struct walk *walk)
{
	const char *home = getenv("HOME");

	walk->kind = "the folder";
	walk_pattern(walk, "%s/opt/onnxruntime*/lib", walk->sysroot);
	walk_pattern(walk, "%s/opt/onnxruntime*/lib64", walk->sysroot);
	walk_pattern(walk, "%s/usr/local/onnxruntime*/lib", walk->sysroot);
	if (*walk->sysroot)
		return;
	walk_pattern(walk, "./onnxruntime-linux-*/lib");
	if (home && *home)
		walk_pattern(walk, "%s/onnxruntime-linux-*/lib", home);
}

void ort_places_each(const char *sysroot, ort_place look, void *ctx)
{
	struct walk walk = { .sysroot = sysroot, .look = look, .ctx = ctx, .below = "/onnxruntime/capi" };

	walk_loader(&walk);
	walk_python(&walk);
	walk_node(&walk);
	walk_common(&walk);
}

void ort_places_each_site(const char *sysroot, ort_place look, void *ctx)
{
	struct walk walk = { .sysroot = sysroot, .look = look, .ctx = ctx, .below = "" };

	walk_python(&walk);
}
