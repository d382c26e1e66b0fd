// SPDX-License-Identifier: Apache-2.0
/* A recording as one HTML page. */
#include <stdlib.h>

#include "show/html/html_model.h"

void html_recording(FILE *out, const struct report *report)
{
	html_begin(out, "inftrace");
	fputs("<main>", out);
	html_end(out);
}
