// SPDX-License-Identifier: Apache-2.0
/*
 * Reads tensors of PyTorch: element type, dimensions, device. The tensor's object holds the address of its C++ part,
 * which points back at the object: the first tensor shows in which word. Behind that word come the dimensions, and then
 * the number of elements, which is their product: that is checked each time. What is unlike that is not read.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/torch/torch_in.h"
#include "runtime/find/dynamic.h"
#include "runtime/find/peek.h"
#include "runtime/torch/torch.h"

enum {
	FIRST_WORD = 2,	  /* of an object behind its head: the address of the C++ part, or a mark before it */
	WORDS_BEHIND = 2, /* words of a C++ part behind its owner */
	MOST_BEFORE = 12, /* words of it before that */
	INSIDE = 5,	  /* dimensions that lie in it; more lie elsewhere */
	DIMS = 1,	  /* words behind the owner: their number; then they, and as many strides */
	OFFSET = 12,	  /* and which element is the first of those that are kept, */
	ELEMENTS = 13,	  /* the number of elements */
	KIND = 14,	  /* and element type (2 bytes) and device (3 bytes) */
	MOST_TRIES = 64,
	TYPES = 8,
	COUNTED = 2, /* words of an object with a counter, which are followed by a second counter in some versions */
	LEAST_ADDRESS = 1 << 16, /* nothing is mapped below */
};

typedef bool requires_function(const void *part);
typedef const void *const *gradient_function(const void *part);

static struct python_type *tensor_type; /* torch.Tensor */
static int8_t at_word, owner;		/* 0: not known yet */
static uint32_t n_tries;
static requires_function *requires_gradient;
static gradient_function *gradient_of;
static const void *undefined;

/* Classes that were looked at. With the GIL. */
static struct seen {
	const struct python_type *type;
	bool is_tensor;
} seen[TYPES];

void torch_tensor_type(struct python_object *type)
{
	memset(seen, 0, sizeof seen);
	tensor_type = (struct python_type *)type;
}

static bool is_tensor(struct python_type *type)
{
	struct seen *at = &seen[((uintptr_t)type >> 4) % TYPES];

	if (!tensor_type)
		return false;
	if (at->type != type)
		*at = (struct seen){ type, type == tensor_type || python.PyType_IsSubtype(type, tensor_type) };
	return at->is_tensor;
}

static bool is_owner(uint64_t word, const struct python_object *object)
{
	return (word & ~(uint64_t)1) == (uint64_t)(uintptr_t)object; /* the lowest bit says who owns whom */
}

/* Finds out where tensors have what. With the GIL. */
static __attribute__((noinline)) bool learn(const struct python_object *object)
{
	uint64_t words[MOST_BEFORE];

	if (n_tries++ >= MOST_TRIES)
		return false;
	for (int word = FIRST_WORD; word < FIRST_WORD + 2; word++) {
		uint64_t part = ((const uint64_t *)object)[word];
		if (part < 4096 || part % 8 || !peek_read(part, words, sizeof words))
			continue;
		for (int i = 2; i < MOST_BEFORE; i++) {
			if (!is_owner(words[i], object))
				continue;
			__atomic_store_n(&owner, (int8_t)i, __ATOMIC_RELAXED);
			at_word = (int8_t)word;
			return true;
		}
	}
	return false;
}

/*
 * An optional device: a type, a number, -1 for none, and whether there is one, which libraries before C++17 put first.
 * Kinds of devices count from 0, the CPU, which has no number.
 */
static torch_device device_of(const int8_t *byte)
{
	bool is_behind = byte[2] == 1 && byte[0] >= 0 && byte[0] < TORCH_DEVICES;
	int kind = is_behind ? byte[0] : byte[1], number = is_behind ? byte[1] : byte[2];

	if ((!is_behind && byte[0] != 1) || kind < 0 || kind >= TORCH_DEVICES || number < -1)
		return 0;
	return (torch_device)((kind + 1) << 8 | (kind ? number + 1 : 0));
}

static const uint64_t *part_of(const struct python_object *object)
{
	const uint64_t *part;

	if (!is_tensor(object->type) || (!at_word && !learn(object)))
		return NULL;
	part = ((const uint64_t *const *)object)[at_word];
	return part && is_owner(part[owner], object) ? part + owner + 1 : NULL;
}

static bool read_behind(const uint64_t *behind, struct torch_tensor *to)
{
	int64_t elements = 1;

	if (behind[DIMS - 1] > SHAPE_DIMS)
		return false;
	to->n_dims = (uint32_t)behind[DIMS - 1];
	if (to->n_dims <= INSIDE)
		memcpy(to->dim, behind + DIMS, to->n_dims * sizeof *to->dim);
	else if (!peek_read(behind[DIMS], to->dim, to->n_dims * sizeof *to->dim))
		return false;
	for (uint32_t i = 0; i < to->n_dims; i++)
		elements *= to->dim[i];
	to->type = *(const uint16_t *)&behind[KIND - 1];
	to->device = device_of((const int8_t *)&behind[KIND - 1] + 2);
	return elements == (int64_t)behind[ELEMENTS - 1];
}

bool torch_tensor_read(const struct python_object *object, struct torch_tensor *to)
{
	const uint64_t *behind = part_of(object);

	return behind && read_behind(behind, to);
}

