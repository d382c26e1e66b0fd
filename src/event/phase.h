/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Session creation: what its slices carry besides, and the names of KIND_PHASE slices: phases of session creation that
 * lie between functions of the runtime, in the order in which they come. Phases of subgraphs come again, one after the
 * other.
 */
#ifndef EVENT_PHASE_H
#define EVENT_PHASE_H

/* Rows of EVENT_KEYS: threads of the runtime's pools that a creation started, and CPU time that they used until its
 * end. */
#define EVENT_CREATION_KEYS(F) \
	F(POOL_THREADS, "pool_threads") \
	F(POOL_CPU_NS, "pool_cpu_ns")

/* F(EVENT_PHASE_<NAME>, name of the slice). Arguments in brackets. */
#define EVENT_PHASES(F) \
	F(SET_UP, "set up session")	 /* options are read, pool threads started */ \
	F(PARSE, "parse model")		 /* inside load [bytes: read from the file] */ \
	F(READ, "read file")		 /* one call, inside parse */ \
	F(BUILD, "build graph")		 /* inside load: nodes, and the first resolve */ \
	F(PROVIDERS, "create providers") /* long where a device is set up: once in a process, in its first session */ \
	F(REGISTER, "register kernels")	 /* of providers, from outside with their creation */ \
	F(TRANSFORMERS, "create transformers") \
	F(PREPARE, "prepare graph")  /* before the first transformer: functions are inlined */ \
	F(COPY, "copy weights")	     /* of the model into tensors of the session [count: weights] */ \
	F(RESOLVE, "resolve graph")  /* after a transformer that changed the graph, and once more at the end */ \
	F(PARTITION, "assign nodes") /* to providers, after each was asked */ \
	F(LOOK_UP, "look up kernels") \
	F(PLAN, "plan memory")		 /* [count: values that the planner compared] */ \
	F(WEIGHTS, "initialize weights") /* those that are not copied: mapped, or referred to [count: weights] */ \
	F(KERNELS, "create kernels")	 /* begins with the copy of the last weight */ \
	F(KERNELS_AND_PACK, "create kernels, pre-pack weights") /* at level inference, where kernels are not seen */ \
	F(PREPACK, "pre-pack weights") \
	F(HASH, "hash packed weights") /* of one kernel, inside pre-packing: looks for a copy that sessions share */ \
	F(FINISH, "finish session")

#define EVENT_PHASE_ENUM(name, text) EVENT_PHASE_##name,
enum event_phase { EVENT_PHASE_NONE, EVENT_PHASES(EVENT_PHASE_ENUM) N_EVENT_PHASES };

#endif
