/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tensor in memory: element type, dimensions, bytes. Reads and writes its values as numbers, fills it from a seed,
 * compares two. Knows no files (model/tensor/tensor_file.h) and nothing of the runtime except ONNX Runtime's numbers
 * for types.
 *
 * Elements lie row by row (the last dimension runs fastest), in the machine's byte order. Elements of less than a byte
 * are packed as in ONNX and ONNX Runtime: a stream of bits, the first element in the lowest bits, across rows.
 *
 * No shared state: one tensor, one thread at a time. Functions that can fail return 0 or -errno and fill err; after a
 * failure the tensor is zeroed, so that tensor_done is always safe.
 */
#ifndef MODEL_TENSOR_TENSOR_H
#define MODEL_TENSOR_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * The numbers of TensorProto.DataType in onnx.proto. ONNXTensorElementDataType of ONNX Runtime differs in three: UINT2
 * is 24, INT2 25 and FLOAT8E8M0 26. Convert with tensor_type_to_ort and tensor_type_from_ort.
 */
enum tensor_type {
	TENSOR_UNDEFINED,
	TENSOR_FLOAT,
	TENSOR_UINT8,
	TENSOR_INT8,
	TENSOR_UINT16,
	TENSOR_INT16,
	TENSOR_INT32,
	TENSOR_INT64,
	TENSOR_STRING,
	TENSOR_BOOL,
	TENSOR_FLOAT16,
	TENSOR_DOUBLE,
	TENSOR_UINT32,
	TENSOR_UINT64,
	TENSOR_COMPLEX64,
	TENSOR_COMPLEX128,
	TENSOR_BFLOAT16,
	TENSOR_FLOAT8E4M3FN,
	TENSOR_FLOAT8E4M3FNUZ,
	TENSOR_FLOAT8E5M2,
	TENSOR_FLOAT8E5M2FNUZ,
	TENSOR_UINT4,
	TENSOR_INT4,
	TENSOR_FLOAT4E2M1,
	TENSOR_FLOAT8E8M0,
	TENSOR_UINT2,
	TENSOR_INT2,
	TENSOR_FLOAT6E2M3,
	TENSOR_FLOAT6E3M2,
	TENSOR_N_TYPES,
};

enum tensor_kind {
	TENSOR_KIND_NONE,
	TENSOR_KIND_BOOL,
	TENSOR_KIND_UINT,
	TENSOR_KIND_INT,
	TENSOR_KIND_FLOAT,
	TENSOR_KIND_COMPLEX, /* two floats: real, imaginary */
	TENSOR_KIND_STRING,
};

struct tensor_type_info {
	const char *name; /* "float32", "int64", "bfloat16" */
	enum tensor_kind kind;
	uint32_t bits; /* of one element: 2 to 128; 0: strings, whose size varies */
};

/* NULL: an unknown type, or TENSOR_UNDEFINED. Accepts any number. */
const struct tensor_type_info *tensor_type_info(int64_t type);
/* "?" for unknown types. */
const char *tensor_type_name(int64_t type);
/* Convert from and to ONNXTensorElementDataType; TENSOR_UNDEFINED or 0 for types that the other side lacks. */
enum tensor_type tensor_type_from_ort(int ort_type);
int tensor_type_to_ort(enum tensor_type type);

enum { TENSOR_MAX_DIMS = 64 };

struct tensor {
	enum tensor_type type;
	uint32_t n_dims; /* 0: a scalar, which has one element */
	int64_t dims[TENSOR_MAX_DIMS];
	size_t n_elements; /* the product of the dimensions: 0 when one of them is 0 */
	size_t size_bytes; /* of data; 0 for strings */
	void *data;	   /* NULL for strings, else never NULL */
	/*
	 * TENSOR_STRING: n_elements texts, each followed by a NUL that string_bytes does not count; texts may contain
	 * others.
	 */
	const char **strings;
	size_t *string_bytes;
	void *own; /* freed by tensor_done; NULL: data is borrowed */
};

/* Elements and bytes of a shape. -EOVERFLOW: larger than any memory; -EINVAL: no type, too many or negative dims. */
int tensor_measure(enum tensor_type type, const int64_t *dims, size_t n_dims, size_t *n_elements, size_t *size_bytes,
		   struct err *err);
/*
 * A tensor of zeros (strings: empty ones), aligned to 64 bytes, padded to 64. Ignores the former content of *tensor.
 * dims may be NULL when n_dims is 0. -ENOMEM: out of memory.
 */
int tensor_alloc(struct tensor *tensor, enum tensor_type type, const int64_t *dims, size_t n_dims, struct err *err);
/*
 * A tensor over bytes that the caller owns. They must outlive the tensor and have exactly the size of the shape. Not
 * for strings.
 */
struct tensor_bytes {
	void *data;
	size_t size_bytes;
};
int tensor_borrow(struct tensor *tensor, enum tensor_type type, const int64_t *dims, size_t n_dims,
		  const struct tensor_bytes *bytes, struct err *err);
