// SPDX-License-Identifier: Apache-2.0
/* Leaves out values that repeat the one before. */
#include "capture/source/counter.h"

int held_put(struct held *held, const struct counter_value *value, bool is_last, struct sink *out, struct err *err)
{
	bool is_same = held->is_known && held->last == value->value;
	struct counter_value before = *value;
	int result = 0;

	if (is_same && !is_last) {
		held->is_held = true;
		held->last_ns = value->time_ns;
		return 0;
	}
	before.value = held->last;
	before.time_ns = held->last_ns;
	if (held->is_held && !is_same)
		result = counter_put(&held->counter, &before, out, err);
	held->is_known = true;
	held->is_held = false;
	held->last = value->value;
	held->last_ns = value->time_ns;
	return result ? result : counter_put(&held->counter, value, out, err);
}

int held_put_any(struct held *held, const struct counter_value *value, bool is_last, struct sink *out, struct err *err)
{
	if (held->is_known || value->value > 0)
		return held_put(held, value, is_last, out, err);
	held->is_held = true;
	held->last_ns = value->time_ns;
	return 0;
}
