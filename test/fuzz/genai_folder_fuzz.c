// SPDX-License-Identifier: Apache-2.0
/* genai_config.json: any bytes. What is accepted names a file, and has no negative length. */
#include "model/run/genai_folder.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct genai_folder folder;
	struct err err = { 0 };

	if (!genai_folder_parse(&folder, (const char *)data, size, &err)) {
		if (!*folder.model || strlen(folder.model) >= sizeof folder.model || folder.context_length < 0)
			abort();
	} else if (!err.code || !*err.msg) {
		abort();
	}
	return 0;
}
