// SPDX-License-Identifier: Apache-2.0
/* Checks options that say where a page goes. Opens no file. */
#include "cmd/record/page_file.h"

#include <string.h>

#include "base/opt.h"

int page_file_check_json(bool json, const char *format, struct err *err)
{
	return json && format && strcmp(format, "json")
		   ? opt_misused(err, "--json and --format %s contradict each other", format)
		   : 0;
}

bool page_file_is_named(const char *path)
{
	return path && strcmp(path, "-") != 0;
}
