// SPDX-License-Identifier: Apache-2.0
/* Every format that can be read, in the order in which they are tried. A new one is its file and a line in each list.
 */
#include "trace/import/importer.h"

extern const struct importer import_perfetto;
extern const struct importer import_ort_profile;
extern const struct importer import_qnn_csv;

const struct importer *const importers[] = {
	&import_perfetto,
	&import_ort_profile,
	&import_qnn_csv,
	NULL,
};
