/* SPDX-License-Identifier: Apache-2.0 */
/* All formats that can be written, in the order of lists: one line each; export_<name>.c defines export_<name>,
 * which the user types as the word. */
#ifndef TRACE_EXPORT_EXPORTERS_H
#define TRACE_EXPORT_EXPORTERS_H

#include "trace/export/exporter.h"

#define EXPORTERS(F) \
	F(perfetto, "perfetto") \
	F(chrome, "chrome") \
	F(ort, "ort") \
	F(folded, "folded") \
	F(pprof, "pprof") \
	F(speedscope, "speedscope") \
	F(csv, "csv") \
	F(sqlite, "sqlite") \
	F(latency_csv, "latency-csv") \
	F(qnn_csv, "qnn-csv")

extern const struct exporter *const exporters[]; /* NULL-terminated */

/* NULL: no such format. */
const struct exporter *exporters_find(const char *name);

/* "perfetto|chrome", for a row of options. */
#define EXPORTERS_WORD(name, word) "|" word
#define EXPORTERS_WORDS (&EXPORTERS(EXPORTERS_WORD)[1])

#endif
