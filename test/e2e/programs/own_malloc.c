/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose malloc takes the place of the C library's, as other allocators do. */
#include <stddef.h>

void *__libc_malloc(size_t bytes);

void *malloc(size_t bytes)
{
	return __libc_malloc(bytes);
}
