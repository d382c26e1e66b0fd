// SPDX-License-Identifier: Apache-2.0
/* Which hook stands for which function of an operator. */
#include "capture/agent/litert/litert_in.h"

word litert_originals[LITERT_STAND_INS];
static unsigned n_originals;
static const word *stand_ins;

void litert_stand_in_with(const word *functions)
{
	stand_ins = functions;
}

word litert_stand_in(word invoke)
{
	unsigned i = 0;

	agent_lock();
	while (i < n_originals && litert_originals[i] != invoke)
		i++;
	if (i == n_originals && i < LITERT_STAND_INS) {
		litert_originals[i] = invoke;
		n_originals++;
	}
	agent_unlock();
	return i < LITERT_STAND_INS ? stand_ins[i] : 0;
}

word litert_original(word stand_in)
{
	for (unsigned i = 0; i < n_originals; i++)
		if (stand_ins[i] == stand_in)
			return litert_originals[i];
	return 0;
}
