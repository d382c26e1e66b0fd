// SPDX-License-Identifier: Apache-2.0
/*
 * Models that AOTInductor compiled ahead of time, in Python and C++: each is a library with functions for C, which
 * PyTorch looks up by their names. What they get are stand-ins. A container is a session, a run of it an inference,
 * unless one is open on its thread: then it is a part of that.
 *
 * The library lies in a folder into which PyTorch has unpacked the model's file, whose name is found there in newer
 * versions; in others, the name that the model has in its file.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/replace/import.h"
#include "capture/agent/replace/module_walk.h"
#include "capture/agent/replace/places.h"
#include "capture/agent/run/creation.h"
#include "capture/agent/torch/torch_native.h"
#include "runtime/torch/torch.h"

enum { RUN = 1, CREATE, DELETE };
enum { MOST_NAME = 120, MOST_INPUTS = 1024 };
_Static_assert(PLACES == 64, "tell_that_there_are_more");

static struct place places[PLACES];
static const char *names[PLACES]; /* of the model; NULL: not known */

static bracket_function *next(const struct place *place)
{
	return (bracket_function *)place->real;
}

static const char *name_of(const struct place *place)
{
	const char *name = names[place - places];

	return name ? name : "model (AOTInductor)";
}

static struct session *session_at(const struct place *place, word container)
{
	struct session *session = session_of_object(container);

	if (session || !(session = session_new(&runtime_torch)))
		return session;
	session_bind(session, container);
	session_name_graph(session, name_of(place));
	return session;
}

/* inputs: pointers to tensors, each of which is a pointer to its part in C++. */
static void take_inputs(struct torch_native *call, const word *const *inputs, word n)
{
	for (word at = 0; at < n && n <= MOST_INPUTS; at++)
		torch_native_take(call, inputs[at] ? *inputs[at] : 0);
}

/* What the functions return; their messages go to standard error. */
static uint32_t failure_of(word status)
{
	static const char message[] = "the compiled model failed";

	return (int32_t)status ? dict_text(message, sizeof message - 1) : 0;
}

/* a: the container, b: the inputs, c: their number. */
static word run(const struct place *place, struct thread *thread, TORCH_ARGS)
{
	struct torch_native call;
	struct session *session;
	int saved = errno;

	if (!torch_native_is_outermost(thread))
		return next(place)(TORCH_PASS);
	torch_native_start(&call);
	take_inputs(&call, (const word *const *)b, c);
	call.failure_of = failure_of;
	session = session_at(place, a);
	errno = saved;
	return torch_native_run(&call, thread, session, next(place), TORCH_PASS);
}

static void left(struct thread *thread, const struct bracket *bracket, uint32_t message)
{
	creation_end(thread, OWNER_API, message ? message : dict_text("failed", 6));
}

/* a: where the container goes. */
static word create(const struct place *place, struct thread *thread, TORCH_ARGS)
{
	const word frame = (word)__builtin_frame_address(0);
	int saved = errno;
	word r;

	if (creation_is_open(thread))
		return next(place)(TORCH_PASS);
	creation_begin(thread, &runtime_torch, OWNER_API, 0);
	if (creation_is_open(thread))
		session_name_graph(thread->creation.session, name_of(place));
	bracket_begin(thread, RUNTIME_CREATION, frame, 0, left);
	errno = saved;
	r = bracket_call(next(place), TORCH_PASS);
	saved = errno;
	bracket_end(thread, frame);
	if (!(int32_t)r && creation_is_open(thread)) {
		session_release(*(const word *)a); /* another one had this address, whose end was not seen */
		session_bind(thread->creation.session, *(const word *)a);
	}
	creation_end(thread, OWNER_API, failure_of(r));
	errno = saved;
	return r;
}

static void release(struct thread *thread, word container)
{
	const struct session *session = session_of_object(container);
	struct record *record = session ? agent_claim(thread) : NULL;
	int saved = errno;

	if (record) {
		*record = (struct record){ .time = agent_now(), .id = session->number, .type = RECORD_RELEASED };
		agent_publish(thread);
	}
	session_release(container);
	errno = saved;
}

