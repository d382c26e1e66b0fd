/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes tensors in files: numpy's .npy and .npz, and ONNX's TensorProto (.pb) with its folders of test data.
 * Readers trust no byte. They never allocate much more memory than the size of the file (deflated entries of an .npz:
 * at most 1 GiB, or 64 times the file if that is more). Messages name the file and, where it helps, the byte.
 */
#ifndef MODEL_TENSOR_TENSOR_FILE_H
#define MODEL_TENSOR_TENSOR_FILE_H

#include "model/tensor/tensor.h"

/* Tensors of one file or folder. Starts zeroed. */
struct tensor_item {
	char *name;   /* "": the file gives none */
	int position; /* index of the input or output that the file is for; -1: known only by its name */
	struct tensor tensor;
};

struct tensor_list {
	struct tensor_item *item;
	size_t n;
};

void tensor_list_done(struct tensor_list *list);
/* Takes over the tensor and zeroes it, also on failure. Copies name. */
int tensor_list_take(struct tensor_list *list, const char *name, int position, struct tensor *tensor, struct err *err);

/*
 * Detects the format by content: an .npy (one item, no name, position 0), an .npz (names, no positions), a .pb (one
 * item, position 0) or a folder with input_0.pb, input_1.pb, ... The list must be empty; it stays so on errors.
 */
int tensor_file_read(const char *path, struct tensor_list *list, struct err *err);

/* numpy has no bfloat16, float8, float4, int4, int2: see tensor_npy_write. Strings of both kinds (U, S) are read. */
int tensor_npy_read(const char *path, struct tensor *tensor, struct err *err);
int tensor_npy_parse(const void *data, size_t size, struct tensor *tensor, struct err *err);
/*
 * Format version 1, in the machine's byte order. Types that numpy lacks are written as raw unsigned integers of the
 * same number of bits; elements of less than a byte take one byte each: int4 and int2 as int8, uint4 and uint2 as uint8
 * with their values, float4 and float6 as uint8 with their bits. Strings become U when all are UTF-8, else S; a
 * trailing 0 is lost, as in numpy. A file that could not be written completely is removed.
 */
int tensor_npy_write(const struct tensor *tensor, const char *path, struct err *err);
/*
 * Restores the type of a tensor read from .npy, when the caller knows it: undoes the conversion of tensor_npy_write for
 * types that numpy lacks (and numpy's own for those of the package ml_dtypes, which are stored as uint8 or uint16). The
 * type that it already has is fine. -EINVAL: that type is never written like this; the tensor is unchanged.
 */
int tensor_npy_retype(struct tensor *tensor, enum tensor_type type, struct err *err);

int tensor_npz_parse(const void *data, size_t size, struct tensor_list *list, struct err *err);

/*
 * A TensorProto with its data inside, as raw_data or in the field of its type. Rejects sequences, optionals, maps,
 * whole models and data in other files. The caller frees *name (name may be NULL); "" when the file gives none.
 */
int tensor_pb_read(const char *path, struct tensor *tensor, char **name, struct err *err);
int tensor_pb_parse(const void *data, size_t size, struct tensor *tensor, char **name, struct err *err);
/* Reads folder/PREFIX_0.pb and so on, in order; prefix is "input" or "output". -ENOENT: there is none. */
int tensor_pb_read_folder(const char *folder, const char *prefix, struct tensor_list *list, struct err *err);
/* The number of folders test_data_set_0, test_data_set_1, ... in this one, without a gap. */
unsigned tensor_pb_count_sets(const char *folder);

/* For readers of a format. */

/* The bytes of a regular file; *data, never NULL on success, is freed by the caller. */
int tensor_file_load(const char *path, void **data, size_t *size, struct err *err);
/* Swaps the bytes of every number; strings and elements of one byte or less stay. */
void tensor_file_swap(struct tensor *tensor);
/* Normalises booleans to 0 or 1: in a file they can be any byte. */
void tensor_file_settle(struct tensor *tensor);
static inline bool tensor_file_is_big_endian_here(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

#endif
