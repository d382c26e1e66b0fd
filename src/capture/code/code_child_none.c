// SPDX-License-Identifier: Apache-2.0
/* Built without libdw: nothing is known of any address. */
#include "capture/code/code_reader.h"

bool code_reader_is_built(void)
{
	return false;
}

void code_child(int socket)
{
}
