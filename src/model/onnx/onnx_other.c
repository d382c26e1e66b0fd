// SPDX-License-Identifier: Apache-2.0
/* Recognises, by their first bytes, files that are often mistaken for ONNX models. */
#include "model/onnx/onnx_other.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/text/utf8.h"

enum { ORT_AT = 4, ORT_LEN = 4 };

static const char ort[ORT_LEN + 1] = "ORTM"; /* the identifier of its flatbuffer */

static const struct {
	uint8_t offset, len;
	const char *bytes, *what;
} formats[] = {
	{ ORT_AT, ORT_LEN, ort,
	  "it is a model in ONNX Runtime's own format (.ort), not ONNX; pass the .onnx file that it was made from, "
	  "or run it without --dry-run" },
	{ 4, 4, "TFL3", "it is a TensorFlow Lite model, not ONNX; convert it, for example with tf2onnx" },
	{ 0, 4, "GGUF", "it is a GGUF model (llama.cpp), not ONNX; llama.cpp runs it with --tokens" },
	{ 0, 4, "PK\3\4",
	  "it is a ZIP archive (perhaps a PyTorch checkpoint), not ONNX; unpack it, or export the model as ONNX" },
	{ 0, 2, "\x1f\x8b", "it is compressed with gzip; unpack it first" },
	{ 0, 4, "\x28\xb5\x2f\xfd", "it is compressed with zstd; unpack it first" },
	{ 0, 8, "\x89HDF\r\n\x1a\n", "it is an HDF5 file (perhaps a Keras model), not ONNX; export the model as ONNX" },
	{ 0, 6, "\x93NUMPY", "it is a NumPy array, not a model" },
	{ 0, 2, "\x80\2", "it is a Python pickle (perhaps a PyTorch checkpoint), not ONNX; export the model as ONNX" },
	{ 0, 4,
	  "\x7f"
	  "ELF",
	  "it is a program or a library, not a model" },
	{ 0, 42, "version https://git-lfs.github.com/spec/v1",
	  "it is a Git LFS pointer, not the model itself; run: git lfs pull" },
};

/* Whether the beginning is printable text; a model begins with a byte below 32. */
static bool is_text(const uint8_t *data, size_t size)
{
	size_t n = size < 512 ? size : 512, broken = 0, len;

	for (size_t i = 0; i < n; i += len) {
		len = utf8_char_len((const char *)data + i, n - i, &broken);
		/* The last character may be cut off. */
		if (!len)
			return i + 4 > n && i && data[i] >= 0xc2;
		if (len == 1 && (data[i] < 32 || data[i] == 127) && (!data[i] || !strchr("\t\n\r\f", data[i])))
			return false;
	}
	return n;
}

const char *onnx_other_what(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		if (size >= (size_t)formats[i].offset + formats[i].len &&
		    !memcmp(data + formats[i].offset, formats[i].bytes, formats[i].len))
			return formats[i].what;
	}
	if (is_text(data, size))
		return "it is text, not an ONNX model; a model is a binary file, usually named *.onnx";
	return NULL;
}

static bool has_at(const char *path, off_t at, const char *expected)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char bytes[ORT_LEN];
	bool is_same = fd >= 0 && pread(fd, bytes, ORT_LEN, at) == ORT_LEN && !memcmp(bytes, expected, ORT_LEN);

	if (fd >= 0)
		close(fd);
	return is_same;
}

bool onnx_other_is_ort(const char *path)
{
	return has_at(path, ORT_AT, ort);
}

bool onnx_other_is_gguf(const char *path)
{
	return has_at(path, 0, "GGUF");
}
