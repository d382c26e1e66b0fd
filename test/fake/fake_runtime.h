/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the made-up runtime (fake_runtime.c); a program looks up fake_session_new by name. */
#ifndef FAKE_RUNTIME_H
#define FAKE_RUNTIME_H

struct fake_session;
/* The caller keeps name. NULL: out of memory. */
struct fake_session *fake_session_new(const char *name);
long fake_session_run(struct fake_session *session);
void fake_session_free(struct fake_session *session);

#endif
