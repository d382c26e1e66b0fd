// SPDX-License-Identifier: Apache-2.0
/* ncursesw was not there when this was built. */
#include <errno.h>

#include "show/top/screen.h"

bool screen_is_built(void)
{
	return false;
}

int screen_check(struct err *err)
{
	return err_set(
	    err, ENOTSUP,
	    "cannot show the page: this inftrace was built without ncursesw; plain lines still work: inftrace "
	    "top | cat");
}

int screen_open(struct err *err)
{
	return screen_check(err);
}

void screen_close(void)
{
}

void screen_size(int *columns, int *rows)
{
	*columns = *rows = 0;
}

void screen_resize(void)
{
}

void screen_paint(const struct grid *grid, bool is_all)
{
}

uint32_t screen_key(void)
{
	return UINT32_MAX;
}
