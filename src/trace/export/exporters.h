/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every format that can be written, in the order in which lists show them: one line each, and export_<name>.c, which
 * defines export_<name>.
 */
#ifndef TRACE_EXPORT_EXPORTERS_H
#define TRACE_EXPORT_EXPORTERS_H

#include "trace/export/exporter.h"

#define EXPORTERS(F) \
	F(perfetto) \
	F(chrome)

extern const struct exporter *const exporters[]; /* NULL-terminated */

/* NULL: there is none of that name. */
const struct exporter *exporters_find(const char *name);

/* "perfetto|chrome", for a row of options. */
#define EXPORTERS_WORD(name) "|" #name
#define EXPORTERS_WORDS (&EXPORTERS(EXPORTERS_WORD)[1])

#endif
