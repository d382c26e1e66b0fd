/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what holds for every device profile, whatever its file. */
#ifndef FUZZ_CHECK_PROFILE_H
#define FUZZ_CHECK_PROFILE_H

#include <stdlib.h>

#include "trace/import/device_profile.h"

static inline void check_profile_claim(bool claim)
{
	if (!claim)
		abort();
}

static inline void check_profile(const struct device_profile *profile, size_t size)
{
	size_t n = 0;

	check_profile_claim(profile->n_rows <= size && profile->n_executions <= size && profile->n_unread <= size);
	for (size_t i = 0; i < profile->n_executions; i++) {
		const struct device_execution *execution = &profile->executions[i];

		check_profile_claim((execution->n || execution->is_inference) && execution->first <= profile->n_rows &&
				    execution->n <= profile->n_rows - execution->first);
		check_profile_claim(
		    execution->whole == DEVICE_NO_ROW ||
		    (execution->whole >= execution->first && execution->whole < execution->first + execution->n &&
		     profile->rows[execution->whole].is_whole && profile->rows[execution->whole].unit == DEVICE_US));
		n += execution->n;
	}
	check_profile_claim(n + profile->n_apart == profile->n_rows);
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct device_row *row = &profile->rows[i];

		check_profile_claim(row->value >= 0 && row->value <= INT64_MAX / 1000 && row->offset_us >= -1);
		check_profile_claim(row->name <= names_count(profile->names) &&
				    row->op_type <= names_count(profile->names) &&
				    row->implementation <= names_count(profile->names) &&
				    row->source_ops <= names_count(profile->names));
	}
}

static inline int check_profile_of(int (*import)(struct device_profile *, struct names *, const char *, size_t,
						 struct err *),
				   const uint8_t *data, size_t size)
{
	struct names *names = names_new();
	struct device_profile profile;
	struct err err = { 0 };

	check_profile_claim(names != NULL);
	if (!import(&profile, names, (const char *)data, size, &err))
		check_profile(&profile, size);
	else
		check_profile_claim(err.code && *err.msg);
	device_profile_done(&profile);
	names_free(names);
	return 0;
}

#endif
