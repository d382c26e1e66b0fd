// SPDX-License-Identifier: Apache-2.0
/* Every format that can be written, in the order in which lists show them. A new one is its file and a line in each
 * list. */
#include <string.h>

#include "trace/export/exporter.h"

extern const struct exporter export_perfetto;
extern const struct exporter export_chrome;

const struct exporter *const exporters[] = {
	&export_perfetto,
	&export_chrome,
	NULL,
};

const struct exporter *exporters_find(const char *name)
{
	for (const struct exporter *const *exporter = exporters; *exporter; exporter++)
		if (!strcmp((*exporter)->name, name))
			return *exporter;
	return NULL;
}
