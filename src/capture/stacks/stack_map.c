// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "capture/stacks/stack_image.h"
#include "capture/stacks/stack_language.h"

#define AGAIN_NS UINT64_C(200000000)
enum { MOST_MAPS = 1 << 15 };

static void add(struct stack_maps *maps, char *line, struct stack_images *images, struct names *names, pid_t pid)
{
	struct stack_map is = { 0 }, *to;
	struct module module;
	char rights[5];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64, &is.start, &is.end, rights, &is.offset) != 4 ||
	    rights[2] != 'x' || maps->map.n >= MOST_MAPS)
		return;
	if (strstr(line, "[vdso]"))
		module = (struct module){ .path = (char *)"[vdso]", .start = is.start, .end = is.end };
	else if (!modules_parse(line, &module))
		module.path = NULL;
	maps->n_interpreters += module.path && stack_language_is_read(module.path);
	if (module.path)
		is.image = stack_image_of(images, names, pid, &module);
	else if ((is.image = stack_image_made(images, names, pid)))
		is.offset = is.start;
	to = array_add(&maps->map, sizeof *to);
	if (to)
		*to = is;
}

static void read_maps(struct stack_maps *maps, struct stack_images *images, struct names *names, pid_t pid)
{
	char path[32], *line = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	maps->map.n = maps->n_interpreters = 0;
	file = fopen(path, "re");
	while (file && getline(&line, &size, file) > 0)
		add(maps, line, images, names, pid);
	if (file)
		fclose(file);
	free(line);
	maps->read_ns = clock_ns();
}

static const struct stack_map *find(const struct stack_maps *maps, uint64_t address)
{
	const struct stack_map *map = maps->map.data;
	size_t low = 0, high = maps->map.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (map[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < maps->map.n && map[low].start <= address ? &map[low] : NULL;
}

const struct stack_map *stack_maps_find(struct stack_maps *maps, uint64_t address, struct stack_images *images,
					struct names *names, pid_t pid)
{
	const struct stack_map *found = find(maps, address);

	if (found || clock_ns() - maps->read_ns < AGAIN_NS)
		return found;
	read_maps(maps, images, names, pid);
	return find(maps, address);
}

void stack_maps_done(struct stack_maps *maps)
{
	array_done(&maps->map, sizeof(struct stack_map));
	*maps = (struct stack_maps){ 0 };
}
