// SPDX-License-Identifier: Apache-2.0
/* Names, makes and removes the folder. What is in the files is not decided here. */
#include "experiment/model_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/invoker.h"
#include "base/temp_dir.h"

enum { MOST_TRIES = 10000, LABEL = 160 };

struct model_folder_file {
	struct model_folder_file *next;
	char label[LABEL], path[];
};

static const char suffix[] = ".pftrace";

static bool is_template(const char *out)
{
	size_t len = strlen(out);

	return len >= sizeof suffix - 1 && !strcmp(out + len - (sizeof suffix - 1), suffix);
}

/* The name of a report rather than of a folder: a slip that would make a folder of that name. */
static bool is_page(const char *out)
{
	const char *slash = strrchr(out, '/'), *dot = strrchr(slash ? slash : out, '.');

	return dot && (!strcmp(dot, ".html") || !strcmp(dot, ".json") || !strcmp(dot, ".md") || !strcmp(dot, ".csv"));
}

/* "squeezenet" of "models/squeezenet.onnx" */
static int stem_of(const char *model, const char **stem)
{
	const char *slash = strrchr(model, '/'), *dot;

	*stem = slash ? slash + 1 : model;
	dot = strrchr(*stem, '.');
	return (int)(dot && dot != *stem ? dot - *stem : (long)strlen(*stem));
}

/* "squeezenet", "3-models" */
static void name_models(const struct model_ways *ways, char *name, size_t size)
{
	const char *stem;
	int len = stem_of(ways->way[0].model, &stem), n = 1;

	for (int i = 1; i < ways->n; i++)
		n += strcmp(ways->way[i].model, ways->way[i - 1].model) != 0;
	if (n > 1)
		snprintf(name, size, "%d-models", n);
	else
		snprintf(name, size, "%.*s", len, stem);
}

static int make_dated(struct model_folder *folder, const struct model_ways *ways, struct err *err)
{
	time_t now = time(NULL);
	struct tm local;
	char date[32], name[PATH_MAX - 64];
	int code = EEXIST;

	if (!localtime_r(&now, &local) || !strftime(date, sizeof date, "%Y-%m-%d", &local))
		strcpy(date, "run");
	name_models(ways, name, sizeof name);
	for (int i = 1; i < MOST_TRIES && code == EEXIST; i++) {
		char number[16] = "";

		if (i > 1)
			snprintf(number, sizeof number, "-%d", i);
		snprintf(folder->path, sizeof folder->path, "%s-%s%s", name, date, number);
		code = mkdir(folder->path, 0777) ? errno : 0;
	}
	folder->is_new = !code;
	if (!code)
		invoker_give_folder(folder->path);
	return code ? err_set(err, code, "cannot make the folder %s: %s", folder->path, strerror(code)) : 0;
}

static bool is_empty(const char *path)
{
	DIR *folder = opendir(path);
	int n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n == 2; /* "." and ".." */
}

static int make_named(struct model_folder *folder, const char *path, struct err *err)
{
	if (snprintf(folder->path, sizeof folder->path, "%s", path) >= (int)sizeof folder->path)
		return err_set(err, ENAMETOOLONG, "cannot make the folder for the report: its name is too long");
	if (!mkdir(path, 0777)) {
		folder->is_new = true;
		invoker_give_folder(path);
		return 0;
	}
	if (errno == EEXIST && !folder->forces && !is_empty(path))
		return err_set(err, EEXIST,
			       "cannot write to %s: it exists and is not an empty folder (--force uses it)", path);
	return errno == EEXIST ? 0 : err_set(err, errno, "cannot make the folder %s: %s", path, strerror(errno));
}

int model_folder_open(struct model_folder *folder, const struct model_opts *opts, const struct model_ways *ways,
		      struct err *err)
{
	*folder = (struct model_folder){ .forces = opts->force };
	if (opts->out && is_template(opts->out)) {
		folder->template = opts->out;
		return 0;
	}
	if (opts->out && is_page(opts->out))
		return err_set(err, EINVAL,
			       "cannot keep everything in %s: -o takes a folder; --report %s writes this page alone",
			       opts->out, opts->out);
	if (opts->out)
		return make_named(folder, opts->out, err);
	if (opts->save)
		return make_dated(folder, ways, err);
	folder->is_temporary = true;
	return temp_dir_make(folder->path, sizeof folder->path, "model", err);
}

/* "FOLDER/cpu-round2", or "NAME-cpu-round2" */
static int name_of(const struct model_folder *folder, const char *label, const char *pass, char *path)
{
	char clean[LABEL];

	snprintf(clean, sizeof clean, "%s", label);
	for (char *at = clean; *at; at++)
		if (*at == '/')
			*at = '_';
	if (folder->template)
		return snprintf(path, PATH_MAX, "%.*s-%s%s", (int)(strlen(folder->template) - (sizeof suffix - 1)),
				folder->template, clean, pass);
	return snprintf(path, PATH_MAX, "%s/%s%s", folder->path, clean, pass);
}

static int add_file(struct model_folder *folder, const char *label, const char *path)
{
	struct model_folder_file *file = malloc(sizeof *file + strlen(path) + 1);

	if (!file)
		return -ENOMEM;
	snprintf(file->label, sizeof file->label, "%s", label);
	strcpy(file->path, path);
	file->next = folder->files;
	folder->files = file;
	return 0;
}

void model_folder_forget(struct model_folder *folder, const char *label)
{
	for (const struct model_folder_file *file = folder->files; file; file = file->next)
		if (!label || !strcmp(file->label, label))
			unlink(file->path);
}

int model_folder_recording(struct model_folder *folder, const char *label, const char *pass, char *path,
			   struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (folder->forces ? O_TRUNC : O_EXCL), fd = -1;
	int len = name_of(folder, label, pass, path);

	if (len < 0 || len > PATH_MAX - 32)
		return err_set(err, ENAMETOOLONG, "cannot write a recording for %s: its name is too long", label);
	for (int i = 1; i < MOST_TRIES && fd < 0; i++) {
		if (i > 1)
			snprintf(path + len, 32, "-%d%s", i, suffix);
		else
			strcpy(path + len, suffix);
		fd = open(path, flags, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		return err_set(err, errno, "cannot write %s: %s", path, strerror(errno));
	invoker_give(fd);
	if (!add_file(folder, label, path))
		return fd;
	close(fd);
	unlink(path);
	return err_set(err, ENOMEM, "cannot write %s: out of memory", path);
}

void model_folder_close(struct model_folder *folder, bool is_failed)
{
	if (*folder->path && (folder->is_temporary || (is_failed && folder->is_new)))
		temp_dir_remove(folder->path);
	while (folder->files) {
		struct model_folder_file *next = folder->files->next;

		free(folder->files);
		folder->files = next;
	}
	*folder = (struct model_folder){ .path = "" };
}
