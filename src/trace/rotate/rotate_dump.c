// SPDX-License-Identifier: Apache-2.0
/* Copies the segments of a dump, a part at a time. Decides not when one begins. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace/rotate/rotate_folder.h"
#include "trace/rotate/rotate_in.h"

enum { MOST_NAMES = 10000 };

struct rotate_path rotate_dump_path(const char *path, uint32_t n)
{
	static const char suffix[] = ".pftrace";
	size_t len = strlen(path), end = sizeof suffix - 1;
	struct rotate_path dump;
	int size;

	if (len > end && !strcmp(path + len - end, suffix))
		len -= end;
	size = snprintf(dump.s, sizeof dump.s, "%.*s.dump-%04u%s", (int)len, path, n, suffix);
	if (size < 0 || (size_t)size >= sizeof dump.s)
		*dump.s = 0;
	return dump;
}

void rotate_dump_number(struct rotate_dump *dump, const char *path)
{
	do
		dump->number++;
	while (dump->number < MOST_NAMES && !access(rotate_dump_path(path, dump->number).s, F_OK));
}

int rotate_dump_reserve(struct rotate_dump *dump, int folder, struct err *err)
{
	return dump->copy.to > 0 ? 0 : rotate_copy_begin(&dump->copy, folder, "dump", err);
}

static int copy_part(struct rotate_dump *dump, const struct rotate_segment *segments, uint64_t max, struct err *err)
{
	int code = 0;

	while (!code && max && dump->next <= dump->last) {
		const struct rotate_segment *segment = &segments[dump->next - segments[0].number];
		uint64_t before = dump->at;

		code = rotate_copy_add(&dump->copy, segment->number, &dump->at, segment->bytes, max, err);
		max -= dump->at - before;
		if (dump->at < segment->bytes)
			break;
		dump->next++;
		if (dump->next <= dump->last)
			dump->at = segments[dump->next - segments[0].number].body_at;
	}
	return code;
}

/* A dump of an earlier recording stays. */
static int give_name(struct rotate_dump *dump, const char *path, struct err *err)
{
	int code;

	do
		code = rotate_copy_end(&dump->copy, rotate_dump_path(path, dump->number).s, err);
	while (code == -EEXIST && dump->number++ < MOST_NAMES);
	return code;
}

int rotate_dump_copy(struct rotate_dump *dump, int folder, const struct rotate_segment *segments, uint64_t max,
		     const char *path, struct err *err)
{
	int code = 0;

	if (dump->state == DUMP_WAITS) {
		dump->state = DUMP_COPIES;
		dump->next = dump->first;
		dump->at = 0;
		code = rotate_dump_reserve(dump, folder, err);
	}
	if (!code)
		code = copy_part(dump, segments, max, err);
	if (!code && dump->next <= dump->last)
		return 0;
	if (!code)
		code = give_name(dump, path, err);
	rotate_copy_drop(&dump->copy);
	dump->state = DUMP_NONE;
	return code ? code : 1;
}
