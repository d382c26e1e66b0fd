// SPDX-License-Identifier: Apache-2.0
#include "capture/decode/kernel_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

TEST(names_get_short)
{
	static const struct {
		const char *mangled, *shown;
	} names[] = {
		{ "_Z5plainPf", "plain" },
		{ "_ZN4test6kernelIfLi3EEEvPKT_Pf", "test::kernel<float, 3>" },
		{ "_ZN4test6kernelILin4ELb1EEEvv", "test::kernel<-4, true>" },
		{ "_Z6reduceIfdEvPKT_PT0_i", "reduce<float, double>" },
		{ "_ZN12_GLOBAL__N_16insideEPf", "(anonymous)::inside" },
		{ "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEENS_"
		  "6detail5ArrayIPcLi1EEEEEviT0_T1_",
		  "at::native::vectorized_elementwise_kernel<4, _::FillFunctor<float>, _::detail::Array<char*, 1>>" },
		{ "_ZN7cutlass6KernelIN3foo4BarsILi1ELi2EEEEEvNT_6ParamsE", "cutlass::Kernel<foo::Bars<1, 2>>" },
	};
	char text[KERNEL_NAME_MAX];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_true(kernel_name_shorten(names[i].mangled, text));
		assert_string_equal(text, names[i].shown);
	}
}

TEST(what_is_not_mangled_stays)
{
	static const char *const names[] = {
		"sm80_xmma_fprop_implicit_gemm", "_Z",	   "_ZN",    "_ZN4", "_ZN4tes", "", "_ZN4testI", "_ZN4testILi3",
		"_Z999999999999999999x",	 "_ZNIfE", "_ZN1aSE"
	};
	char text[KERNEL_NAME_MAX];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_false(kernel_name_shorten(names[i], text));
		assert_string_equal(text, names[i]);
	}
}

TEST(hostile_names_end)
{
	char name[5000], text[KERNEL_NAME_MAX];

	for (const char *part = "NIPFLXJDST1_E"; *part; part++) {
		memset(name, *part, sizeof name - 1);
		name[sizeof name - 1] = 0;
		memcpy(name, "_ZN1aI", 6);
		kernel_name_shorten(name, text);
		assert_true(strlen(text) < sizeof text);
	}
}