/* Strings one after the other: element i begins at start[i] and ends where the next one begins, the last at n_bytes. */
struct tensor_texts {
	const char *bytes;
	size_t n_bytes;
	const size_t *start; /* n_elements; not descending, none beyond n_bytes */
};
/* A tensor of strings, copied from texts in ONNX Runtime's form. */
int tensor_alloc_strings(struct tensor *tensor, const int64_t *dims, size_t n_dims, const struct tensor_texts *texts,
			 struct err *err);
/* Frees the tensor's memory and zeroes it. A zeroed tensor is fine. */
void tensor_done(struct tensor *tensor);
bool tensor_same_shape(const struct tensor *a, const struct tensor *b);
/* "float32[1,3,224,224]", "int64[]"; cut to fit. Returns text. */
const char *tensor_describe(const struct tensor *tensor, char *text, size_t size);

/* Access to values as numbers. */

/*
 * Element i, exact except for integers beyond 2^53, which are rounded. part: 0, or 1 for the imaginary part. Not for
 * strings.
 */
double tensor_get(const struct tensor *tensor, size_t i, unsigned part);
/*
 * Rounds to the nearest value of the type, ties to even. A value beyond the range becomes the largest (smallest) finite
 * number, and so does an infinity that the type lacks; NaN stays NaN, or becomes 0 in types without it.
 */
void tensor_put(struct tensor *tensor, size_t i, unsigned part, double value);
/*
 * Integers and booleans, exact: unsigned ones beyond INT64_MAX are returned as negative numbers; putting takes the low
 * bits. Floats: their bits.
 */
int64_t tensor_get_int(const struct tensor *tensor, size_t i);
void tensor_put_int(struct tensor *tensor, size_t i, int64_t value);
/* Like tensor_get and tensor_put, for one float of at most 16 bits. */
double tensor_float_from_bits(enum tensor_type type, uint32_t bits);
uint32_t tensor_float_to_bits(enum tensor_type type, double value);
/* The smallest and the largest finite number; integers beyond 2^53 are rounded towards zero. Not for strings. */
void tensor_type_range(enum tensor_type type, double *low, double *high);

/* Generated values. */

enum tensor_fill_kind {
	TENSOR_FILL_UNIFORM, /* floats: [low, high), then rounded to the type; integers: both ends included */
	TENSOR_FILL_NORMAL,  /* mean in the middle of low and high, which lie six standard deviations away */
	TENSOR_FILL_ZEROS,
	TENSOR_FILL_ONES,
};

/*
 * Defaults without a range: floats -1 to 1 (normal: -6 to 6, deviation 1); int32, int64, uint32, uint64: 0 or 1,
 * because most are indices or masks; uint8: 0 to 255, because most are images; other integers: 0 to 127 or their
 * largest.
 */
struct tensor_fill {
	uint64_t seed;
	enum tensor_fill_kind kind;
	bool has_range;
	double low, high; /* finite, low <= high */
};

/*
 * The same seed, name, type and number of elements give the same bytes on every machine, whatever was filled before.
 * Never NaN or infinite. Booleans are 0 or 1; float8e8m0, which has no sign, takes the absolute value; strings become
 * short words. name may be NULL. -ERANGE: the type does not have this range.
 */
int tensor_fill(struct tensor *tensor, const struct tensor_fill *fill, const char *name, struct err *err);

/* Comparison of two tensors. */

/* A float element is off when |actual - expected| > absolute + relative * |expected|. */
struct tensor_tolerance {
	double absolute, relative;
};

struct tensor_diff {
	bool is_comparable; /* same type and shape; false: only `why` is valid */
	char why[200];	    /* what differs in type or shape: "the type: float32, not float16"; else "" */
	size_t n_elements;
	size_t n_off;			  /* beyond the tolerance; integers, booleans, strings: all that differ */
	size_t first_off;		  /* index of the first of them; n_elements: none */
	size_t n_one_nan, n_one_infinite; /* NaN or infinite in only one of the two, or infinities of both signs: all
					   * off */
	/* The rest covers elements that are finite in both, never strings. n_finite 0: not valid. */
	size_t n_finite;
	double max_abs;
	size_t max_abs_index;
	size_t n_relative; /* finite ones whose expected value is not 0; 0: max_rel is not valid */
	double max_rel;	   /* |actual - expected| / |expected| */
	double cosine;	   /* cosine similarity of the two as vectors, -1 to 1; NaN: one of them is all zeros */
};

/* Suitable tolerances for comparing two correct implementations of the type. 0 and 0 for exact types. */
struct tensor_tolerance tensor_default_tolerance(enum tensor_type type);
/* Whether actual equals expected within the tolerance; *diff describes the difference. */
bool tensor_compare(const struct tensor *expected, const struct tensor *actual, struct tensor_tolerance tolerance,
		    struct tensor_diff *diff);
/* The position of element `index`: "[0,3,17]". Returns text. */
const char *tensor_place(const struct tensor *tensor, size_t index, char *text, size_t size);

#endif
