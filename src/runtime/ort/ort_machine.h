/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ort.c and ort_borders.c recognise in the machine code of ONNX Runtime: ort_machine_x86.c or ort_machine_arm64.c.
 * Each function answers one question about a few bytes of code; which function of the runtime they are is the caller's.
 */
#ifndef RUNTIME_ORT_MACHINE_H
#define RUNTIME_ORT_MACHINE_H

#include "runtime/find/image.h"

enum { ORT_MACHINE_CODE = 60, ORT_MACHINE_PAD = 4 }; /* bytes that `code` has; length of a landing pad */

/* A landing pad, which may come before a function's first instruction. */
bool ort_machine_is_pad(const uint8_t *code);

/* Returns a 32-bit field of its object, or the address of a field. */
bool ort_machine_returns_field(const uint8_t *code);
bool ort_machine_returns_address_of_field(const uint8_t *code);
/* Sign-extends its second argument behind the object. */
bool ort_machine_extends_third(const uint8_t *code);
/* Stores false through the last argument of UseSharedPrePackedBuffers. */
bool ort_machine_stores_false(const uint8_t *code);
/* Calls the third function in its object's table. */
bool ort_machine_calls_third(const uint8_t *code);
/* Stores false through the argument is_packed of PrePack. */
bool ort_machine_stores_not_packed(const struct image *image, uint64_t function);

/* The address that the function returns and does nothing else; 0: it does. */
uint64_t ort_machine_returned_address(const struct image *image, uint64_t function);
/* GetApi(v) compares v - 1 with minor - 1, then takes the table's address: returns that address, or 0. */
uint64_t ort_machine_table_of(const struct image *image, uint64_t function, int minor);
/* Whether it compares like a GetApi. Up to 1.7 some take the table's address first, and their table is not used. */
bool ort_machine_is_get_api(const struct image *image, uint64_t function, int minor);

#endif
