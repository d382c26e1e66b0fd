/* SPDX-License-Identifier: Apache-2.0 */
/* For text_anchor.c and what reads a processor's code for it: text_anchor_x86.c, text_anchor_arm64.c. */
#ifndef RUNTIME_TEXT_ANCHOR_IN_H
#define RUNTIME_TEXT_ANCHOR_IN_H

#include "runtime/find/image.h"

/* The code at `address` computes `target`. */
typedef void text_anchor_look(void *context, uint64_t address, uint64_t target);

/* Calls `look` for each address that code in this segment computes. */
void text_anchor_scan(const struct image_segment *segment, text_anchor_look *look, void *context);

#endif
