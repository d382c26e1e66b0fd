/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with a runtime as a table, for ps and attach. Looks for none: attach_list.h does. */
#ifndef CMD_PS_TABLE_H
#define CMD_PS_TABLE_H

#include <stdio.h>

#include "capture/recorder/attach/attach_list.h"

/*
 * One row per program, and a line per thing that keeps the table from being complete. is_all: also one per process that
 * has the runtime only because its program has.
 */
void ps_table_print(FILE *out, const struct attach_list *list, bool is_all);

/* "12 min" */
struct ps_age {
	char s[32];
};
struct ps_age ps_table_age(uint64_t seconds);

/* The name of a user, else the number. */
struct ps_user {
	char s[40];
};
struct ps_user ps_table_user(unsigned user);

#endif
