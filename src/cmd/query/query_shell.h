/* SPDX-License-Identifier: Apache-2.0 */
/* The shell of `inftrace query`: SQL and commands that begin with a dot, from a terminal or a pipe. */
#ifndef CMD_QUERY_SHELL_H
#define CMD_QUERY_SHELL_H

#include "analyze/query/query.h"
#include "show/query/query_formats.h"

/* Until .quit or the end of standard input. From a terminal 0; else an error ends it: -errno and err. */
int query_shell(struct query *query, struct query_writer *writer, struct err *err);

#endif
