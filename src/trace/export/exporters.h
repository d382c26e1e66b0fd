/* SPDX-License-Identifier: Apache-2.0 */
/* All formats that can be written, in the order of lists: one line each; export_<name>.c defines export_<name>. */
#ifndef TRACE_EXPORT_EXPORTERS_H
#define TRACE_EXPORT_EXPORTERS_H

#include "trace/export/exporter.h"

#define EXPORTERS(F) \
	F(perfetto) \
	F(chrome) \
	F(ort) \
	F(folded) \
	F(pprof) \
	F(speedscope) \
	F(csv)

extern const struct exporter *const exporters[]; /* NULL-terminated */

/* NULL: no such format. */
const struct exporter *exporters_find(const char *name);

/* "perfetto|chrome", for a row of options. */
#define EXPORTERS_WORD(name) "|" #name
#define EXPORTERS_WORDS (&EXPORTERS(EXPORTERS_WORD)[1])

#endif
