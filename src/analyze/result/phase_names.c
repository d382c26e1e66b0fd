// SPDX-License-Identifier: Apache-2.0
/* The names of the phases of session creation. Which slice belongs to which phase, the summary decides. */
#include "analyze/result/phase_names.h"

const struct phase_name phase_names[N_PHASES] = {
	[PHASE_SET_UP] = { "set_up", "set-up of the session" },
	[PHASE_LOAD] = { "load", "load" },
	[PHASE_READ] = { "read_file", "reading of the file" },
	[PHASE_PARSE] = { "parse_model", "parsing of the model" },
	[PHASE_BUILD] = { "build_graph", "building of the graph" },
	[PHASE_PROVIDERS] = { "create_providers", "creation of providers" },
	[PHASE_REGISTER] = { "register_kernels", "registration of kernels" },
	[PHASE_TRANSFORM] = { "graph_transformers", "graph transformers" },
	[PHASE_RESOLVE] = { "resolve_graph", "resolving of the graph" },
	[PHASE_PARTITION] = { "partition", "partitioning" },
	[PHASE_COMPILE] = { "compile", "provider compilation" },
	[PHASE_LOOK_UP] = { "look_up_kernels", "look-up of kernels" },
	[PHASE_PLAN] = { "plan_memory", "memory planning" },
	[PHASE_WEIGHTS] = { "initialize_weights", "copying or mapping of weights" },
	[PHASE_KERNELS] = { "create_kernels", "creation of kernels" },
	[PHASE_PREPACK] = { "prepack", "pre-packing of weights" },
	[PHASE_HASH] = { "hash_packed_weights", "hashing of packed weights" },
	[PHASE_PROVIDER] = { "provider_ready", "provider libraries" },
	[PHASE_OTHER] = { "other", "other" },
	[PHASE_HALTED] = { "halted", "a stop of the process" },
	[PHASE_WAITING] = { "waiting", "waiting for a CPU" },
	[PHASE_UNATTRIBUTED] = { "unattributed", "unattributed" },
};
