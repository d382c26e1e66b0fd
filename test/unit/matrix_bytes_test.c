// SPDX-License-Identifier: Apache-2.0
/* Bytes of the matrices of an operator. */
#include "analyze/store/matrix_bytes.h"

#include <stdint.h>

#include "cases.h"

TEST(matrices_are_counted_by_their_types)
{
	assert_int_equal(matrix_bytes("mul_mat", "f32[64x64],f32[64]"), 64 * 64 * 4 + 64 * 4);
	assert_int_equal(matrix_bytes("mul_mat", "q4_0[128x320],f32[128x8]"), 128 * 320 / 32 * 18 + 128 * 8 * 4);
	assert_int_equal(matrix_bytes("mul_mat", "q6_K[256x2x3],f16[256]"), 6 * 210 + 512);
}

TEST(what_is_not_known_is_not_counted)
{
	static const char *const shapes[] = { "",
					      "f32[64]",
					      "f32[64],",
					      "f32[64],f32[64],f32[64]",
					      "float32[64],f32[64]",
					      "f32[64],q9[64]",
					      "f32[6x],f32[64]",
					      "f32[64],f32[64",
					      "f32,f32",
					      "f32[99999999999x99999999999],f32[64]" };

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		assert_int_equal(matrix_bytes("mul_mat", shapes[i]), -1);
	assert_int_equal(matrix_bytes("get_rows", "f32[64x64],f32[64]"), -1);
}
