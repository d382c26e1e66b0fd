// SPDX-License-Identifier: Apache-2.0
/*
 * Texts of /proc/PID/fdinfo: names found are plain words of the text, counts are within bounds, and a last line without
 * its end changes nothing.
 */
#include "capture/source/device/fdinfo.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void require(bool claim)
{
	if (!claim)
		abort();
}

static void require_name(const uint8_t *data, size_t size, const char *name)
{
	size_t len = strnlen(name, FDINFO_NAME);

	require(len && len < FDINFO_NAME && memmem(data, size, name, len));
	for (size_t i = 0; i < len; i++)
		require(name[i] > ' ' && name[i] < 127);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fdinfo info, cut;
	bool is_one = fdinfo_parse((const char *)data, size, &info);

	require(info.n_engines <= FDINFO_ENGINES && info.n_regions <= FDINFO_REGIONS);
	require(is_one == (*info.driver != 0));
	if (is_one)
		require_name(data, size, info.driver);
	for (size_t i = 0; i < info.n_engines; i++) {
		require_name(data, size, info.engine[i].name);
		require(info.engine[i].capacity >= 1 && info.engine[i].capacity <= 1024);
		for (size_t other = 0; other < i; other++)
			require(strcmp(info.engine[i].name, info.engine[other].name) != 0);
	}
	for (size_t i = 0; i < info.n_regions; i++) {
		require_name(data, size, info.region[i].name);
		require(info.region[i].has_total || info.region[i].has_resident);
	}
	if (!size || data[size - 1] == '\n')
		return 0;
	fdinfo_parse((const char *)data, size - 1, &cut);
	require(!memcmp(&info, &cut, sizeof info));
	return 0;
}
