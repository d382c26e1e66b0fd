/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a page in the user's browser. */
#ifndef SHOW_VIEW_BROWSER_H
#define SHOW_VIEW_BROWSER_H

#include <stdbool.h>

/* Is there a desktop to open a browser on? */
bool browser_is_there(void);
/* Starts the desktop's browser with this address and leaves it alone. false: it cannot be started. */
bool browser_open(const char *address);

#endif
