// SPDX-License-Identifier: Apache-2.0
/* Scans a file for classes and compares them with the rows of runtimes[]. Does not open the file. */
#include "runtime/file_runtime.h"

#include <errno.h>

int file_runtime_find(struct file_runtime *in, const struct image_file *file, struct err *err)
{
	const struct image *image = image_file_image(file);

	*in = (struct file_runtime){ 0 };
	if (rtti_scan(&in->rtti, image, &file->set, &in->arena))
		return err_set(err, ENOMEM, "cannot read %s: out of memory", image->path);
	in->runtime = runtimes_in(&in->rtti);
	if (in->runtime)
		runtimes_find(&in->found, in->runtime, &in->rtti, NULL);
	return 0;
}

void file_runtime_done(struct file_runtime *in)
{
	arena_done(&in->arena);
}
