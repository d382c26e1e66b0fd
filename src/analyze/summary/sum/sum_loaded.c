// SPDX-License-Identifier: Apache-2.0
/*
 * A model's file may be replaced under its path: sessions from then on are of another model. On one device it is
 * another file if its size or its last change is another. Copies on other devices, as in containers, are the same file
 * if they are as large. Where nothing is known of a file, it is the first one.
 */
#include <errno.h>
#include <string.h>

#include "analyze/summary/sum_in.h"

enum { MAX_LOADED = 256 };

/* How many bytes of "8:1 1048576 1764280000.5" are the device, and the device and the size. */
static size_t device_len(const char *stamp)
{
	return strcspn(stamp, " ");
}

static const char *size_of(const char *stamp)
{
	return stamp + device_len(stamp) + strspn(stamp + device_len(stamp), " ");
}

static bool is_on_device(const char *a, const char *b)
{
	return device_len(a) == device_len(b) && !strncmp(a, b, device_len(a));
}

static bool is_as_large(const char *a, const char *b)
{
	size_t len = strcspn(size_of(a), " ");

	return len == strcspn(size_of(b), " ") && !strncmp(size_of(a), size_of(b), len);
}

/* How many files of the path were loaded before this one, in this program. like->file need not be kept. */
static uint32_t number_of(const struct summary_maker *maker, const struct loaded *like, bool *is_known)
{
	const struct loaded *all = maker->loaded.data, *same = NULL;
	const char *stamp = names_text(maker->names, like->file);
	bool is_on_known_device = false;
	uint32_t n = 0;

	for (size_t i = 0; i < maker->loaded.n; i++) {
		const char *other = names_text(maker->names, all[i].file);

		if (all[i].process != like->process || all[i].path != like->path)
			continue;
		*is_known = !strcmp(other, stamp);
		if (*is_known)
			return all[i].n_replaced;
		is_on_known_device |= is_on_device(stamp, other);
		if (is_as_large(stamp, other))
			same = &all[i];
		n = all[i].n_replaced + 1 > n ? all[i].n_replaced + 1 : n;
	}
	return same && !is_on_known_device ? same->n_replaced : n;
}

int sum_loaded_add(struct summary_maker *maker, struct session *session, uint32_t file)
{
	struct loaded like = { sum_group_of(maker, session->process), session->row.path, file, 0 }, *loaded;
	bool is_known = false;

	session->row.n_replaced = 0;
	if (!file || !like.path)
		return 0;
	if (like.process == NONE)
		return -ENOMEM;
	like.n_replaced = session->row.n_replaced = number_of(maker, &like, &is_known);
	if (is_known || maker->loaded.n == MAX_LOADED)
		return 0;
	loaded = array_add(&maker->loaded, sizeof *loaded);
	like.file = loaded ? names_keep(maker->names, file) : 0;
	if (!like.file)
		return -ENOMEM;
	*loaded = like;
	return 0;
}
