// SPDX-License-Identifier: Apache-2.0
/* Every command, in the order in which help shows them: one line each, and cmd_<name>.c, which defines cmd_<name>. */
#include "cmd/cmd.h"

#ifdef WITHOUT_MODEL
#define MODEL(F)
#else
#define MODEL(F) F(model)
#endif

#define COMMANDS(F) \
	F(record) \
	F(attach) \
	F(next) \
	F(ps) \
	F(top) \
	F(watch) \
	F(handle) \
	F(report) \
	F(view) \
	F(live) \
	F(query) \
	F(diff) \
	F(import) \
	F(export) \
	MODEL(F) \
	F(doctor) \
	F(help)

#define DECLARE(name) extern const struct cmd cmd_##name;
COMMANDS(DECLARE)

#define ENTRY(name) &cmd_##name,
const struct cmd *const commands[] = { COMMANDS(ENTRY) NULL };
