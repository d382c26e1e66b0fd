// SPDX-License-Identifier: Apache-2.0
/* Classes: what decides the colour of a slice. The first N_KINDS are the kinds; then those with a name, of lists. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/pyramid/pyramid_in.h"
#include "base/array.h"

/* KIND_NONE: slices of this kind are not told apart. */
static enum event_key key_of(enum event_kind kind)
{
	if (kind == KIND_OPERATOR)
		return KEY_OP_TYPE;
	return kind == KIND_USER ? KEY_CATEGORY : KEY_NONE;
}

static int add_class(struct pyramid *pyramid, uint32_t name, enum event_kind kind)
{
	struct pyramid_class *class = array_add(&pyramid->classes, sizeof *class);

	if (!class)
		return -ENOMEM;
	*class = (struct pyramid_class){ name, kind };
	return 0;
}

/* What a list says of its slices: an operator's type, else a category. */
static int find_class(struct pyramid *pyramid, uint32_t list)
{
	uint32_t name = store_text(store_arg(pyramid->store, list, KEY_OP_TYPE)), number;
	enum event_kind kind = name ? KIND_OPERATOR : KIND_USER;

	pyramid->class_of_list[list] = 0;
	if (!name)
		name = store_text(store_arg(pyramid->store, list, KEY_CATEGORY));
	if (!name)
		return 0;
	number = keys_find(&pyramid->class_keys, name, kind);
	if (number == KEYS_NONE && pyramid->classes.n >= PYRAMID_MAX_CLASSES)
		return 0;
	number = keys_number(&pyramid->class_keys, name, kind);
	if (number == KEYS_NONE)
		return -ENOMEM;
	number += N_KINDS;
	pyramid->class_of_list[list] = (uint16_t)number;
	return number < pyramid->classes.n ? 0 : add_class(pyramid, name, kind);
}

static int tally_classes(struct pyramid *pyramid)
{
	uint32_t n = (uint32_t)pyramid->classes.n;
	struct pyramid_tally *tally = &pyramid->tally;
	uint16_t *seen;
	float *ns;

	if (n <= pyramid->n_tallied)
		return 0;
	ns = realloc(tally->ns, n * sizeof *ns);
	tally->ns = ns ? ns : tally->ns;
	seen = realloc(tally->seen, n * sizeof *seen);
	tally->seen = seen ? seen : tally->seen;
	if (!ns || !seen)
		return -ENOMEM;
	for (uint32_t i = pyramid->n_tallied; i < n; i++)
		ns[i] = 0;
	pyramid->n_tallied = n;
	return 0;
}

int pyramid_find_classes(struct pyramid *pyramid)
{
	uint32_t n_lists = store_n_lists(pyramid->store);
	int code = ARRAY_ROOM(pyramid->class_of_list, pyramid->list_capacity, n_lists) ? 0 : -ENOMEM;

	while (!code && pyramid->classes.n < N_KINDS)
		code = add_class(pyramid, 0, (enum event_kind)pyramid->classes.n);
	for (uint32_t list = pyramid->n_lists; list < n_lists && !code; list++) {
		code = find_class(pyramid, list);
		if (!code)
			pyramid->n_lists = list + 1;
	}
	return code ? code : tally_classes(pyramid);
}

uint32_t pyramid_n_classes(const struct pyramid *pyramid)
{
	return (uint32_t)pyramid->classes.n;
}

const struct pyramid_class *pyramid_class(const struct pyramid *pyramid, uint32_t number)
{
	return number < pyramid->classes.n ? (const struct pyramid_class *)pyramid->classes.data + number : NULL;
}

uint16_t pyramid_class_of(const struct pyramid *pyramid, const struct store_slices *slices, size_t at)
{
	enum event_kind kind = (enum event_kind)slices->kind[at];
	uint16_t of_list = key_of(kind) ? pyramid_type_of(pyramid, slices, at) : 0;

	return of_list ? of_list : (uint16_t)kind;
}

uint16_t pyramid_type_of(const struct pyramid *pyramid, const struct store_slices *slices, size_t at)
{
	uint32_t list = slices->args[at];

	return list < pyramid->n_lists ? pyramid->class_of_list[list] : 0;
}
