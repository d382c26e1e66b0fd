// SPDX-License-Identifier: Apache-2.0
/* Every format that can be read, in the order in which they are tried: one line each, and import_<name>.c, which
 * defines import_<name>. */
#include "trace/import/importer.h"

#define IMPORTERS(F) \
	F(perfetto) \
	F(ort_profile) \
	F(qnn_csv)

#define DECLARE(name) extern const struct importer import_##name;
IMPORTERS(DECLARE)

#define ENTRY(name) &import_##name,
const struct importer *const importers[] = { IMPORTERS(ENTRY) NULL };
