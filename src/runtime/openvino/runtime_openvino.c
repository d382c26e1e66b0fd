// SPDX-License-Identifier: Apache-2.0
/*
 * OpenVINO's row in the table of runtimes, 2023.3 to 2026.4: libopenvino, which transforms models, and the plugin for
 * CPUs, which compiles and runs them. doc/openvino.md explains how the numbers were found.
 *
 * Node::execute has another slot in most versions. It is the one that class Node leaves to the classes derived from it
 * (pure virtual) and in which most of them have a function that does something; `created`, the only other one that all
 * of them have, returns a comparison. Where nodes and models keep their names differs, too: they are pairs of
 * std::string next to each other.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/find/peek.h"
#include "runtime/openvino/openvino_in.h"
#include "runtime/probe_sites.h"
#include "runtime/runtimes.h"

#define NODE_CLASS "N2ov9intel_cpu4NodeE"
#define REQUEST_CLASS "N2ov9intel_cpu16SyncInferRequestE"
#define ASKING_CLASS "N2ov9intel_cpu17AsyncInferRequestE"
#define COMPILED_CLASS "N2ov9intel_cpu13CompiledModelE"
#define MODEL_CLASS "N2ov5ModelE"
#define CORE_CLASS "N2ov8CoreImplE"
#define FRONTEND_CLASS "N2ov8frontend8FrontEndE"
#define PLUGIN_CLASS "N2ov9intel_cpu6PluginE"
#define OLD_PLUGIN_CLASS "N2ov9intel_cpu6EngineE" /* up to 2023.3 */
#define PASS_CLASS "N2ov4pass9ModelPassE"

#define SLOT(n) \
	(const struct runtime_slot[]) \
	{ \
		{ 0, n }, { 0, -1 } \
	}

enum { OBJECT = 1536, STRING = 32, OLD_STRING = 8, MAX_COPIES = 8, MOST_READ = 64 };

/* The first bytes of an object, as far as there is memory. */
struct object {
	uint64_t at;
	size_t size;
	uint64_t word[OBJECT / 8];
};

/* Virtual tables of classes whose objects others point at; a module that was unloaded leaves its own there. */
static uint64_t compiled[MAX_COPIES], models[MAX_COPIES], requests[MAX_COPIES];

static void read_object(struct object *object, uint64_t at)
{
	enum { PART = 128 };

	object->at = at;
	object->size = peek_read(at, object->word, OBJECT) ? OBJECT : 0;
	while (object->size < OBJECT && peek_read(at + object->size, object->word + object->size / 8, PART))
		object->size += PART;
}

static void remember(uint64_t tables[MAX_COPIES], uint64_t table)
{
	for (int i = 0; i < MAX_COPIES && table; i++) {
		if (tables[i] && tables[i] != table)
			continue;
		__atomic_store_n(&tables[i], table, __ATOMIC_RELAXED);
		return;
	}
}

static bool is_one_of(const uint64_t tables[MAX_COPIES], uint64_t object)
{
	uint64_t table = object & 7 ? 0 : peek_word(object);

	for (int i = 0; i < MAX_COPIES && table; i++)
		if (__atomic_load_n(&tables[i], __ATOMIC_RELAXED) == table)
			return true;
	return false;
}

/* The first object of these classes that it points at; *place: its offset, a guess on entry, 0: none. 0: none. */
static uint64_t pointed_at(const uint64_t tables[MAX_COPIES], uint64_t at, unsigned *place)
{
	struct object object;
	uint64_t guess = *place ? peek_word(at + *place) : 0;

	if (guess && is_one_of(tables, guess))
		return guess;
	read_object(&object, at);
	for (unsigned i = 1; i < object.size / 8; i++) {
		if (object.word[i] < 4096 || !is_one_of(tables, object.word[i]))
			continue;
		*place = i * 8;
		return object.word[i];
	}
	*place = 0;
	return 0;
}

static bool is_type(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return isupper((unsigned char)*text);
}

