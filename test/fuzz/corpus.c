// SPDX-License-Identifier: Apache-2.0
/*
 * corpus FILE...: feeds a fuzzer each file, the file truncated at many places, and the file with changed bytes, always
 * the same ones; a large file at fewer places. For machines without libFuzzer, and so that every test run includes
 * broken input. With INFTRACE_TEST_TURN=N a tenth of the places and bytes, which N chooses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/turn.h"
#include "fuzz.h"

enum { N_CUTS = 200, N_CHANGED = 1500, MAX_FED = 12 << 20, TURNS = 10 };

static uint32_t seed = 1;

static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* A copy of exact size, so that a sanitizer detects a read of the first byte behind it. */
static void feed(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void feed_broken(uint8_t *data, size_t size)
{
	uint8_t *original = malloc(size);
	size_t n_changed = MAX_FED / size < N_CHANGED ? MAX_FED / size : N_CHANGED;

	if (!original)
		abort();
	memcpy(original, data, size);
	for (size_t i = 0; i < N_CUTS; i++)
		if (is_in_turn(i, TURNS))
			feed(data, size * i / N_CUTS);
	for (size_t i = 0; i < n_changed; i++) {
		for (uint32_t n = 1 + next_random() % 4; n; n--)
			data[next_random() % size] = next_random() % 4 ? (uint8_t)next_random() : 0xff;
		if (is_in_turn(i, TURNS))
			feed(data, size);
		memcpy(data, original, size);
	}
	free(original);
}

static int feed_file(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *in = fopen(path, "rb");
	size_t size;

	if (!in) {
		fprintf(stderr, "cannot open %s\n", path);
		return 1;
	}
	size = fread(data, 1, sizeof data, in);
	fclose(in);
	feed(data, size);
	if (size)
		feed_broken(data, size);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = argc < 2;

	for (int i = 1; i < argc; i++)
		failed |= feed_file(argv[i]);
	return failed;
}
