/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder that onnxruntime-genai loads: which ONNX file in it is the decoder, from genai_config.json. Needs no
 * onnxruntime-genai, and reads no tokenizer.
 */
#ifndef MODEL_RUN_GENAI_FOLDER_H
#define MODEL_RUN_GENAI_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct genai_folder {
	char model[PATH_MAX];	/* the decoder's file */
	int64_t context_length; /* tokens of prompt and output together; 0: not known */
	bool shares_buffer;	/* past and present are one buffer of full length */
};

/* Is the path a folder? Another kind of file, or none, is none. */
bool genai_folder_is(const char *path);

/* 0; or -errno and err: no such folder, or one whose decoder is not a single ONNX file. */
int genai_folder_read(struct genai_folder *to, const char *path, struct err *err);

/* The same of the text of genai_config.json, any bytes. to->model: the file's name. */
int genai_folder_parse(struct genai_folder *to, const char *text, size_t size, struct err *err);

#endif