/* "Model12", "Function_12": what a model without a name of its own is called. */
static bool is_made_up(const char *text)
{
	size_t len = !strncmp(text, "Model", 5) ? 5 : !strncmp(text, "Function_", 9) ? 9 : 0;

	return len && text[len] && strspn(text + len, "0123456789") == strlen(text + len);
}

/* The std::string at an offset, of either ABI: its length, -1: there is none. */
static int string_at(const struct object *object, unsigned place, bool is_old, char *to, size_t size)
{
	unsigned whole = is_old ? OLD_STRING : STRING;

	*to = 0;
	if (place + whole > object->size || object->word[place / 8] < 4096)
		return -1;
	if (is_old)
		return object->word[place / 8] & 7 ? -1 : peek_string_abi(object->at + place, true, to, size);
	/* most words are no lengths */
	if (object->word[place / 8 + 1] > 4096)
		return -1;
	return peek_string_in(object->at, object->word, place, to, size);
}

/* Two strings next to each other, at *place or, with 0, wherever `fits` finds them first. */
static bool read_pair(const struct object *object, unsigned *place, struct runtime_names *to,
		      bool (*fits)(const struct object *, const struct runtime_names *))
{
	unsigned from = *place ? *place & ~7u : 8, end = *place ? from + 8 : OBJECT;

	for (unsigned at = from; at < end; at += 8)
		for (int is_old = 0; is_old < 2; is_old++)
			if (string_at(object, at, is_old, to->name, sizeof to->name) >= 0 &&
			    string_at(object, at + (is_old ? OLD_STRING : STRING), is_old, to->type, sizeof to->type) >
				0 &&
			    fits(object, to)) {
				*place = at;
				return true;
			}
	return false;
}

static bool is_node(const struct object *object, const struct runtime_names *names)
{
	return *names->name && is_type(names->type);
}

/*
 * With PERF_COUNT, a node has just written down when its call began, by the clock that the C++ library takes for the
 * one of high resolution. No other word of a node is the present time.
 */
static bool is_timed(uint64_t at)
{
	const uint64_t second = 1000000000;
	struct object object;
	struct timespec now;
	uint64_t now_ns;

	if (clock_gettime(CLOCK_REALTIME, &now) != 0)
		return false;
	now_ns = (uint64_t)now.tv_sec * second + (uint64_t)now.tv_nsec;
	read_object(&object, at);
	for (unsigned i = 0; i < object.size / 8; i++)
		if (object.word[i] <= now_ns && now_ns - object.word[i] < second)
			return true;
	return false;
}

static bool is_model(const struct object *object, const struct runtime_names *names)
{
	return is_made_up(names->type);
}

/* Two nodes that have them at the same place show where all nodes do. */
static void node_names(uint64_t at, struct runtime_names *to)
{
	static unsigned place, first; /* of the names; a race does no harm */
	struct object object;
	unsigned found = __atomic_load_n(&place, __ATOMIC_RELAXED);

	read_object(&object, at);
	if (found && read_pair(&object, &found, to, is_node))
		return;
	found = 0;
	if (read_pair(&object, &found, to, is_node)) {
		if (found == __atomic_exchange_n(&first, found, __ATOMIC_RELAXED))
			__atomic_store_n(&place, found, __ATOMIC_RELAXED);
		return;
	}
	*to->name = 0;
	if (peek_class(at, to->type, sizeof to->type) < 0)
		*to->type = 0;
}

/* The pair of a model's names: its own, "" for none, and the made-up one, which no other model of the process has. */
static bool read_model(uint64_t at, struct runtime_names *to)
{
	static unsigned place;
	struct object object;
	unsigned found = __atomic_load_n(&place, __ATOMIC_RELAXED);

	read_object(&object, at);
	if (found && read_pair(&object, &found, to, is_model))
		return true;
	found = 0;
	if (!read_pair(&object, &found, to, is_model))
		return false;
	__atomic_store_n(&place, found, __ATOMIC_RELAXED);
	return true;
}

/*
 * Where models came from: what a frontend has read last, its own form of a model and then OpenVINO's. Another model may
 * get the address of one that is gone, but not its made-up name.
 */
