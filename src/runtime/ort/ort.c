// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the slots of ONNX Runtime's virtual functions in two independent ways that must agree.
 *
 * By version: a table, read from 36 wheels and 12 Node packages, 1.14 to 1.31.
 *
 * By shape: most virtual functions of a base class have trivial bodies, and the sequence of these bodies is a
 * fingerprint. Letters are those of trivial_body.h, and K is PrePack's default (stores false through its last
 * argument). In CPUExecutionProvider exactly one place reads
 * 0SSSS?00S: at z it starts with GetExecutionHandle, then Sync z+1, OnRunStart z+2, OnRunEnd z+3. For a version newer
 * than the table the shape alone decides.
 *
 * The OrtApi table is the one that GetApi returns. OrtApiBase is a pair of functions: GetVersionString (returns the
 * address of "1.<minor>.<patch>") and GetApi (compares with minor - 1, then takes the address of the table).
 */
#include "runtime/ort/ort.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "runtime/find/trivial_body.h"
#include "runtime/ort/ort_borders.h"
#include "runtime/ort/ort_machine.h"

enum { SHAPE = 48, NEWEST = 31, MOST_RELRO = 4 << 20 };

/* Telemetry's slots by the number of slots: patch releases differ inside 1.24. */
static const struct {
	int8_t n_slots, first_minor, last_minor, first, load, error;
} by_telemetry[] = {
	/* first: LogSessionCreationStart; EvaluationStop, EvaluationStart and SessionCreation follow it */
	{ 13, 7, 16, 6, -1, 10 },  { 16, 17, 22, 9, -1, 13 }, { 19, 23, 23, 9, -1, 13 }, { 21, 24, 24, 9, -1, 15 },
	{ 27, 24, 26, 9, 21, 15 }, { 28, 27, 27, 9, 22, 15 }, { 29, 28, 99, 9, 23, 15 },
};

static char body(const struct image *image, uint64_t function)
{
	char letter = trivial_body(image, function);

	return letter == '.' && ort_machine_stores_not_packed(image, function) ? 'K' : letter;
}

/* The shape of the first table of a class (or of the first class derived from it); "" if there is none. */
static void shape_of(struct rtti *rtti, const char *class_name, char shape[SHAPE + 1])
{
	struct rtti_vtable *vtable;
	size_t n = rtti_derived(rtti, class_name, &vtable);
	int i = 0;

	for (; n && i < SHAPE; i++) {
		uint64_t function = image_word(rtti->image, vtable[0].slots + 8 * (uint64_t)i);
		if (!function || !image_has(rtti->image, function, IMAGE_X)) /* in a file, code may begin at 0 */
			break;
		shape[i] = body(rtti->image, function);
	}
	shape[i] = 0;
}

static void leave_out(struct runtime_found *ort, enum ort_family family, const char *why)
{
	size_t used = strlen(ort->left_out);

	ort->slot[family] = -1;
	snprintf(ort->left_out + used, sizeof ort->left_out - used, "%s%s (%s)", used ? "; " : "",
		 ort_families[family].name, why);
}

/* The slot by table and by shape, if they agree or only one of them is known; else leaves the family out. */
static void settle(struct runtime_found *ort, enum ort_family family, int shape)
{
	int table = runtimes_slot(&ort_families[family], ort->minor);
	int before = runtimes_slot(&ort_families[family], ort->minor - 1);
	char why[80];

	ort->slot[family] = -1;
	if (shape >= 0 && shape == before) /* a nightly build bears the version that it leads to */
		table = before;
	if (ort->minor > NEWEST || table < 0) {
		ort->slot[family] = shape;
		if (shape < 0)
			leave_out(ort, family, "not recognised in this version");
	} else if (table == shape) {
		ort->slot[family] = table;
	} else {
		snprintf(why, sizeof why, "slot %d by version, %d by code", table, shape);
		leave_out(ort, family, why);
	}
}

