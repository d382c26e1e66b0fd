/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors in files: numpy's .npy and .npz, and ONNX's TensorProto (.pb) with its folders of test data.
 * Reading trusts no byte; a file never makes us take much more memory than it has (deflated entries of an .npz: at most
 * 1 GiB, or 64 times the file when that is more). Messages name the file and, where it helps, the byte.
 */
#ifndef MODEL_TENSOR_TENSOR_FILE_H
#define MODEL_TENSOR_TENSOR_FILE_H

#include "model/tensor/tensor.h"

/* Tensors that came together. Starts zeroed. */
struct tensor_item {
	char *name;   /* "": the file says none */
	int position; /* of the input or output that the file is for; -1: known by its name alone */
	struct tensor tensor;
};

struct tensor_list {
	struct tensor_item *item;
	size_t n;
};

void tensor_list_done(struct tensor_list *list);
/* Takes the tensor, which is zeroed, also when it fails. name is copied. */
int tensor_list_take(struct tensor_list *list, const char *name, int position, struct tensor *tensor, struct err *err);

/*
 * Whatever the path is, by its content: an .npy (one item, no name, position 0), an .npz (names, no positions), a .pb
 * (one item, position 0) or a folder with input_0.pb, input_1.pb, ... The list must be empty; it stays so on errors.
 */
int tensor_file_read(const char *path, struct tensor_list *list, struct err *err);

/* numpy has no bfloat16, float8, float4, int4, int2: see tensor_npy_write. Strings of both kinds (U, S) are read. */
int tensor_npy_read(const char *path, struct tensor *tensor, struct err *err);
int tensor_npy_parse(const void *data, size_t size, struct tensor *tensor, struct err *err);
/*
 * Format version 1, in the machine's byte order. What numpy lacks is written as the raw unsigned integers of the same
 * number of bits; elements of less than a byte one to a byte: int4 and int2 as int8, uint4 and uint2 as uint8 with
 * their values, float4 and float6 as uint8 with their bits. Strings become U when all are UTF-8, else S; a 0 at the end
 * of one is lost, as in numpy. A file that could not be written whole is removed.
 */
int tensor_npy_write(const struct tensor *tensor, const char *path, struct err *err);
/*
 * Gives a tensor that was read from .npy the type that its reader knows it has: undoes what tensor_npy_write did for
 * types that numpy lacks (and what numpy itself does with those of the package ml_dtypes, which come as uint8 or
 * uint16). The type it already has is fine. -EINVAL: no such type is written like that; the tensor is as it was.
 */
int tensor_npy_retype(struct tensor *tensor, enum tensor_type type, struct err *err);

int tensor_npz_parse(const void *data, size_t size, struct tensor_list *list, struct err *err);

/*
 * A TensorProto with its data inside, as raw_data or in the field of its type. Sequences, optionals, maps, whole models
 * and data in other files are refused. *name, when name is not NULL, is the caller's to free; "" when the file says
 * none.
 */
int tensor_pb_read(const char *path, struct tensor *tensor, char **name, struct err *err);
int tensor_pb_parse(const void *data, size_t size, struct tensor *tensor, char **name, struct err *err);
/* folder/PREFIX_0.pb and so on, in their order; prefix is "input" or "output". -ENOENT: there is none. */
int tensor_pb_read_folder(const char *folder, const char *prefix, struct tensor_list *list, struct err *err);
/* How many folders test_data_set_0, test_data_set_1, ... lie in this one, without a gap. */
unsigned tensor_pb_count_sets(const char *folder);

/* For the readers. */

/* The bytes of a regular file; *data, never NULL on success, is the caller's to free. */
int tensor_file_load(const char *path, void **data, size_t *size, struct err *err);
/* Turns the bytes of every number around; strings and what has one byte or less stay. */
void tensor_file_swap(struct tensor *tensor);
/* Booleans become 0 or 1: in a file they can be any byte. */
void tensor_file_settle(struct tensor *tensor);
static inline bool tensor_file_is_big_endian_here(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

#endif