static struct read {
	uint64_t model; /* 0: none. Stored last */
	char path[sizeof((struct runtime_names *)0)->path], made_up[sizeof((struct runtime_names *)0)->type];
} read_models[MOST_READ];

static struct read *read_as(uint64_t model)
{
	for (int i = 0; i < MOST_READ && model; i++)
		if (__atomic_load_n(&read_models[i].model, __ATOMIC_ACQUIRE) == model)
			return &read_models[i];
	return NULL;
}

static void remember_path(uint64_t model, const char *path, const char *made_up)
{
	static unsigned next;
	struct read *to = read_as(model);

	if (!model || (to && !strcmp(to->path, path) && !strcmp(to->made_up, made_up)))
		return;
	to = to ? to : &read_models[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % MOST_READ];
	__atomic_store_n(&to->model, 0, __ATOMIC_RELEASE);
	snprintf(to->path, sizeof to->path, "%s", path);
	snprintf(to->made_up, sizeof to->made_up, "%s", made_up);
	__atomic_store_n(&to->model, model, __ATOMIC_RELEASE);
}

/* A model may be given as its text, too, and other texts lie near. A file of a model has a suffix. */
static bool is_path(const char *text, size_t size)
{
	enum { LONGEST = 8 };
	const char *dot = strrchr(text, '.');
	size_t len = dot ? strlen(dot + 1) : 0;

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)dot[1 + i]))
			return false;
	return len > 1 && len <= LONGEST && strlen(text) + 1 < size && !strpbrk(text, "<>{}\n\t");
}

/* The path in the first of these ov::Any: its object lies behind one of its first words, and the text in that. */
static bool first_path(uint64_t variants, char *to, size_t size)
{
	enum { ANY = 6, VALUE = 8 };
	struct object any, value;

	read_object(&any, peek_word(variants));
	for (unsigned i = 0; i < ANY && i < any.size / 8; i++) {
		if (any.word[i] < 4096 || any.word[i] & 7)
			continue;
		read_object(&value, any.word[i]);
		for (unsigned at = 1; at < VALUE && at < value.size / 8; at++)
			for (int is_old = 0; is_old < 2; is_old++)
				if (string_at(&value, at * 8, is_old, to, size) > 0 && is_path(to, size))
					return true;
	}
	return false;
}

/* FrontEnd::load_impl: result, this, const std::vector<ov::Any> & */
static void seen_load(uint64_t result, uint64_t self, uint64_t variants)
{
	char path[sizeof read_models->path];
	struct read *before = read_as(peek_word(result));

	if (first_path(variants, path, sizeof path))
		remember_path(peek_word(result), path, "");
	else if (before) /* of another that had this address */
		__atomic_store_n(&before->model, 0, __ATOMIC_RELEASE);
}

/* FrontEnd::convert: result, this, const InputModel::Ptr & */
static void seen_convert(uint64_t result, uint64_t self, uint64_t input)
{
	const struct read *from = read_as(peek_word(input));
	char path[sizeof read_models->path];
	struct runtime_names names;

	if (!from || *from->made_up || !read_model(peek_word(result), &names))
		return;
	snprintf(path, sizeof path, "%s", from->path);
	remember_path(peek_word(result), path, names.type);
}

/*
 * "onnx_Frontend_IR" is what a frontend calls every model that it reads: such models are told apart by their made-up
 * names. "_0" behind it: a part of it.
 */
static void tell_apart(struct runtime_names *to)
{
	static const char common[] = "_Frontend_IR";
	const char *at = strstr(to->name, common);
	char name[sizeof to->name];

	if (!at || !*to->type || at[sizeof common - 1 + strspn(at + sizeof common - 1, "_0123456789")])
		return;
	snprintf(name, sizeof name, "%.64s (%.*s)", to->type, (int)(at - to->name < 64 ? at - to->name : 64), to->name);
	memcpy(to->name, name, sizeof name);
}

