// SPDX-License-Identifier: Apache-2.0
/*
 * The kernel prints only numbers, of the implementer and of the part, for each CPU. CPUs of one machine may be of two
 * or three kinds; each is named once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/proc/cpuinfo.h"

static const struct part {
	unsigned implementer, part;
	const char *name;
} parts[] = {
	{ 0x41, 0xd03, "Arm Cortex-A53" },   { 0x41, 0xd04, "Arm Cortex-A35" },	  { 0x41, 0xd05, "Arm Cortex-A55" },
	{ 0x41, 0xd07, "Arm Cortex-A57" },   { 0x41, 0xd08, "Arm Cortex-A72" },	  { 0x41, 0xd09, "Arm Cortex-A73" },
	{ 0x41, 0xd0a, "Arm Cortex-A75" },   { 0x41, 0xd0b, "Arm Cortex-A76" },	  { 0x41, 0xd0c, "Arm Neoverse N1" },
	{ 0x41, 0xd0d, "Arm Cortex-A77" },   { 0x41, 0xd40, "Arm Neoverse V1" },  { 0x41, 0xd41, "Arm Cortex-A78" },
	{ 0x41, 0xd42, "Arm Cortex-A78AE" }, { 0x41, 0xd44, "Arm Cortex-X1" },	  { 0x41, 0xd46, "Arm Cortex-A510" },
	{ 0x41, 0xd47, "Arm Cortex-A710" },  { 0x41, 0xd48, "Arm Cortex-X2" },	  { 0x41, 0xd49, "Arm Neoverse N2" },
	{ 0x41, 0xd4d, "Arm Cortex-A715" },  { 0x41, 0xd4e, "Arm Cortex-X3" },	  { 0x41, 0xd4f, "Arm Neoverse V2" },
	{ 0x41, 0xd80, "Arm Cortex-A520" },  { 0x41, 0xd81, "Arm Cortex-A720" },  { 0x41, 0xd82, "Arm Cortex-X4" },
	{ 0x41, 0xd84, "Arm Neoverse V3" },  { 0x41, 0xd8e, "Arm Neoverse N3" },  { 0x46, 0x001, "Fujitsu A64FX" },
	{ 0x48, 0xd01, "HiSilicon TSV110" }, { 0x51, 0x001, "Qualcomm Oryon" },	  { 0x61, 0x022, "Apple M1 (small)" },
	{ 0x61, 0x023, "Apple M1 (large)" }, { 0x61, 0x032, "Apple M2 (small)" }, { 0x61, 0x033, "Apple M2 (large)" },
	{ 0xc0, 0xac3, "Ampere AmpereOne" }, { 0xc0, 0xac4, "Ampere AmpereOne" },
};

/* The number behind the key's next line; end: behind it. 0: there is no such line. */
static unsigned number_of(const char *text, const char *key, const char **end)
{
	const char *at = text ? strstr(text, key) : NULL;

	at = at ? strchr(at, ':') : NULL;
	*end = at;
	return at ? (unsigned)strtoul(at + 1, NULL, 0) : 0;
}

static void put(unsigned implementer, unsigned part, char *name, size_t size)
{
	char one[64];

	snprintf(one, sizeof one, "aarch64 processor 0x%02x:0x%03x", implementer, part);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].implementer == implementer && parts[i].part == part)
			snprintf(one, sizeof one, "%s", parts[i].name);
	if (!strstr(name, one) && strlen(name) + strlen(one) + 4 < size)
		strcat(strcat(name, *name ? " + " : ""), one);
}

void cpuinfo_name(const char *text, char *name, size_t size)
{
	const char *at = text;

	*name = 0;
	while (at) {
		unsigned implementer = number_of(at, "CPU implementer", &at), part = number_of(at, "CPU part", &at);
		if (at)
			put(implementer, part, name, size);
	}
}

bool cpuinfo_is_ours(const char *text)
{
	return strstr(text, "CPU implementer") && strstr(text, "CPU part");
}
