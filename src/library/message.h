/* SPDX-License-Identifier: Apache-2.0 */
/* What the last call of a thread has to say: inftrace_profile_message. */
#ifndef LIBRARY_MESSAGE_H
#define LIBRARY_MESSAGE_H

/* Begins a call: nothing to say. */
void message_clear(void);
void message_set(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Ends it: returns the code, and has something to say of a failure that nobody has explained. */
int message_end(int code);

#endif