static void model_names(uint64_t at, struct runtime_names *to)
{
	const struct read *from = read_as(at);

	if (!read_model(at, to))
		*to->name = *to->type = 0;
	if (from && *to->type && !strcmp(from->made_up, to->type))
		memcpy(to->path, from->path, sizeof to->path);
	if (!*to->name)
		memcpy(to->name, to->type, sizeof to->type);
	tell_apart(to);
	*to->type = 0;
}

/* Whether a std::shared_ptr here owns its object: the counter of its owners follows the control block's first word. */
static bool is_owned(uint64_t at)
{
	enum { MANY = 1 << 16 };
	uint64_t control = peek_word(at + 8);
	uint32_t n_owners = control ? (uint32_t)peek_word(control + 8) : 0;

	return n_owners && n_owners < MANY;
}

/* A compiled model has its model, or had it. */
static void compiled_names(uint64_t at, struct runtime_names *to)
{
	static unsigned place;
	uint64_t model = pointed_at(models, at, &place);

	*to->name = *to->type = 0;
	if (model && is_owned(at + place))
		model_names(model, to);
}

static uint64_t session_of(uint64_t request, unsigned *at)
{
	return pointed_at(compiled, request, at);
}

/* What the program has is a request of another class, which passes it on. */
static uint64_t run_of(uint64_t asking, unsigned *at)
{
	return pointed_at(requests, asking, at);
}

/*
 * A pass that is made of others has a name of its own behind its first word, which some write with their namespaces;
 * the others go by their class.
 */
static void pass_names(uint64_t at, struct runtime_names *to)
{
	static const char space[] = "ov::pass::";

	*to->type = 0;
	if (peek_string(at + 16, to->name, sizeof to->name) <= 0 && peek_class(at, to->name, sizeof to->name) < 0)
		*to->name = 0;
	if (!strncmp(to->name, space, sizeof space - 1))
		memmove(to->name, to->name + sizeof space - 1, strlen(to->name) - (sizeof space - 1) + 1);
}

enum {
	RELEASE,
	CONVERT,
	READ,
	OPERATORS,
	RUNS,
	STARTS,
	CALLS,
	PASSES,
	COMPILE,
	IMPORT,
	IMPORT_BYTES,
	OLD_COMPILE,
	OLD_IMPORT,
	N_FAMILIES
};

