/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One fuzzer per parser: <parser>_fuzz.c with this function. Built twice: with libFuzzer (-Dfuzz=true, `make fuzz`),
 * which searches for new inputs, and always as a test (corpus.c), which feeds the files of test/data and broken
 * versions of them.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Parses data; crashes or aborts on an error. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
