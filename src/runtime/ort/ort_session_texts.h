/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the texts in a session's object name its model, where nothing else does. */
#ifndef RUNTIME_ORT_ORT_SESSION_TEXTS_H
#define RUNTIME_ORT_ORT_SESSION_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A std::string of the object; offset: in bytes from its begin. */
struct ort_text {
	uint32_t offset;
	const char *text;
};

/* Both take texts in the order of their offsets; is_old: the ABI of the C++ library before 5. */
/* The model's path; NULL: it was made from bytes. */
const char *ort_texts_path(const struct ort_text *text, size_t n, bool is_old);
/* What the model's graph is called; NULL: not found. */
const char *ort_texts_graph(const struct ort_text *text, size_t n, bool is_old);
/* The offset of the text that tells what the model was loaded from; 0: not found. */
uint32_t ort_texts_loading(const struct ort_text *text, size_t n);

#endif
