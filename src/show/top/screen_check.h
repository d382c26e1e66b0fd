/* SPDX-License-Identifier: Apache-2.0 */
/* Whether there is a terminal for a page. A header of its own, because term.h takes common words. */
#ifndef SHOW_TOP_SCREEN_CHECK_H
#define SHOW_TOP_SCREEN_CHECK_H

#include "base/err.h"

/* Whether standard input and output are a terminal that can show a page. 0, or -errno and err: what to do instead. */
int screen_check(struct err *err);

#endif
