// SPDX-License-Identifier: Apache-2.0
/* The words for states of threads. */
#include "event/sample.h"

#define TEXT(name, text) text,
static const char *const states[] = { SAMPLE_STATES(TEXT) };

const char *sample_state_name(unsigned state)
{
	return state < N_SAMPLE_STATES ? states[state] : "";
}
