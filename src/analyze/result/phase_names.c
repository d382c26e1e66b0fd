// SPDX-License-Identifier: Apache-2.0
/* The names of the phases of session creation. Which slice belongs to which phase, the summary decides. */
#include "analyze/result/phase_names.h"

const struct phase_name phase_names[N_PHASES] = {
	[PHASE_LOAD] = { "load", "load" },
	[PHASE_TRANSFORM] = { "graph_transformers", "graph transformers" },
	[PHASE_PARTITION] = { "partition", "partitioning" },
	[PHASE_COMPILE] = { "compile", "provider compilation" },
	[PHASE_PREPACK] = { "prepack", "pre-packing of weights" },
	[PHASE_PROVIDER] = { "provider_ready", "provider libraries" },
	[PHASE_OTHER] = { "other", "other" },
	[PHASE_UNATTRIBUTED] = { "unattributed", "unattributed" },
};
