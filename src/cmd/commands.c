// SPDX-License-Identifier: Apache-2.0
/* Every command, in the order in which help shows them. A new one is its file and a line in each of these lists. */
#include "cmd/cmd.h"

extern const struct cmd cmd_record;
extern const struct cmd cmd_attach;
extern const struct cmd cmd_next;
extern const struct cmd cmd_report;
extern const struct cmd cmd_import;
extern const struct cmd cmd_export;
extern const struct cmd cmd_model;
extern const struct cmd cmd_doctor;
extern const struct cmd cmd_help;

const struct cmd *const commands[] = {
	&cmd_record, &cmd_attach, &cmd_next,   &cmd_report, &cmd_import,
	&cmd_export, &cmd_model,  &cmd_doctor, &cmd_help,   NULL,
};
