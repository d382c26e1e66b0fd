/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the agent's files for onnxruntime-genai:
 *
 *   genai_code.c        which imports of a module are replaced, and what they are bound to
 *   genai_generator.c   calls of generators: the hot path
 */
#ifndef CAPTURE_AGENT_GENAI_GENAI_IN_H
#define CAPTURE_AGENT_GENAI_GENAI_IN_H

#include "capture/agent/agent.h"
#include "capture/agent/replace/copies.h"
#include "runtime/genai/genai.h"

/* The hook for one function; copy NULL: the program keeps it. NULL: there are too many. Call under the agent's lock. */
void *genai_hook(const struct copy *copy, enum genai_role role, void *real);
/* Modules are gone: their hooks may serve others. */
void genai_forget_gone(void);
/* Recording restarts: generators may be others by now. */
void genai_forget_all(void);

#endif
