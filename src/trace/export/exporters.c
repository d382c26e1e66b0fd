// SPDX-License-Identifier: Apache-2.0
/* The list of exporters.h as an array, and look-up by name. */
#include "trace/export/exporters.h"

#include <string.h>

#define DECLARE(name, word) extern const struct exporter export_##name;
EXPORTERS(DECLARE)

#define ENTRY(name, word) &export_##name,
const struct exporter *const exporters[] = { EXPORTERS(ENTRY) NULL };

const struct exporter *exporters_find(const char *name)
{
	for (const struct exporter *const *exporter = exporters; *exporter; exporter++)
		if (!strcmp((*exporter)->name, name))
			return *exporter;
	return NULL;
}
