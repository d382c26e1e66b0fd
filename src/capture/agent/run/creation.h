/* SPDX-License-Identifier: Apache-2.0 */
/* The session that this thread is creating: turns what hooks see into records (creation.c). */
#ifndef CAPTURE_AGENT_CREATION_H
#define CAPTURE_AGENT_CREATION_H

#include "capture/agent/run/inference.h"

bool creation_is_open(const struct thread *thread);
/* Opens a creation. If one is open, that one stays and this one is only counted. */
void creation_begin(struct thread *thread, const struct runtime *runtime, enum run_owner owner, uint64_t start);
void creation_end(struct thread *thread, enum run_owner owner, uint32_t message);
/* The model's file or bytes. Outside a creation: kept as a hint for the next one. */
void creation_path(struct thread *thread, const char *path);
void creation_bytes(struct thread *thread, const char *bytes, uint64_t size);
/* A provider's name, or a key or value of its options, given between load and initialisation. */
void creation_asked(struct thread *thread, const char *text);
/* Bytes that do not look like a model, but may have been given as one. Outside a creation. */
void creation_unsure(struct thread *thread, uint64_t size);
/* An error leaves the runtime while no inference is open: it ends the creation, or one whose begin was not seen. */
void creation_refused(struct thread *thread, const struct runtime *runtime, uint32_t message);
/* A session's object is gone that no creation has seen: the error before was its own. */
void creation_unseen_gone(struct thread *thread, const struct runtime *runtime);
/* The model's load took from start (0: the begin of the creation) until now. Once per creation. */
void creation_loaded(struct thread *thread, uint64_t start);
/* The same for a load that lay between these times. */
void creation_has_loaded(struct thread *thread, uint64_t start, uint64_t end);
/* What precedes the load has ended: a pool thread was started. */
void creation_prepared(struct thread *thread);
/* Parts, which nest. False: this thread is creating no session. name and prefix may be NULL. */
bool creation_part_begin(struct thread *thread, const char *prefix, const char *name);
/* Returns its time. */
uint64_t creation_part_end(struct thread *thread, uint8_t flags, uint32_t count);
void creation_part_node(struct thread *thread, uint32_t node, uint64_t start, uint64_t end);
/* One that has ended. */
void creation_part_was(struct thread *thread, const char *name, uint64_t start, uint64_t end);
/* Of a runtime that has no phases like those of phase.c. */
void creation_load_was(struct thread *thread, uint64_t start, uint64_t end);

#endif
