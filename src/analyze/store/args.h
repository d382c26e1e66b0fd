/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of arguments, by number. Equal lists may be kept once: most operators of a recording carry the
 * same few. List 0 is empty.
 */
#ifndef ANALYZE_STORE_ARGS_H
#define ANALYZE_STORE_ARGS_H

#include "base/array.h"
#include "event/event.h"

struct args {
	struct array pool; /* struct arg */
	struct array list; /* struct args_list */
	uint32_t *table;   /* numbers of lists that are kept once; 0: free */
	uint32_t mask, n_shared;
};

struct args_list {
	uint64_t first; /* in the pool */
	uint32_t n, hash;
};

/* Both: 0 and the number of the list, or -ENOMEM. The padding of args must be zero. */
int args_share(struct args *args, const struct arg *arg, uint32_t n, uint32_t *number); /* an equal list is reused */
int args_keep(struct args *args, const struct arg *arg, uint32_t n, uint32_t *number);
void args_done(struct args *args);

/* Borrowed; valid until the next list is added. */
static inline const struct arg *args_get(const struct args *args, uint32_t number, uint32_t *n)
{
	const struct args_list *list;

	if (!number || number >= args->list.n) {
		*n = 0;
		return NULL;
	}
	list = (const struct args_list *)args->list.data + number;
	*n = list->n;
	return (const struct arg *)args->pool.data + list->first;
}

#endif
