// SPDX-License-Identifier: Apache-2.0
/* The words for states of threads. */
#include "event/sample.h"

#include <string.h>

#define TEXT(name, text) text,
static const char *const states[] = { SAMPLE_STATES(TEXT) };

const char *sample_state_name(unsigned state)
{
	return state < N_SAMPLE_STATES ? states[state] : "";
}

enum sample_state sample_state_named(const char *text, uint64_t len)
{
	for (unsigned i = 0; i < N_SAMPLE_STATES; i++)
		if (strlen(states[i]) == len && !memcmp(states[i], text, len))
			return (enum sample_state)i;
	return SAMPLE_UNKNOWN;
}
