/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the made-up runtime (fake_runtime.c); a program looks fake_session_new up by name. */
#ifndef FAKE_RUNTIME_H
#define FAKE_RUNTIME_H

struct fake_session;
/* name stays the caller's. NULL: out of memory. */
struct fake_session *fake_session_new(const char *name);
long fake_session_run(struct fake_session *session);
void fake_session_free(struct fake_session *session);

#endif
