// SPDX-License-Identifier: Apache-2.0
/* Counts shapes of inputs behind the first ones. Quiet: the agent uses it. */
#include "runtime/shape.h"

#include <stdbool.h>
#include <string.h>

static bool is_equal(const struct shape *a, const struct shape *b)
{
	return a->type == b->type &&
	       (!a->type || (a->n_dims == b->n_dims && !memcmp(a->dim, b->dim, a->n_dims * sizeof *a->dim)));
}

void shapes_add_rest(struct shapes *to, const struct shape *shape, uint32_t times)
{
	uint32_t i = 0;

	while (i < to->n_groups && !is_equal(&to->group[i], shape))
		i++;
	if (i == SHAPE_GROUPS) {
		to->group[--i].type = 0;
	} else if (i == to->n_groups) {
		to->group[to->n_groups++] = *shape;
		to->times[i] = 0;
	}
	to->times[i] += times;
}
