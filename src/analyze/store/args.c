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

static void put_in_table(uint32_t *table, uint32_t mask, uint32_t hash, uint32_t number)
{
	uint32_t at = hash & mask;

	while (table[at])
		at = (at + 1) & mask;
	table[at] = number;
}

static int grow_table(struct args *args)
{
	uint32_t size = args->mask ? (args->mask + 1) * 2 : 256;
	uint32_t *table = calloc(size, sizeof *table);

	if (!table)
		return -ENOMEM;
	for (uint32_t at = 0; args->table && at <= args->mask; at++)
		if (args->table[at])
			put_in_table(table, size - 1, list_at(args, args->table[at])->hash, args->table[at]);
	free(args->table);
	args->table = table;
	args->mask = size - 1;
	return 0;
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
	if (args->n_shared * 2 >= args->mask && (rc = grow_table(args)))
		return rc;
	for (at = hash & args->mask; args->table[at]; at = (at + 1) & args->mask) {
		if (list_at(args, args->table[at])->hash == hash && is_equal(args, args->table[at], arg, n)) {
			*number = args->table[at];
			return 0;
		}
	}
	rc = args_keep(args, arg, n, number);
	if (rc)
		return rc;
	list_at(args, *number)->hash = hash;
	args->table[at] = *number;
	args->n_shared++;
	return 0;
}

void args_done(struct args *args)
{
	array_done(&args->pool, sizeof(struct arg));
	array_done(&args->list, sizeof(struct args_list));
	free(args->table);
	*args = (struct args){ 0 };
}
