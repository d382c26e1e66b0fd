/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A terminal that shows a grid and gives keys, by ncursesw. One at a time, one thread. The terminal is as it was after
 * screen_close, and after exit, which calls it.
 */
#ifndef SHOW_TOP_SCREEN_H
#define SHOW_TOP_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "show/top/grid.h"
#include "show/top/screen_check.h"

/* Was this program built with ncursesw? */
bool screen_is_built(void);

/* Takes over that terminal. 0, or -errno and err. */
int screen_open(struct err *err);
void screen_close(void); /* also if it is not open */

/* As of the last screen_resize. */
void screen_size(int *columns, int *rows);
/* The terminal may have another size now. */
void screen_resize(void);
/* Shows it. is_all: the terminal may hold anything. */
void screen_paint(const struct grid *grid, bool is_all);

/* A character or an enum top_key; 0: none has been pressed; UINT32_MAX: the terminal is gone. */
uint32_t screen_key(void);

#endif
