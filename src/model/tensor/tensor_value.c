// SPDX-License-Identifier: Apache-2.0
/*
 * Converts elements of tensors to numbers and back. One table describes all floats of 16 bits and less, since C has no
 * types for them. Every step is exact or rounded once, so results are the same on every machine.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/tensor/tensor.h"

/* The meaning of the highest codes. */
enum specials {
	IEEE,	   /* exponent of all ones: infinity, NaN */
	ONE_NAN,   /* no infinity; all ones is NaN */
	MINUS_NAN, /* no infinity and no -0, whose code is NaN */
	FINITE,
};

struct float_format {
	uint8_t exponent_bits, mantissa_bits, bias;
	bool is_unsigned;
	enum specials specials;
};

static const struct float_format formats[TENSOR_N_TYPES] = {
	[TENSOR_FLOAT16] = { 5, 10, 15, false, IEEE },	     [TENSOR_BFLOAT16] = { 8, 7, 127, false, IEEE },
	[TENSOR_FLOAT8E4M3FN] = { 4, 3, 7, false, ONE_NAN }, [TENSOR_FLOAT8E4M3FNUZ] = { 4, 3, 8, false, MINUS_NAN },
	[TENSOR_FLOAT8E5M2] = { 5, 2, 15, false, IEEE },     [TENSOR_FLOAT8E5M2FNUZ] = { 5, 2, 16, false, MINUS_NAN },
	[TENSOR_FLOAT4E2M1] = { 2, 1, 1, false, FINITE },    [TENSOR_FLOAT8E8M0] = { 8, 0, 127, true, ONE_NAN },
	[TENSOR_FLOAT6E2M3] = { 2, 3, 1, false, FINITE },    [TENSOR_FLOAT6E3M2] = { 3, 2, 3, false, FINITE },
};

/* All bits but the sign. */
static uint32_t all_ones(const struct float_format *format)
{
	return (1u << (format->exponent_bits + format->mantissa_bits)) - 1;
}

static uint32_t sign_bit(const struct float_format *format)
{
	return format->is_unsigned ? 0 : all_ones(format) + 1;
}

static uint32_t infinity_code(const struct float_format *format)
{
	return all_ones(format) & ~((1u << format->mantissa_bits) - 1);
}

static uint32_t largest_code(const struct float_format *format)
{
	if (format->specials == IEEE)
		return infinity_code(format) - 1;
	return all_ones(format) - (format->specials == ONE_NAN);
}

static bool code_is_nan(const struct float_format *format, uint32_t code, bool is_negative)
{
	if (format->specials == MINUS_NAN)
		return is_negative && !code;
	return code > largest_code(format) && !(format->specials == IEEE && code == infinity_code(format));
}

double tensor_float_from_bits(enum tensor_type type, uint32_t bits)
{
	const struct float_format *format = &formats[type];
	const uint32_t code = bits & all_ones(format), mantissa = code & ((1u << format->mantissa_bits) - 1);
	const bool is_negative = bits & sign_bit(format);
	int exponent = (int)(code >> format->mantissa_bits);
	double value;

	if (code_is_nan(format, code, is_negative))
		return NAN;
	if (code > largest_code(format))
		return is_negative ? -INFINITY : INFINITY;
	if (exponent || format->is_unsigned)
		value =
		    ldexp((1u << format->mantissa_bits) + mantissa, exponent - format->bias - format->mantissa_bits);
	else
		value = ldexp(mantissa, 1 - format->bias - format->mantissa_bits);
	return is_negative ? -value : value;
}

/* Formats that have only powers of two, without 0: a tie goes to the even code. */
static uint32_t power_code(const struct float_format *format, double value)
{
	int exponent;
	double half;

	if (!(value > ldexp(1, -format->bias)))
		return 0;
	half = frexp(value, &exponent);
	exponent += format->bias - 1;
	exponent += half > 0.75 || (half == 0.75 && exponent % 2);
	return exponent < (int)largest_code(format) ? (uint32_t)exponent : largest_code(format);
}

