// SPDX-License-Identifier: Apache-2.0
/* Lists of arguments in one pool, with a hash table over those that are shared. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/store/store_in.h"

static uint32_t hash_of(const struct arg *arg, uint32_t n)
{
	uint64_t hash = n;

	for (uint32_t i = 0; i < n; i++) {
		hash =
		    (hash ^ arg[i].key ^ (uint64_t)arg[i].type << 16 ^ (uint64_t)arg[i].integer) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	return (uint32_t)hash;
}

static struct args_list *list_at(const struct args *args, uint32_t number)
{
	return (struct args_list *)args->list.data + number;
}

static uint32_t hash_of_list(const void *args, uint32_t number)
{
	return list_at(args, number)->hash;
}

int args_keep(struct args *args, const struct arg *arg, uint32_t n, uint32_t *number)
{
	struct args_list *list;
	uint64_t first = args->pool.n;

	*number = 0;
	if (!n)
		return 0;
	if (!args->list.n && !array_add(&args->list, sizeof *list))
		return -ENOMEM;
	if (args->list.n >= UINT32_MAX)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct arg *copy = array_add(&args->pool, sizeof *copy);
		if (!copy)
			return -ENOMEM;
		*copy = arg[i];
	}
	list = array_add(&args->list, sizeof *list);
	if (!list)
		return -ENOMEM;
	list->first = first;
	list->n = n;
	*number = (uint32_t)(args->list.n - 1);
	return 0;
}

static bool is_equal(const struct args *args, uint32_t number, const struct arg *arg, uint32_t n)
{
	uint32_t n_old;
	const struct arg *old = args_get(args, number, &n_old);

	return n == n_old && !memcmp(old, arg, n * sizeof *arg);
}

int args_share(struct args *args, const struct arg *arg, uint32_t n, uint32_t *number)
{
	uint32_t hash = hash_of(arg, n), at;
	int rc;

	*number = 0;
	if (!n)
		return 0;
	if (!index_room(&args->index, args->n_shared, hash_of_list, args))
		return -ENOMEM;
	for (at = hash & args->index.mask; args->index.number[at]; at = (at + 1) & args->index.mask) {
		if (list_at(args, args->index.number[at])->hash == hash &&
		    is_equal(args, args->index.number[at], arg, n)) {
			*number = args->index.number[at];
			return 0;
		}
	}
	rc = args_keep(args, arg, n, number);
	if (rc)
		return rc;
	list_at(args, *number)->hash = hash;
	args->index.number[at] = *number;
	args->n_shared++;
	return 0;
}

void args_done(struct args *args)
{
	array_done(&args->pool, sizeof(struct arg));
	array_done(&args->list, sizeof(struct args_list));
	free(args->index.number);
	*args = (struct args){ 0 };
}
