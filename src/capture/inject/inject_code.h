/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes that are written into a target: a filled head and the code behind it (ferry_x86.S, ferry_arm64.S). */
#ifndef CAPTURE_INJECT_INJECT_CODE_H
#define CAPTURE_INJECT_INJECT_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "event/ferry.h"

/* Bytes of head and code, a multiple of 64. */
size_t inject_code_size(void);
/* Writes them to `to`. */
void inject_code_make(void *to, const struct ferry_head *head);
/* What the slot is to hold, seen from the head's address. */
uint64_t inject_code_trigger(uint64_t head, uint32_t slot);
bool inject_code_is_trigger(uint64_t head, uint64_t address);

#endif
