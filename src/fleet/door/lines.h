/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals as JSON lines. Writes to no file. */
#ifndef FLEET_DOOR_LINES_H
#define FLEET_DOOR_LINES_H

#include <stdio.h>

#include "fleet/door/door.h"

/* One line for the interval, one for each series that did something in it, and one for each row of the tail. */
void lines_write(const struct door_in *in, FILE *out);

#endif
