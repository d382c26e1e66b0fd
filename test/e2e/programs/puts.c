/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

int main(int argc, char **argv)
{
	return puts(argv[argc - 1]) < 0;
}
