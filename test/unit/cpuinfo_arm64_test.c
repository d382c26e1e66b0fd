// SPDX-License-Identifier: Apache-2.0
/* Names of aarch64 processors, out of the numbers that the kernel prints. */
#include <stdint.h>
#include <string.h>

#include "capture/proc/cpuinfo.h"
#include "cases.h"

#define CPU(number, implementer, part) \
	"processor\t: " number "\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: " implementer \
	"\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: " part "\nCPU revision\t: 1\n\n"

static const char *name_of(const char *text)
{
	static char name[128];

	cpuinfo_name(text, name, sizeof name);
	return name;
}

TEST(cpus_of_one_kind_are_named_once)
{
	assert_string_equal(name_of(CPU("0", "0x41", "0xd0c") CPU("1", "0x41", "0xd0c")), "Arm Neoverse N1");
}

TEST(each_kind_is_named)
{
	assert_string_equal(name_of(CPU("0", "0x41", "0xd05") CPU("1", "0x41", "0xd41") CPU("2", "0x41", "0xd05")),
			    "Arm Cortex-A55 + Arm Cortex-A78");
}

TEST(an_unknown_one_is_its_numbers)
{
	assert_string_equal(name_of(CPU("0", "0x99", "0x1")), "aarch64 processor 0x99:0x001");
}

TEST(a_text_that_is_cut_off_or_of_another_processor_has_no_name)
{
	assert_string_equal(name_of("processor\t: 0\nCPU implementer\t: 0x41\nCPU var"), "");
	assert_string_equal(name_of("processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu lm \n"), "");
	assert_false(cpuinfo_is_ours("processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu lm \n"));
	assert_true(cpuinfo_is_ours(CPU("0", "0x99", "0x1")));
}