/* The slot of GetExecutionHandle: the one match of 0SSSS?00S, in 1.7 to 1.10 of 0SSSS. -1: none or several. */
static int find_execution_handle(const char *shape, bool is_old)
{
	int found = -1;

	for (int i = 0; shape[i]; i++) {
		const char *at = shape + i;
		if (strncmp(at, "0SSS", 4))
			continue;
		at += !is_old && at[4] == 'S' ? 5 : 4;
		if (strncmp(at, is_old ? "S" : "00S", is_old ? 1 : 3))
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

/*
 * The slot of OnSessionInitializationEnd. In 1.7 to 1.10 it follows OnRunEnd. GetFusionStyle follows it, in 1.11
 * to 1.13 SetComputeStream and GetComputeStream, which returns null. -1: none.
 */
static int find_session_ready(const char *shape, int z, bool is_old)
{
	const char *at = shape + z + 4, *one;

	if (z < 0 || is_old)
		return z < 0 ? -1 : z + 4;
	at += strncmp(at, "00S", 3) ? 0 : 3;
	if (!strncmp(at, "SS0", 3))
		return (int)(at - shape);
	one = strchr(at, '1');
	return one && one[-1] == 'S' ? (int)(one - shape) - 1 : -1;
}

static void find_provider_slots(struct runtime_found *ort, struct rtti *rtti)
{
	char shape[SHAPE + 1], transpose[SHAPE + 1];
	bool is_old = ort->minor >= 7 && ort->minor < 11;
	int z, one, prepack, capability;
	const char *k;

	shape_of(rtti, ORT_CPU_CLASS, shape);
	z = find_execution_handle(shape, is_old);
	one = z < 0 || !strchr(shape + z, '1') ? -1 : (int)(strchr(shape + z, '1') - shape);
	settle(ort, ORT_RUN_START, z < 0 ? -1 : z + 2);
	settle(ort, ORT_RUN_END, z < 0 ? -1 : z + 3);
	capability = z < 6 ? -1 : shape[z - 1] == 'V' ? z - 5 : z - 4;
	settle(ort, ORT_GET_CAPABILITY, capability);
	settle(ort, ORT_KERNEL_REGISTRY, capability < 0 ? -1 : capability + 1);
	settle(ort, ORT_SESSION_READY, find_session_ready(shape, z, is_old));
	settle(ort, ORT_COMPILE, one < 0 ? -1 : one + 1);
	shape_of(rtti, "N11onnxruntime9TransposeE", transpose);
	k = strchr(transpose, 'K');
	prepack = k ? (int)(k - transpose) : -1;
	settle(ort, ORT_PREPACK, prepack);
}

/* A function whose class is not in the module is not called: nothing is left out. */
static void find_border_slots(struct runtime_found *ort, struct rtti *rtti)
{
	static const enum ort_family families[N_BORDERS] = {
		[BORDER_PLAN_VALUE] = ORT_PLAN_VALUE,
		[BORDER_PLAN] = ORT_PLAN,
		[BORDER_WEIGHTS] = ORT_WEIGHTS,
		[BORDER_WEIGHT] = ORT_WEIGHT,
		[BORDER_READ] = ORT_READ,
		[BORDER_KERNEL_TYPES] = ORT_KERNEL_TYPES,
		[BORDER_SHARE] = ORT_SHARE_PACKED,
		[BORDER_ALLOC] = ORT_ALLOC,
		[BORDER_STREAM] = ORT_ALLOC_ON_STREAM,
		[BORDER_FREE] = ORT_FREE,
		[BORDER_RESERVE] = ORT_RESERVE,
		[BORDER_DELETE] = ORT_ALLOCATOR_DELETE,
	};
	int slot[N_BORDERS];

	ort_borders_find(rtti, slot);
	for (int i = 0; i < N_BORDERS; i++)
		if (slot[i] != BORDER_NO_CLASS)
			settle(ort, families[i], slot[i]);
}

static void find_telemetry_slots(struct runtime_found *ort, struct rtti *rtti)
{
	char shape[SHAPE + 1];
	int n;

	shape_of(rtti, ORT_TELEMETRY_CLASS, shape);
	n = (int)strlen(shape);
	for (unsigned i = 0; i < sizeof by_telemetry / sizeof *by_telemetry; i++) {
		int first = by_telemetry[i].first, load = by_telemetry[i].load;
		/* a nightly build bears the version that it leads to */
		if (by_telemetry[i].n_slots != n || ort->minor < by_telemetry[i].first_minor ||
		    ort->minor > by_telemetry[i].last_minor + 1)
			continue;
		ort->slot[ORT_CREATION_START] = first;
		ort->slot[ORT_EVALUATION_STOP] = first + 1;
		ort->slot[ORT_EVALUATION_START] = first + 2;
		ort->slot[ORT_CREATION] = first + 3;
		ort->slot[ORT_RUNTIME_ERROR] = by_telemetry[i].error;
		ort->slot[ORT_LOAD_START] = load;
		ort->slot[ORT_LOAD_END] = load < 0 ? -1 : load + 1;
		ort->slot[ORT_CREATION_END] = load < 0 ? -1 : load + 2;
		return;
	}
	snprintf(shape, sizeof shape, "telemetry has %d slots", n);
	leave_out(ort, ORT_EVALUATION_START, shape);
}

/* "1.<minor>.<patch>": the minor, or -1. */
static int minor_of(const char *version)
{
	const char *at;
	int minor = 0;

	if (!version || version[0] != '1' || version[1] != '.' || !isdigit((unsigned char)version[2]))
		return -1;
	/* by hand: headers of glibc 2.38 make strtol a function that the agent's oldest glibc does not have */
	for (at = version + 2; isdigit((unsigned char)*at) && at - version < 5; at++)
		minor = 10 * minor + (*at - '0');
	return *at == '.' && isdigit((unsigned char)at[1]) ? minor : -1;
}

/*
 * Slots of OrtApi by version, read from the headers; a newer library has at least as many. 1.6 and 1.7 have a few more,
 * which 1.8 moved by one.
 */
static unsigned api_slots(int minor)
{
	static const uint16_t n[] = { [2] = 119, 125, 127, 150, 153, 153, 170, 192, 204, 210, 219, 225, 239, 255, 266,
				      276,	 280, 280, 285, 285, 318, 390, 415, 419, 419, 422, 424, 425, 426, 426 };

	return minor < 2 ? 0 : n[minor > NEWEST ? NEWEST : minor];
}

static bool all_code(const struct image *image, uint64_t table, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!image_has(image, image_word(image, table + 8 * i), IMAGE_X))
			return false;
	return true;
}

/*
 * The number of slots that the table is sure to have; 0: it is no such table. A nightly build bears the version that it
 * leads to, and its table may have only the slots of the version before.
 */
static unsigned slots_in(const struct image *image, uint64_t table, int minor)
{
	for (int as = minor; as >= minor - 1; as--)
		if (api_slots(as) && all_code(image, table, api_slots(as)))
			return api_slots(as);
	return 0;
}

/* From the first to the last executable byte. */
static struct image_segment find_code(const struct image *image)
{
	struct image_segment code = { .start = UINT64_MAX };

	for (int i = 0; i < image->n_segments; i++) {
		const struct image_segment *segment = &image->segment[i];
		if (!(segment->flags & IMAGE_X))
			continue;
		code.start = segment->start < code.start ? segment->start : code.start;
		code.end = segment->end > code.end ? segment->end : code.end;
	}
	return code;
}

static int find_api_in(struct runtime_found *ort, uint64_t start, uint64_t end)
{
	const struct image *image = ort->image;
	const uint64_t *word = image_at(image, start, end - start, 0);
	struct image_segment code = find_code(image);
	int n_found = 0;

	for (uint64_t i = 0; word && i + 2 <= (end - start) / 8; i++) {
		uint64_t text, table;
		const char *version;
		unsigned n;
		int minor;
		if (word[i] - code.start >= code.end - code.start ||
		    word[i + 1] - code.start >= code.end - code.start ||
		    !(text = ort_machine_returned_address(image, word[i + 1])))
			continue;
		version = image_text(image, text, 32);
		minor = minor_of(version);
		table = minor > 0 ? ort_machine_table_of(image, word[i], minor) : 0;
		n = table ? slots_in(image, table, minor) : 0;
		if (n ? n_found && ort->api == table
		      : minor <= 0 || n_found || !ort_machine_is_get_api(image, word[i], minor))
			continue;
		ort->version = version;
		ort->minor = minor;
		if (!n)
			continue;
		ort->api = table;
		ort->n_api = n;
		n_found++;
	}
	return n_found;
}

static void find_api(struct runtime_found *ort)
{
	const struct image *image = ort->image;
	int n = 0;

	if (image->relro_end)
		n = find_api_in(ort, (image->relro_start + 7) & ~7ull, image->relro_end & ~7ull);
	else
		for (int i = 0; i < image->n_segments; i++)
			if (image->segment[i].flags & IMAGE_W)
				n += find_api_in(ort, (image->segment[i].start + 7) & ~7ull,
						 image->segment[i].end & ~7ull);
	if (n != 1)
		ort->api = 0, ort->n_api = 0;
}

bool ort_has_types(const struct rtti *rtti)
{
	return rtti_named(rtti, ORT_KERNEL_CLASS) || rtti_named(rtti, ORT_PROVIDER_CLASS);
}

/* The table is sought in every module, and those of the runtime are small. */
static bool may_have_api(const struct image *image)
{
	return image->relro_end && image->relro_end - image->relro_start <= MOST_RELRO;
}

bool ort_has_api_alone(const struct rtti *rtti)
{
	struct runtime_found without_types = { .image = rtti->image };

	if (may_have_api(rtti->image))
		find_api(&without_types);
	return without_types.api;
}

bool ort_is_in(const struct rtti *rtti)
{
	return ort_has_types(rtti) || ort_has_api_alone(rtti);
}

/* Since version 5 the C++ library mangles std::string differently, which shows in the types of lambdas. */
static bool has_old_string(const struct rtti *rtti)
{
	for (size_t i = 0; i < rtti->n_types; i++)
		if (strstr(rtti->type[i].name, "St7__cxx11"))
			return false;
	return true;
}

void ort_find(struct runtime_found *ort, struct rtti *rtti, const struct runtime_found *host)
{
	ort->is_old_string = has_old_string(rtti);
	find_api(ort);
	/* slots that never moved */
	for (int i = 0; i < N_ORT_FAMILIES; i++)
		ort->slot[i] = runtimes_slot(&ort_families[i], 0);
	if (!ort_has_types(rtti)) {
		snprintf(ort->left_out, sizeof ort->left_out,
			 "operators, phases of session creation, release of sessions (it was built without type "
			 "information)");
		return;
	}
	if (host && !ort->minor && host->minor) { /* a provider's library uses its host's version */
		memcpy(ort->slot, host->slot, sizeof ort->slot);
		ort->minor = host->minor;
		ort->version = host->version;
		return;
	}
	ort->slot[ORT_PREDEFINED_TRANSFORMERS] = runtimes_slot(&ort_families[ORT_PREDEFINED_TRANSFORMERS], ort->minor);
	if (ort->slot[ORT_PREDEFINED_TRANSFORMERS] < 0)
		leave_out(ort, ORT_PREDEFINED_TRANSFORMERS, "not recognised in this version");
	find_provider_slots(ort, rtti);
	find_telemetry_slots(ort, rtti);
	find_border_slots(ort, rtti);
	if (!ort->api)
		snprintf(ort->left_out + strlen(ort->left_out), sizeof ort->left_out - strlen(ort->left_out),
			 "%sC API (its table was not found)", *ort->left_out ? "; " : "");
}