/* clang-format off */
#define REQUEST(n, ...) \
	{ .name = "requests", .class_name = ASKING_CLASS, .slots = SLOT(n), .event = RUNTIME_REQUEST, \
	  .is_inherited = true, .leads_to = run_of, ##__VA_ARGS__ }
#define FRONTEND(title, n, look) \
	{ .name = title, .class_name = FRONTEND_CLASS, .slots = SLOT(n), .event = RUNTIME_SEEN, \
	  .is_self_second = true, .seen = look }
/* They return a compiled model; an import is one from a cache. */
#define CREATION(title, class, n, of, ...) \
	{ .name = title, .class_name = class, .slots = SLOT(n), .event = RUNTIME_CREATION, \
	  .is_self_second = true, .names = of, ##__VA_ARGS__ }
/* clang-format on */

static const struct runtime_family families[N_FAMILIES] = {
	[RELEASE] = { .name = "release of sessions",
		      .class_name = COMPILED_CLASS,
		      .only = COMPILED_CLASS,
		      .slots = SLOT(-1),
		      .event = RUNTIME_RELEASE },
	[CONVERT] = FRONTEND("names of models", 2, seen_convert),
	[READ] = FRONTEND("files of models", 10, seen_load),
	[OPERATORS] = { .name = "operators",
			.class_name = NODE_CLASS,
			.slots = SLOT(-1),
			.event = RUNTIME_OPERATOR,
			.is_operator = true,
			.counted = "operator classes",
			.names = node_names,
			.is_timed = is_timed,
			.shapes = openvino_node_shapes,
			.provider = "CPU" },
	[RUNS] = { .name = "inferences",
		   .class_name = REQUEST_CLASS,
		   .slots = SLOT(2),
		   .event = RUNTIME_RUN,
		   .names = compiled_names,
		   .leads_to = session_of,
		   .find_inputs = openvino_find_inputs,
		   .inputs = openvino_inputs,
		   .sequences = openvino_sequences },
	[STARTS] = REQUEST(13, .is_queued = true),
	[CALLS] = REQUEST(2),
	[PASSES] = { .name = "passes",
		     .class_name = PASS_CLASS,
		     .slots = SLOT(4),
		     .event = RUNTIME_PART,
		     .counted = "passes",
		     .names = pass_names,
		     .is_change_told = true },
	[COMPILE] = CREATION("compilation", PLUGIN_CLASS, 0, model_names, .has_model = true),
	[IMPORT] = CREATION("import", PLUGIN_CLASS, 7, compiled_names),
	[IMPORT_BYTES] = CREATION("import", PLUGIN_CLASS, -1, compiled_names),
	[OLD_COMPILE] = CREATION("compilation", OLD_PLUGIN_CLASS, 0, model_names, .has_model = true),
	[OLD_IMPORT] = CREATION("import", OLD_PLUGIN_CLASS, 7, compiled_names),
};

/* Its code ends within a few instructions. */
static bool is_short(const struct image *image, uint64_t function)
{
	enum { FEW = 20 };
	const uint8_t *code = image_at(image, function, FEW, IMAGE_X);

	for (int i = 0; code && i < FEW; i++) {
#if defined(__x86_64__)
		if (code[i] == 0xc3)
			return true;
#else
		static const uint8_t ret[4] = { 0xc0, 0x03, 0x5f, 0xd6 };
		if (i % 4 == 0 && !memcmp(code + i, ret, 4))
			return true;
#endif
	}
	return !code;
}

/* How many classes have a function of their own in this slot that does something; -1: most tables end before it. */
static int n_implemented(const struct rtti *rtti, const struct rtti_vtable *vtable, size_t n, int slot)
{
	uint64_t last = 0;
	size_t n_code = 0;
	int found = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t function = image_word(rtti->image, vtable[i].slots + 8 * (uint64_t)slot);
		bool is_code = image_has(rtti->image, function, IMAGE_X);

		n_code += is_code;
		if (!is_code || function == last || is_short(rtti->image, function))
			continue;
		last = function;
		found++;
	}
	return n_code * 2 < n ? -1 : found;
}

/* The slot of Node::execute; -1: not beyond doubt. */
static int find_execute(struct rtti *rtti)
{
	enum { FIRST = 2, MOST = 64, LEAST = 20 };
	struct rtti_vtable *vtable;
	size_t n = rtti_derived(rtti, NODE_CLASS, &vtable);
	uint64_t table = rtti_table(rtti, NODE_CLASS);
	int slot = -1, best = 0, second = 0;

	for (int i = FIRST; i < MOST && n && table; i++) {
		int found = n_implemented(rtti, vtable, n, i);
		if (found < 0)
			break;
		if (image_has(rtti->image, image_word(rtti->image, table + 8 * (uint64_t)i), IMAGE_X))
			continue;
		second = found > best ? best : found > second ? found : second;
		slot = found > best ? i : slot;
		best = found > best ? found : best;
	}
	return best >= LEAST && second < best / 2 ? slot : -1;
}

/*
 * The slot of a compiled model's destructor: the one that deletes the object follows it and calls it. -1: not beyond
 * doubt; up to 2025.0 the two share no code.
 */
static int find_destructor(const struct rtti *rtti)
{
	enum { FIRST = 2, MOST = 12, FEW = 40, CALL = 5 };
	uint64_t table = rtti_table(rtti, COMPILED_CLASS);
	int slot = -1, n = 0;

	for (int i = FIRST; i < MOST && table; i++) {
		uint64_t function = image_word(rtti->image, table + 8 * (uint64_t)i);
		uint64_t next = image_word(rtti->image, table + 8 * (uint64_t)i + 8);
		const uint8_t *code = image_at(rtti->image, next, FEW, IMAGE_X);
		for (int at = 0; code && at < FEW - CALL; at++) {
			int32_t by;
			memcpy(&by, code + at + 1, sizeof by);
			if (code[at] != 0xe8 || next + (uint64_t)at + CALL + (uint64_t)(int64_t)by != function)
				continue;
			slot = i;
			n++;
		}
	}
	return n == 1 ? slot : -1;
}

/* Since 2025.2 a plugin also imports from memory: two functions more, behind those that read a stream. */
static bool imports_bytes(const struct rtti *rtti)
{
	enum { WITHOUT = 12, SLOTS = 14 };
	uint64_t table = rtti_table(rtti, families[IMPORT_BYTES].class_name);
	bool is_there = table != 0;

	for (int i = WITHOUT; i < SLOTS && is_there; i++)
		is_there = image_has(rtti->image, image_word(rtti->image, table + 8 * (uint64_t)i), IMAGE_X);
	return is_there;
}

/* "2026.4.1" of "2026.4.1-22982-e213a147257-releases/2026/4"; false: not found. */
static bool find_version(struct runtime_found *found, const struct image *image)
{
	static char versions[MAX_COPIES][16];
	static unsigned n;

	for (int k = 0; k < image->n_segments; k++) {
		const struct image_segment *segment = &image->segment[k];
		const char *at = (const char *)segment->data, *end = at + (segment->end - segment->start);

		if (segment->flags & (IMAGE_W | IMAGE_X))
			continue;
		for (; end - at > 24 && (at = memchr(at, '-', (size_t)(end - at - 8))); at++) {
			int year, minor, patch;
			const char *from = at - 8;

			if (at < (const char *)segment->data + 8 || from[0] != '2' || from[1] != '0' ||
			    from[4] != '.' || from[6] != '.' || !isdigit((unsigned char)at[1]))
				continue;
			year = (from[2] - '0') * 10 + from[3] - '0';
			minor = from[5] - '0';
			patch = from[7] - '0';
			if (year < 20 || year > 99 || minor < 0 || minor > 9 || patch < 0 || patch > 9)
				continue;
			memcpy(versions[n % MAX_COPIES], from, 8);
			found->version = versions[n++ % MAX_COPIES];
			found->minor = year * 10 + minor;
			return true;
		}
	}
	return false;
}

/* Behind its destructors and perhaps `infer`, the plugin's class has the functions of libopenvino. */
static bool has_starts(const struct rtti *rtti)
{
	enum { OWN = 2, FIRST = 3 };
	uint64_t table = rtti_table(rtti, ASKING_CLASS);
	int start = families[STARTS].slots->slot;
	bool fits = table != 0;

	for (int i = 0; i <= start && fits; i++)
		if (i < OWN || i >= FIRST)
			fits = image_has(rtti->image, image_word(rtti->image, table + 8 * (uint64_t)i), IMAGE_X) ==
			       (i < OWN);
	return fits;
}

/* On aarch64 a function that returns a class gets its address in a register that C hooks do not pass on. */
static bool is_passed_on(const struct runtime_family *family)
{
#if defined(__x86_64__)
	return true;
#else
	return !family->is_self_second;
#endif
}

static bool is_plugin(const struct rtti *rtti)
{
	return rtti_named(rtti, NODE_CLASS) || rtti_named(rtti, REQUEST_CLASS);
}

static void leave_out(struct runtime_found *found, const char *what)
{
	size_t used = strlen(found->left_out);

	snprintf(found->left_out + used, sizeof found->left_out - used, "%s%s (not recognised in this version)",
		 used ? "; " : "", what);
}

static void find(struct runtime_found *found, struct rtti *rtti, const struct runtime_found *host)
{
	struct rtti_vtable *vtable;

	find_version(found, rtti->image);
	for (int i = 0; i < N_FAMILIES; i++)
		found->slot[i] = is_passed_on(&families[i]) ? runtimes_slot(&families[i], 0) : -1;
	remember(compiled, rtti_table(rtti, COMPILED_CLASS));
	remember(requests, rtti_table(rtti, REQUEST_CLASS));
	remember(models, rtti_table(rtti, MODEL_CLASS));
	openvino_inputs_found(rtti);
	found->is_part = rtti_named(rtti, FRONTEND_CLASS) && !rtti_named(rtti, CORE_CLASS);
	if (!is_plugin(rtti))
		return;
	found->slot[RELEASE] = find_destructor(rtti);
	if (found->slot[RELEASE] < 0)
		leave_out(found, families[RELEASE].name);
	found->slot[IMPORT_BYTES] = imports_bytes(rtti) ? 9 : -1;
	if (!has_starts(rtti)) {
		found->slot[STARTS] = found->slot[CALLS] = -1;
		leave_out(found, "time in queues");
	}
	found->slot[OPERATORS] = find_execute(rtti);
	if (found->slot[OPERATORS] < 0)
		leave_out(found, families[OPERATORS].name);
	if (!rtti_derived(rtti, families[RUNS].class_name, &vtable))
		leave_out(found, families[RUNS].name);
	if (!rtti_derived(rtti, families[COMPILE].class_name, &vtable) &&
	    !rtti_derived(rtti, families[OLD_COMPILE].class_name, &vtable))
		leave_out(found, families[COMPILE].name);
}

/* The plugin for CPUs, the library that has the passes common to all plugins, or one that reads a format of models. */
static bool is_in(const struct rtti *rtti)
{
	return is_plugin(rtti) || rtti_named(rtti, CORE_CLASS) ||
	       (rtti_named(rtti, FRONTEND_CLASS) && strstr(rtti->image->path, "_frontend"));
}

#ifndef IN_AGENT
static int find_sites(struct probe_sites *sites, const struct image_file *file, const struct probe_sites *host,
		      struct err *err)
{
	struct arena arena = { 0 };
	struct runtime_found found;
	struct rtti_vtable *vtable;
	struct rtti rtti;
	int code = rtti_scan(&rtti, image_file_image(file), &file->set, &arena);

	if (code || !rtti_derived(&rtti, families[RUNS].class_name, &vtable)) {
		arena_done(&arena);
		return err_set(err, code ? ENOMEM : ENOENT, "cannot analyse it: %s",
			       code ? "out of memory" : "it holds no plugin of OpenVINO for CPUs");
	}
	runtimes_find(&found, runtimes[sites->runtime], &rtti, NULL);
	snprintf(sites->version, sizeof sites->version, "%s", found.version);
	snprintf(sites->left_out, sizeof sites->left_out, "operators, compilation and names of models");
	image_file_build_id(file, sites->build_id);
	sites->site = calloc(1, sizeof *sites->site);
	if (sites->site) {
		sites->n = 1;
		sites->site->kind = SITE_RUN;
		sites->site->address = image_word(rtti.image, vtable[0].slots + 8 * (uint64_t)found.slot[RUNS]);
		image_file_offset(file, sites->site->address, &sites->site->offset);
	}
	arena_done(&arena);
	probe_sites_order(sites);
	return sites->site ? 0 : err_no_memory(err, "cannot analyse it");
}
#endif

static const char *const entries[] = {
	"create_plugin_engine", /* libopenvino looks it up in each plugin */
	"CreatePluginEngine",	/* up to 2023.3 */
	"PyInit__pyopenvino",	/* Python */
	"get_front_end_data",	/* and this in each frontend */
	"GetFrontEndData",
	"ov_core_create", /* C, where it is opened at run time */
	NULL,
};

static const char *const packages[] = { "openvino", NULL };
static const char *const libraries[] = { "openvino", NULL };

const struct runtime runtime_openvino = {
	.name = "openvino",
	.title = "OpenVINO",
	.entries = entries,
	.packages = packages,
	.libraries = libraries,
	.marks = { .prefix = "N2ov", .fewest = 64, .whole = { "9intel_cpu4NodeE" }, .part = { "8CoreImplE" } },
	.family = families,
	.n_families = N_FAMILIES,
	.inject_family = RUNS,
	.is_in = is_in,
	.find = find,
#ifndef IN_AGENT
	.find_sites = find_sites,
#endif
};
