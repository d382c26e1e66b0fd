/* SPDX-License-Identifier: Apache-2.0 */
/* The values of --dump-when, and the sink that watches for them. */
#ifndef CMD_DUMP_OPTION_H
#define CMD_DUMP_OPTION_H

#include "base/opt.h"
#include "capture/recorder/thin/dump_when.h"

/* 0, or opt_misused's code and err, with the place in the text. */
int dump_option_parse(const struct opt_list *texts, struct dump_rules *rules, struct err *err);

#endif
