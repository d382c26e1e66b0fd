/* SPDX-License-Identifier: Apache-2.0 */
/* A library that uses onnxruntime-genai, as a plugin of a program that does. */
#include <stddef.h>

/* weak: it is loaded without the library */
__attribute__((weak)) void *OgaGenerator_GenerateNextToken(void *generator);

void *plugin_next(void *generator)
{
	return generator ? OgaGenerator_GenerateNextToken(generator) : NULL;
}
