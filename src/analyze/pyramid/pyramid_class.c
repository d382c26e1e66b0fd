// SPDX-License-Identifier: Apache-2.0
/* Classes: what decides the colour of a slice. The first N_KINDS are the kinds; then those with a name, of lists. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/pyramid/pyramid_in.h"

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
static int find_class(struct pyramid *pyramid, uint32_t list, struct keys *keys)
{
	uint32_t name = store_text(store_arg(pyramid->store, list, KEY_OP_TYPE)), number;
	enum event_kind kind = name ? KIND_OPERATOR : KIND_USER;

	if (!name)
		name = store_text(store_arg(pyramid->store, list, KEY_CATEGORY));
	if (!name)
		return 0;
	number = keys_number(keys, name, kind);
	if (number == KEYS_NONE)
		return -ENOMEM;
	number += N_KINDS;
	if (number >= PYRAMID_MAX_CLASSES)
		return 0;
	pyramid->class_of_list[list] = (uint16_t)number;
	return number < pyramid->classes.n ? 0 : add_class(pyramid, name, kind);
}

int pyramid_find_classes(struct pyramid *pyramid)
{
	struct keys keys = { 0 };
	int code = 0;

	pyramid->n_lists = store_n_lists(pyramid->store);
	pyramid->class_of_list = calloc((size_t)pyramid->n_lists + 1, sizeof *pyramid->class_of_list);
	if (!pyramid->class_of_list)
		return -ENOMEM;
	for (int kind = 0; kind < N_KINDS && !code; kind++)
		code = add_class(pyramid, 0, (enum event_kind)kind);
	for (uint32_t list = 1; list < pyramid->n_lists && !code; list++)
		code = find_class(pyramid, list, &keys);
	keys_done(&keys);
	return code;
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
	uint32_t list = slices->args[at];

	if (key_of(kind) && list < pyramid->n_lists && pyramid->class_of_list[list])
		return pyramid->class_of_list[list];
	return (uint16_t)kind;
}
