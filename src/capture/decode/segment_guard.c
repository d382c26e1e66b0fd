// SPDX-License-Identifier: Apache-2.0
/*
 * A signal handler puts a page of zeros where the page is missing, and the access goes on. The list is the only state
 * that a signal handler can reach. Every other SIGBUS kills, as it would without this file.
 */
#include "capture/decode/segment_guard.h"

#include <signal.h>
#include <sys/mman.h>

#include "base/processor.h"

static struct segment_map *guarded;

static void fill(int number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	void *page = (void *)(at & ~(page_size() - 1));

	for (struct segment_map *map = guarded; map; map = map->next_guarded) {
		if (at - (uintptr_t)map->segment >= map->size)
			continue;
		map->n_nonsense += !map->is_cut;
		map->is_cut = true;
		if (mmap(page, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    page)
			return;
	}
	signal(SIGBUS, SIG_DFL); /* the access is repeated */
}

void segment_guard_add(struct segment_map *map)
{
	struct sigaction action = { .sa_sigaction = fill, .sa_flags = SA_SIGINFO };

	if (!guarded)
		sigaction(SIGBUS, &action, NULL);
	map->next_guarded = guarded;
	guarded = map;
}

void segment_guard_remove(struct segment_map *map)
{
	struct segment_map **at = &guarded;

	while (*at && *at != map)
		at = &(*at)->next_guarded;
	if (*at)
		*at = map->next_guarded;
	if (!guarded)
		signal(SIGBUS, SIG_DFL);
}
