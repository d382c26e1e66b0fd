// SPDX-License-Identifier: Apache-2.0
/* Every format that can be written, in the order in which lists show them: one line each, and export_<name>.c, which
 * defines export_<name>. */
#include <string.h>

#include "trace/export/exporter.h"

#define EXPORTERS(F) \
	F(perfetto) \
	F(chrome)

#define DECLARE(name) extern const struct exporter export_##name;
EXPORTERS(DECLARE)

#define ENTRY(name) &export_##name,
const struct exporter *const exporters[] = { EXPORTERS(ENTRY) NULL };

const struct exporter *exporters_find(const char *name)
{
	for (const struct exporter *const *exporter = exporters; *exporter; exporter++)
		if (!strcmp((*exporter)->name, name))
			return *exporter;
	return NULL;
}
