// SPDX-License-Identifier: Apache-2.0
/* Any file as a module of a process: results are code, or lie behind a segment and inside its last page. */
#include <stdlib.h>
#include <string.h>

#include "capture/inject/inject_in.h"
#include "fuzz.h"

enum { PAGE = 4096 };

static void check(const struct inject_file *found, const struct image_file *file)
{
	const struct image *image = image_file_image(file);
	uint64_t bias;

	if (!image_file_bias(file, found->map_start, found->map_offset, &bias))
		abort();
	for (int i = 0; i < N_INJECT_SYMBOLS; i++)
		if (found->symbol[i] && !image_has(image, found->symbol[i] - bias, IMAGE_X))
			abort();
	if (found->slot &&
	    (!image_has(image, found->original - bias, IMAGE_X) || !image_at(image, found->slot - bias, 8, 0)))
		abort();
	if (found->n_gaps > INJECT_GAPS)
		abort();
	for (uint32_t i = 0; i < found->n_gaps; i++)
		if (!found->gap[i].size || found->gap[i].size >= PAGE ||
		    ((found->gap[i].address + found->gap[i].size - bias) & (PAGE - 1)))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct inject_file found = { .map_start = 0x7f0000000000, .map_offset = 0 };
	struct image_file file;
	struct err err;
	void *copy;

	if (posix_memalign(&copy, PAGE, size ? size : 1))
		abort();
	memcpy(copy, data, size);
	if (!image_file_parse(&file, copy, size, "it", &err) && !inject_file_look(&file, &found, &err))
		check(&found, &file);
	image_file_close(&file);
	free(copy);
	return 0;
}