static uint32_t magnitude_code(const struct float_format *format, double magnitude)
{
	const int lowest = 1 - format->bias;
	int exponent;
	double steps;
	uint32_t code;

	if (!magnitude)
		return 0;
	frexp(magnitude, &exponent);
	exponent = exponent - 1 < lowest ? lowest : exponent - 1;
	if (exponent > format->bias + 1)
		return largest_code(format);
	/* In units of the last mantissa bit: a mantissa that overflows carries into the exponent. */
	steps = nearbyint(ldexp(magnitude, format->mantissa_bits - exponent));
	code = ((uint32_t)(exponent - lowest) << format->mantissa_bits) + (uint32_t)steps;
	return code < largest_code(format) ? code : largest_code(format);
}

uint32_t tensor_float_to_bits(enum tensor_type type, double value)
{
	const struct float_format *format = &formats[type];
	const uint32_t sign = signbit(value) ? sign_bit(format) : 0;
	uint32_t code;

	if (isnan(value)) {
		if (format->specials == FINITE)
			return 0;
		if (format->specials == MINUS_NAN)
			return sign_bit(format);
		/* IEEE: quiet */
		return format->specials == ONE_NAN || !format->mantissa_bits
			   ? all_ones(format)
			   : infinity_code(format) | 1u << (format->mantissa_bits - 1);
	}
	if (isinf(value) && format->specials == IEEE)
		return sign | infinity_code(format);
	if (format->is_unsigned)
		return isinf(value) && value > 0 ? largest_code(format) : power_code(format, value);
	code = isinf(value) ? largest_code(format) : magnitude_code(format, fabs(value));
	return code || format->specials != MINUS_NAN ? sign | code : 0;
}

/* Elements of less than a byte. */

static uint32_t packed_get(const uint8_t *data, uint32_t bits, size_t i)
{
	const size_t at = i * bits / 8;
	const uint32_t shift = i * bits % 8;
	uint32_t word = data[at];

	if (shift + bits > 8)
		word |= (uint32_t)data[at + 1] << 8;
	return word >> shift & ((1u << bits) - 1);
}

static void packed_put(uint8_t *data, uint32_t bits, size_t i, uint32_t value)
{
	const size_t at = i * bits / 8;
	const uint32_t shift = i * bits % 8, mask = ((1u << bits) - 1) << shift;

	value <<= shift;
	data[at] = (uint8_t)((data[at] & ~mask) | value);
	if (shift + bits > 8)
		data[at + 1] = (uint8_t)((data[at + 1] & ~(mask >> 8)) | value >> 8);
}

/* An element of at most 64 bits, in the low bits. */
static uint64_t load(const struct tensor *tensor, uint32_t bits, size_t i)
{
	const uint8_t *data = tensor->data;
	uint16_t word;
	uint32_t dword;
	uint64_t qword;

	switch (bits) {
	case 8:
		return data[i];
	case 16:
		memcpy(&word, data + i * 2, 2);
		return word;
	case 32:
		memcpy(&dword, data + i * 4, 4);
		return dword;
	case 64:
		memcpy(&qword, data + i * 8, 8);
		return qword;
	default:
		return packed_get(data, bits, i);
	}
}

static void save(struct tensor *tensor, uint32_t bits, size_t i, uint64_t value)
{
	uint8_t *data = tensor->data;

	switch (bits) {
	case 8:
		data[i] = (uint8_t)value;
		break;
	case 16:
		memcpy(data + i * 2, &(uint16_t){ (uint16_t)value }, 2);
		break;
	case 32:
		memcpy(data + i * 4, &(uint32_t){ (uint32_t)value }, 4);
		break;
	case 64:
		memcpy(data + i * 8, &value, 8);
		break;
	default:
		packed_put(data, bits, i, (uint32_t)value);
	}
}

static double float_of(enum tensor_type type, uint32_t bits, uint64_t code)
{
	float narrow;
	double wide;

	if (bits == 32) {
		memcpy(&narrow, &(uint32_t){ (uint32_t)code }, sizeof narrow);
		return (double)narrow;
	}
	if (bits == 64) {
		memcpy(&wide, &code, sizeof wide);
		return wide;
	}
	return tensor_float_from_bits(type, (uint32_t)code);
}

static uint64_t code_of_float(enum tensor_type type, uint32_t bits, double value)
{
	uint32_t dword;
	uint64_t qword;
	float narrow;

	if (bits == 32) {
		if (isfinite(value) && fabs(value) > (double)FLT_MAX)
			value = copysign((double)FLT_MAX, value);
		narrow = (float)value;
		memcpy(&dword, &narrow, sizeof dword);
		return dword;
	}
	if (bits == 64) {
		memcpy(&qword, &value, sizeof qword);
		return qword;
	}
	return tensor_float_to_bits(type, value);
}

