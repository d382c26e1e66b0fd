/* SPDX-License-Identifier: Apache-2.0 */
/* A program without a runtime, linked dynamically and statically. */
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	printf("plain %d\n", argc);
	return argc > 1 ? 5 : 0;
}
