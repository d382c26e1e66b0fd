// SPDX-License-Identifier: Apache-2.0
/* The list of runtimes that have code of their own in the agent. */
#include "capture/agent/arm/code.h"

#define DECLARE(name) extern const struct agent_code agent_##name;
AGENT_CODES(DECLARE)
DECLARE(plain)
#define ENTRY(name) &agent_##name,
const struct agent_code *const agent_codes[] = { AGENT_CODES(ENTRY) ENTRY(plain) NULL };
