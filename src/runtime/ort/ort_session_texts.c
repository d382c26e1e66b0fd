// SPDX-License-Identifier: Apache-2.0
/*
 * Which text is which differs by version, but (1.14 to 1.31) the model's path comes first, before the session's
 * options, in which the prefix of profiles ("onnxruntime_profile_") comes right behind another path; the graph's name
 * lies a known distance before a text "model_loading_...".
 */
#include "runtime/ort/ort_session_texts.h"

#include <string.h>

enum { PATH_LIMIT = 368, PROFILE_LIMIT = 1024 };

const char *ort_texts_path(const struct ort_text *text, size_t n, bool is_old)
{
	uint32_t end = PATH_LIMIT;

	for (size_t i = 0; i < n; i++)
		if (text[i].offset < PROFILE_LIMIT && !strcmp(text[i].text, "onnxruntime_profile_"))
			end = text[i].offset - (is_old ? 16 : 64);
	for (size_t i = 0; i < n && text[i].offset < end; i++)
		if (strlen(text[i].text) > 2 && strpbrk(text[i].text, "./"))
			return text[i].text;
	return NULL;
}

uint32_t ort_texts_loading(const struct ort_text *text, size_t n)
{
	uint32_t loading = 0;

	for (size_t i = 0; i < n; i++)
		if (!strncmp(text[i].text, "model_loading_", 14))
			loading = text[i].offset;
	return loading;
}

const char *ort_texts_graph(const struct ort_text *text, size_t n, bool is_old)
{
	uint32_t loading = ort_texts_loading(text, n);

	for (size_t i = 0; i < n && loading; i++) {
		uint32_t distance = loading - text[i].offset;
		if (is_old ? distance == 304 : distance == 376 || distance == 328)
			return text[i].text;
	}
	return NULL;
}
