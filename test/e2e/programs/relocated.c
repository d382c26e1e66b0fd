/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose relocated data takes a while to search for classes: each pair may be a class's. */
#define TEN(x) x, x, x, x, x, x, x, x, x, x

struct pair {
	const void *vptr;
	const char *name;
};

extern const struct pair pairs[];
const char weight[100] = NAME;
#define PAIR { pairs, weight }
const struct pair pairs[] = { TEN(TEN(TEN(PAIR))), TEN(TEN(TEN(PAIR))) };
