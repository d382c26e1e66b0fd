// SPDX-License-Identifier: Apache-2.0
/* Any bytes as code: nothing is read beyond them, and more bytes behind an instruction do not change it. */
#include "runtime/find/x86_insn.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t at = 0; at < size;) {
		struct x86_insn insn, exact;
		uint8_t *copy;
		if (!x86_insn_decode(&insn, data + at, size - at)) {
			at++;
			continue;
		}
		if (!insn.size || insn.size > 15 || insn.size > size - at)
			abort();
		copy = malloc(insn.size);
		if (!copy)
			abort();
		memcpy(copy, data + at, insn.size);
		if (!x86_insn_decode(&exact, copy, insn.size) || memcmp(&exact, &insn, sizeof insn))
			abort();
		if (x86_insn_decode(&exact, copy, insn.size - 1u))
			abort();
		free(copy);
		at += insn.size;
	}
	return 0;
}