static word serve(const struct place *place, TORCH_ARGS)
{
	struct thread *thread = agent_thread();

	if (!thread)
		return next(place)(TORCH_PASS);
	if (place->role == RUN)
		return run(place, thread, TORCH_PASS);
	if (place->role == CREATE)
		return create(place, thread, TORCH_PASS);
	release(thread, a);
	return next(place)(TORCH_PASS);
}

#define STAND_IN(n) \
	static word stand_in_##n(TORCH_ARGS) \
	{ \
		return serve(&places[n], TORCH_PASS); \
	}
PLACES_EACH(STAND_IN)

#define ENTRY(n) stand_in_##n,
static bracket_function *const stand_ins[PLACES] = { PLACES_EACH(ENTRY) };

/* The component that ends at `end`, in front of which there is a slash; its length goes into *len. */
static const char *component(const char *path, const char *end, size_t *len)
{
	const char *start = end;

	while (start > path && start[-1] != '/')
		start--;
	*len = (size_t)(end - start);
	return start;
}

/*
 * ".../aotinductor_Xa3b/resnet/data/aotinductor/model/c5.so": "resnet"; without a folder of the file's name, the one of
 * the model; any other library: its own name.
 */
static void put_name(const char *path, char *to)
{
	static const char between[] = "/data/aotinductor/", unpacked[] = "aotinductor_";
	const char *data = strstr(path, between), *file, *above;
	size_t len, above_len;

	if (!data) {
		file = component(path, path + strlen(path), &len);
		if (len > 3 && !strcmp(file + len - 3, ".so"))
			len -= 3;
	} else {
		file = component(path, data, &len);
		above = component(path, file > path ? file - 1 : path, &above_len);
		if (strncmp(above, unpacked, sizeof unpacked - 1)) {
			file = data + sizeof between - 1;
			len = strcspn(file, "/");
		}
	}
	snprintf(to, MOST_NAME, "%.*s (AOTInductor)", len < 100 ? (int)len : 100, file);
}

/* False: the library is not found. */
static bool read_name(const void *function, char *to)
{
	struct image_set set = { 0 };
	const struct image *image;

	if (module_walk_images(&set))
		return false;
	image = import_image(&set, (uint64_t)(uintptr_t)function);
	if (image)
		put_name(image->path, to);
	image_set_done(&set);
	return image;
}

/* The number of the function's place; PLACES: all are in use. */
static unsigned take_place(uint8_t role, void *real)
{
	char text[MOST_NAME];
	bool has_name = read_name(real, text);
	unsigned at;

	agent_lock();
	at = places_take(places, NULL, role, real);
	if (at < PLACES && !(has_name && names[at] && !strcmp(names[at], text)))
		names[at] = has_name ? arena_keep(&agent.arena, text) : NULL;
	agent_unlock();
	return at;
}

static void tell_that_there_are_more(void)
{
	static uint32_t told; /* in this generation */

	if (__atomic_exchange_n(&told, hot->generation, __ATOMIC_RELAXED) != hot->generation)
		dict_missing("further models of AOTInductor", "the agent has room for 64 of their functions");
}

void *torch_package_instead_of(const char *name, void *real)
{
	static const struct {
		const char *rest;
		uint8_t role;
	} functions[] = {
		{ "Run", RUN }, { "RunSingleThreaded", RUN }, { "CreateWithDevice", CREATE }, { "Delete", DELETE }
	};
	const char *rest = name + sizeof TORCH_CONTAINER - 1;
	size_t which = 0;
	unsigned at;

	if (strncmp(name, TORCH_CONTAINER, sizeof TORCH_CONTAINER - 1))
		return NULL;
	while (which < sizeof functions / sizeof *functions && strcmp(functions[which].rest, rest))
		which++;
	if (which == sizeof functions / sizeof *functions)
		return NULL;
	at = take_place(functions[which].role, real);
	if (at < PLACES)
		return (void *)stand_ins[at];
	tell_that_there_are_more();
	return NULL;
}
