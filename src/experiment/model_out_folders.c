// SPDX-License-Identifier: Apache-2.0
/* Makes and removes folders. The runner writes the files, model_outputs.c compares them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temp_dir.h"
#include "experiment/model_in.h"

int model_out_folders_open(struct model_out_folders *folders, const struct model_opts *opts,
			   const struct model_ways *ways, struct err *err)
{
	*folders = (struct model_out_folders){ .ways = ways };
	if (opts->run.outputs) {
		snprintf(folders->path, sizeof folders->path, "%s", opts->run.outputs);
		folders->is_new = !mkdir(folders->path, 0777);
		if (folders->is_new || errno == EEXIST)
			return 0;
		*folders->path = 0;
		return err_set(err, errno, "cannot write outputs to %s: %s", opts->run.outputs, strerror(errno));
	}
	if (ways->n < 2)
		return 0;
	folders->is_temporary = true;
	return temp_dir_make(folders->path, sizeof folders->path, "outputs", err);
}

const char *model_out_folders_of(struct model_out_folders *folders, struct arena *arena, int way)
{
	const char *slug = folders->ways->way[way].slug;
	size_t size = strlen(folders->path) + strlen(slug) + 2;
	char *path = *folders->path ? arena_alloc(arena, size) : NULL;

	if (!path)
		return NULL;
	snprintf(path, size, "%s/%s", folders->path, slug);
	if (!mkdir(path, 0700))
		folders->is_way_new[way] = true;
	else if (errno != EEXIST)
		return NULL;
	return path;
}

void model_out_folders_close(struct model_out_folders *folders, bool (*has_failed)(const void *ctx, int way),
			     const void *ctx)
{
	char path[2 * PATH_MAX];

	if (!*folders->path)
		return;
	for (int i = 0; i < folders->ways->n; i++) {
		if (!folders->is_temporary && !(folders->is_way_new[i] && has_failed(ctx, i)))
			continue;
		snprintf(path, sizeof path, "%s/%s", folders->path, folders->ways->way[i].slug);
		temp_dir_remove(path);
	}
	if (folders->is_temporary || folders->is_new)
		rmdir(folders->path); /* only if nothing is in it */
}
