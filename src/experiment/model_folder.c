// SPDX-License-Identifier: Apache-2.0
/* Names, makes and removes the folder. What is in the files is not decided here. */
#include "experiment/model_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/temp_dir.h"

enum { MOST_TRIES = 10000, LABEL = 64 };

static const char suffix[] = ".pftrace";

static bool is_template(const char *out)
{
	size_t len = strlen(out);

	return len >= sizeof suffix - 1 && !strcmp(out + len - (sizeof suffix - 1), suffix);
}

/* "squeezenet" of "models/squeezenet.onnx" */
static int stem_of(const char *model, const char **stem)
{
	const char *slash = strrchr(model, '/'), *dot;

	*stem = slash ? slash + 1 : model;
	dot = strrchr(*stem, '.');
	return (int)(dot && dot != *stem ? dot - *stem : (long)strlen(*stem));
}

static int make_dated(struct model_folder *folder, const char *model, struct err *err)
{
	time_t now = time(NULL);
	struct tm local;
	char date[32];
	const char *stem;
	int len = stem_of(model, &stem), code = EEXIST;

	if (!localtime_r(&now, &local) || !strftime(date, sizeof date, "%Y-%m-%d", &local))
		strcpy(date, "run");
	for (int i = 1; i < MOST_TRIES && code == EEXIST; i++) {
		char number[16] = "";

		if (i > 1)
			snprintf(number, sizeof number, "-%d", i);
		snprintf(folder->path, sizeof folder->path, "%.*s-%s%s", len, stem, date, number);
		code = mkdir(folder->path, 0777) ? errno : 0;
	}
	folder->is_new = !code;
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
		return 0;
	}
	if (errno == EEXIST && !folder->forces && !is_empty(path))
		return err_set(err, EEXIST,
			       "cannot write to %s: it exists and is not an empty folder (--force uses it)", path);
	return errno == EEXIST ? 0 : err_set(err, errno, "cannot make the folder %s: %s", path, strerror(errno));
}

int model_folder_open(struct model_folder *folder, const struct model_opts *opts, const char *model, struct err *err)
{
	*folder = (struct model_folder){ .forces = opts->force };
	if (opts->out && is_template(opts->out)) {
		folder->template = opts->out;
		return 0;
	}
	if (opts->out)
		return make_named(folder, opts->out, err);
	if (opts->save)
		return make_dated(folder, model, err);
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

int model_folder_recording(const struct model_folder *folder, const char *label, const char *pass, char *path,
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
	return fd < 0 ? err_set(err, errno, "cannot write %s: %s", path, strerror(errno)) : fd;
}

void model_folder_close(struct model_folder *folder, bool is_failed)
{
	if (*folder->path && (folder->is_temporary || (is_failed && folder->is_new)))
		temp_dir_remove(folder->path);
	*folder = (struct model_folder){ .path = "" };
}
