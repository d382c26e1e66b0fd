// SPDX-License-Identifier: Apache-2.0
/* marks_test.c with the code for processors without SSE2. */
#undef __SSE2__
#include "marks_test.c"
