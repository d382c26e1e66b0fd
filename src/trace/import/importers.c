// SPDX-License-Identifier: Apache-2.0
/*
 * All formats that can be read, in the order in which they are tried: one line each; import_<name>.c defines
 * import_<name>.
 */
#include "trace/import/importer.h"

#define IMPORTERS(F) \
	F(perfetto) \
	F(ort_profile) \
	F(chrome) \
	F(qnn_csv) \
	F(aic_latency)

#define DECLARE(name) extern const struct importer import_##name;
IMPORTERS(DECLARE)

#define ENTRY(name) &import_##name,
const struct importer *const importers[] = { IMPORTERS(ENTRY) NULL };