int64_t tensor_get_int(const struct tensor *tensor, size_t i)
{
	const struct tensor_type_info *info = tensor_type_info(tensor->type);
	const uint32_t unused = 64 - info->bits;
	const uint64_t code = load(tensor, info->bits, i);

	return info->kind == TENSOR_KIND_INT ? (int64_t)(code << unused) >> unused : (int64_t)code;
}

double tensor_get(const struct tensor *tensor, size_t i, unsigned part)
{
	const struct tensor_type_info *info = tensor_type_info(tensor->type);

	switch (info->kind) {
	case TENSOR_KIND_FLOAT:
		return float_of(tensor->type, info->bits, load(tensor, info->bits, i));
	case TENSOR_KIND_COMPLEX:
		return float_of(tensor->type, info->bits / 2, load(tensor, info->bits / 2, 2 * i + part));
	case TENSOR_KIND_UINT:
		return (double)(uint64_t)tensor_get_int(tensor, i);
	default:
		return (double)tensor_get_int(tensor, i);
	}
}

static uint64_t int_code(const struct tensor_type_info *info, double value)
{
	/* The first value that is too large: doubles hold it exactly, unlike the largest 64-bit integers. */
	const double end =
	    info->kind == TENSOR_KIND_BOOL ? 2 : ldexp(1, (int)info->bits - (info->kind == TENSOR_KIND_INT));
	const double begin = info->kind == TENSOR_KIND_INT ? -end : 0;

	if (isnan(value))
		return 0;
	value = nearbyint(value);
	if (value >= end)
		return info->kind == TENSOR_KIND_BOOL
			   ? 1
			   : UINT64_MAX >> (64 - info->bits + (info->kind == TENSOR_KIND_INT));
	if (value < begin)
		value = begin;
	return info->kind == TENSOR_KIND_INT ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static uint64_t mask_of(uint32_t bits)
{
	return UINT64_MAX >> (64 - bits);
}

void tensor_put(struct tensor *tensor, size_t i, unsigned part, double value)
{
	const struct tensor_type_info *info = tensor_type_info(tensor->type);

	if (info->kind == TENSOR_KIND_FLOAT)
		save(tensor, info->bits, i, code_of_float(tensor->type, info->bits, value));
	else if (info->kind == TENSOR_KIND_COMPLEX)
		save(tensor, info->bits / 2, 2 * i + part, code_of_float(tensor->type, info->bits / 2, value));
	else
		save(tensor, info->bits, i, int_code(info, value) & mask_of(info->bits));
}

void tensor_put_int(struct tensor *tensor, size_t i, int64_t value)
{
	const uint32_t bits = tensor_type_info(tensor->type)->bits;

	save(tensor, bits, i, (uint64_t)value & mask_of(bits));
}

static void int_range(const struct tensor_type_info *info, double *low, double *high)
{
	const uint32_t bits = info->bits - (info->kind == TENSOR_KIND_INT);

	*low = info->kind == TENSOR_KIND_INT ? -ldexp(1, (int)bits) : 0;
	*high = info->kind == TENSOR_KIND_BOOL ? 1
		: bits > DBL_MANT_DIG	       ? nextafter(ldexp(1, (int)bits), 0)
					       : ldexp(1, (int)bits) - 1;
}

void tensor_type_range(enum tensor_type type, double *low, double *high)
{
	const struct tensor_type_info *info = tensor_type_info(type);

	if (info->kind != TENSOR_KIND_FLOAT && info->kind != TENSOR_KIND_COMPLEX) {
		int_range(info, low, high);
		return;
	}
	if (type == TENSOR_FLOAT || type == TENSOR_COMPLEX64)
		*high = (double)FLT_MAX;
	else if (type == TENSOR_DOUBLE || type == TENSOR_COMPLEX128)
		*high = DBL_MAX;
	else
		*high = tensor_float_from_bits(type, largest_code(&formats[type]));
	*low = formats[type].is_unsigned ? tensor_float_from_bits(type, 0) : -*high;
}
