/* SPDX-License-Identifier: Apache-2.0 */
/* Tells systemd, if it has started this process (Type=notify), that it is ready, and that it is alive (WatchdogSec). */
#ifndef CMD_FLEET_NOTIFY_H
#define CMD_FLEET_NOTIFY_H

void notify_ready(void);
void notify_watchdog(void);
void notify_stopping(void);

#endif
