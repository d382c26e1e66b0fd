/* SPDX-License-Identifier: Apache-2.0 */
/* What an operator that multiplies matrices reads at least. */
#ifndef ANALYZE_STORE_MATRIX_BYTES_H
#define ANALYZE_STORE_MATRIX_BYTES_H

#include <stdint.h>

/* Of both matrices; -1: not known, or another operator. */
int64_t matrix_bytes(const char *op_type, const char *shapes);

#endif
