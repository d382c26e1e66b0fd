/* SPDX-License-Identifier: Apache-2.0 */
/* Every door: one line each, and door_<name>.c, which defines door_<name>. */
#ifndef FLEET_DOOR_DOORS_H
#define FLEET_DOOR_DOORS_H

#include "fleet/door/door.h"

#define DOORS(F) \
	F(prometheus) \
	F(otlp) \
	F(clickhouse) \
	F(lines)

#define DOOR_DECLARE(name) extern const struct door door_##name;
DOORS(DOOR_DECLARE)

#endif