uintptr_t torch_tensor_part(const struct python_object *object)
{
	return part_of(object) ? ((const uintptr_t *)object)[at_word] : 0;
}

uintptr_t torch_tensor_elements(const struct python_object *object, size_t size)
{
	const uint64_t *behind = part_of(object), *part;
	uint64_t n = behind ? behind[DIMS - 1] : 0, kept[COUNTED + 2];
	int first;

	if (!n || n > INSIDE || object->type != tensor_type || behind[DIMS + INSIDE + n - 1] != 1)
		return 0;
	/* what keeps the elements is such an object, too, and begins with their address */
	part = (const uint64_t *)torch_tensor_part(object);
	first = part[COUNTED] < LEAST_ADDRESS ? COUNTED + 1 : COUNTED;
	if (!peek_read(part[first], kept, sizeof kept) || kept[first] < LEAST_ADDRESS)
		return 0;
	return kept[first] + behind[OFFSET - 1] * size;
}

bool torch_tensor_at(uint64_t part, struct torch_tensor *to)
{
	int8_t at = __atomic_load_n(&owner, __ATOMIC_RELAXED);

	return at && part >= LEAST_ADDRESS && !(part % 8) && read_behind((const uint64_t *)part + at + 1, to);
}

bool torch_tensors_are_known(void)
{
	return __atomic_load_n(&owner, __ATOMIC_RELAXED);
}

/* Element types of PyTorch as shape.h counts them; 0: others. */
static uint32_t type_of(uint16_t type)
{
	static const uint8_t known[] = { 2, 3, 5, 6, 7, 10, 1, 11, 0, 14, 15, 9, 0, 0, 0, 16 };

	return type < sizeof known ? known[type] : 0;
}

/* Where the number of elements is the product of dimensions, and type and device are some: in one place alone. */
bool torch_tensor_learn(uint64_t part)
{
	uint64_t words[MOST_BEFORE + KIND];
	struct torch_tensor tensor;
	int found = 0;

	if (torch_tensors_are_known())
		return true;
	if (part < LEAST_ADDRESS || part % 8 || !peek_read(part, words, sizeof words))
		return false;
	for (int i = 2; i < MOST_BEFORE; i++) {
		if (!words[i + DIMS] || !read_behind(words + i + 1, &tensor) || !tensor.device || !type_of(tensor.type))
			continue;
		if (found)
			return false;
		found = i;
	}
	if (found)
		__atomic_store_n(&owner, (int8_t)found, __ATOMIC_RELAXED);
	return found;
}

bool torch_tensor_peek(uint64_t part, struct torch_tensor *to, bool *is_there)
{
	int8_t at = __atomic_load_n(&owner, __ATOMIC_RELAXED);
	uint64_t words[MOST_BEFORE + 1 + KIND];

	*is_there = at && part >= LEAST_ADDRESS && !(part % 8) &&
		    peek_read(part, words, (size_t)(at + 1 + KIND) * sizeof *words);
	return *is_there && read_behind(words + at + 1, to);
}

void torch_shape_of(const struct torch_tensor *tensor, struct shape *to)
{
	to->type = type_of(tensor->type);
	to->n_dims = to->type ? tensor->n_dims : 0;
	memcpy(to->dim, tensor->dim, to->n_dims * sizeof *tensor->dim);
}

bool torch_tensor_requires_gradient(const struct python_object *object)
{
	return requires_gradient && part_of(object) && requires_gradient(((const void *const *)object)[at_word]);
}

bool torch_tensor_lacks_gradient(const struct python_object *object)
{
	const void *gradient;

	if (!undefined || !torch_tensor_requires_gradient(object))
		return false;
	gradient = *gradient_of(((const void *const *)object)[at_word]);
	return !gradient || gradient == undefined;
}

void torch_tensor_arm(const struct image *image)
{
	struct dynamic dynamic;
	uint64_t at;

	if (requires_gradient || !dynamic_read(&dynamic, image) || !(at = dynamic_function(&dynamic, TORCH_REQUIRES)))
		return;
	memcpy(&requires_gradient, &at, sizeof at);
	at = dynamic_function(&dynamic, TORCH_GRADIENT);
	memcpy(&gradient_of, &at, sizeof at);
	undefined = at ? (const void *)dynamic_variable(&dynamic, TORCH_UNDEFINED) : NULL;
}

uint32_t torch_device_text(torch_device device)
{
	static const char *const names[TORCH_DEVICES] = { "cpu", "cuda", "mkldnn",	 "opengl", "opencl", "ideep",
							  "hip", "fpga", "maia",	 "xla",	   "vulkan", "metal",
							  "xpu", "mps",	 "meta",	 "hpu",	   "ve",     "lazy",
							  "ipu", "mtia", "privateuseone" };
	unsigned number = device & 0xff;
	char text[24], *end;

	if (!device)
		return 0;
	end = stpcpy(text, names[(device >> 8) - 1]);
	if (number--) {
		*end++ = ':';
		if (number >= 10)
			*end++ = (char)('0' + number / 10 % 10);
		*end++ = (char)('0' + number % 10);
	}
	return dict_text(text, (size_t)(end - text));
}
