/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libinftrace: a program says what it is doing, and inftrace records it beside what it sees by itself.
 *
 *	#include <inftrace.h>
 *
 *	void handle(struct request *request)
 *	{
 *		INFTRACE_SCOPE("preprocess");
 *		...
 *	}
 *
 * Link with `pkg-config --cflags --libs inftrace`, or open libinftrace.so.0 with dlopen. doc/library.md is the guide.
 *
 * Recorder: annotations are recorded while `inftrace record` or `inftrace attach --inject` records the program. The
 * library starts nothing by itself. Without a recorder a call is one load and a branch; with INFTRACE_DISABLE defined
 * it is nothing, and the program needs no library.
 *
 * Threads: every function may be called on any thread at any time. A slice begins and ends on one thread. A slice that
 * is open when its thread ends has no end in the recording.
 *
 * Signal handlers may begin and end slices, and put instants, counters and flows, by names that were interned before.
 * What a handler wants to record while it interrupts another record of its thread is counted as lost. inftrace_intern
 * and inftrace_intern_with are not for signal handlers.
 *
 * Fork: the child goes on with the names of its parent, and is recorded like it. Slices that were open in the parent
 * are not open in the child. dlclose does not unload the library: names stay valid until the process ends.
 *
 * Errors: no function prints, exits, or changes errno. NULL is allowed wherever a pointer is: nothing is recorded.
 * Texts are UTF-8; bytes after the first 1,000 are left out.
 */
#ifndef INFTRACE_H
#define INFTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INFTRACE_VERSION_MAJOR 0
#define INFTRACE_VERSION_MINOR 2
#define INFTRACE_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

#define INFTRACE_API __attribute__((visibility("default")))

/* What a slice is. Numbers are only ever added. */
enum inftrace_kind {
	INFTRACE_USER = 0,	     /* anything; reports add such slices up by name */
	INFTRACE_PROVIDER_READY = 1, /* an execution provider is prepared */
	INFTRACE_SESSION = 2,	     /* a model is made ready to run, the whole of it */
	INFTRACE_LOAD = 3,	     /* model bytes become a graph */
	INFTRACE_SPECIALIZE = 4,     /* a graph is optimised, partitioned, compiled, packed */
	INFTRACE_SETUP = 5,	     /* inputs are bound or copied before a run */
	INFTRACE_INFERENCE = 6,	     /* one run of a model; not for runtimes that inftrace sees by itself */
	INFTRACE_OPERATOR = 7,	     /* one node of a model; recorded from level operator on */
	INFTRACE_KERNEL = 8,	     /* one kernel of a device, or a copy; recorded from level operator on */
	INFTRACE_STAGE = 9	     /* a stage of an inference: queue, pre, submit, device, post */
};

/* A name that was interned: what slices, instants and counters are called. Belongs to the library, never changes. */
struct inftrace_name;

/* Of slices, instants and counters. Set size, leave all that is unknown 0. Texts are copied. */
struct inftrace_name_opts {
	size_t size;	  /* sizeof(struct inftrace_name_opts) */
	const char *name; /* NULL: model, or model:function */
	uint32_t kind;	  /* enum inftrace_kind, of a slice */
	uint32_t reserved;
	const char *category; /* of a slice of kind INFTRACE_USER, or of an instant */
	const char *model;    /* of a slice of any other kind */
	const char *function; /* of the model, where models have several */
	const char *provider; /* the execution provider: CPUExecutionProvider */
	const char *type;     /* of an operator: Conv */
	const char *unit;     /* of a counter: bytes, %, count */
};

#ifndef INFTRACE_DISABLE

/* The version of the library that runs, which may be newer than this header: "0.2.0". */
INFTRACE_API const char *inftrace_version(void);
/*
 * The name with this text, the same for the same text; for slices and instants of kind INFTRACE_USER, and counters. The
 * first call allocates memory; later ones take a lock. NULL: no text, out of memory, or the process has interned
 * 65,536 names.
 */
INFTRACE_API const struct inftrace_name *inftrace_intern(const char *name);
/* The same with more to say. NULL also: size is none that the library knows, a kind out of range, no name and no model.
 */
INFTRACE_API const struct inftrace_name *inftrace_intern_with(const struct inftrace_name_opts *opts);

/* Not for programs: the functions below call these. */
extern INFTRACE_API uint32_t inftrace_on;
INFTRACE_API void inftrace_begin_on(const struct inftrace_name *name);
INFTRACE_API void inftrace_end_on(const char *message);
INFTRACE_API void inftrace_instant_on(const struct inftrace_name *name);
INFTRACE_API void inftrace_counter_on(const struct inftrace_name *name, double value);
INFTRACE_API void inftrace_flow_on(uint64_t id, int is_end);
INFTRACE_API void inftrace_tokens_on(uint32_t sequence, int64_t position, uint32_t n_tokens, uint32_t n_results);

/* Whether annotations are recorded now: for those that are dear to make. */
static inline bool inftrace_is_on(void)
{
	return __builtin_expect(__atomic_load_n(&inftrace_on, __ATOMIC_RELAXED) != 0, 0);
}

#else

static inline const char *inftrace_version(void)
{
	return "0.2.0";
}

static inline const struct inftrace_name *inftrace_intern(const char *name)
{
	(void)name;
	return NULL;
}

static inline const struct inftrace_name *inftrace_intern_with(const struct inftrace_name_opts *opts)
{
	(void)opts;
	return NULL;
}

static inline bool inftrace_is_on(void)
{
	return false;
}

#define inftrace_begin_on(name) ((void)(name))
#define inftrace_end_on(message) ((void)(message))
#define inftrace_instant_on(name) ((void)(name))
#define inftrace_counter_on(name, value) ((void)(name), (void)(value))
#define inftrace_flow_on(id, is_end) ((void)(id), (void)(is_end))
#define inftrace_tokens_on(sequence, position, n_tokens, n_results) \
	((void)(sequence), (void)(position), (void)(n_tokens), (void)(n_results))

#endif

/* A slice begins on this thread. It lies inside the one that was begun before, and ends first. */
static inline void inftrace_begin(const struct inftrace_name *name)
{
	if (inftrace_is_on())
		inftrace_begin_on(name);
}

/* Ends the innermost slice that this thread has begun. Nothing without one, or if recording began after it. */
static inline void inftrace_end(void)
{
	if (inftrace_is_on())
		inftrace_end_on(NULL);
}

/* The same for one that failed. message: for people, of any text; reports count it. NULL: as inftrace_end. */
static inline void inftrace_end_failed(const char *message)
{
	if (inftrace_is_on())
		inftrace_end_on(message);
}

/* Something happens at this moment, on this thread. */
static inline void inftrace_instant(const struct inftrace_name *name)
{
	if (inftrace_is_on())
		inftrace_instant_on(name);
}

/* A counter of the process has this value from now on. */
static inline void inftrace_counter(const struct inftrace_name *name, double value)
{
	if (inftrace_is_on())
		inftrace_counter_on(name, value);
}

/*
 * Ties moments on any threads: an arrow leads from here to the next moment that has the same id. It is shown as an
 * instant in the innermost open slice. The low 40 bits of an id count; other processes may use the same ids.
 */
static inline void inftrace_flow(uint64_t id)
{
	if (inftrace_is_on())
		inftrace_flow_on(id, 0);
}

/* The same for the last moment of a flow: the id may be used for another one from now on. */
static inline void inftrace_flow_end(uint64_t id)
{
	if (inftrace_is_on())
		inftrace_flow_on(id, 1);
}

/*
 * Tokens of a request go into the innermost inference that this thread has begun (INFTRACE_INFERENCE), else into the
 * next one of a runtime on this thread: for decoders whose tokens inftrace does not find by itself. Once for each
 * sequence of a batch.
 * sequence: a number of the request; position: how many tokens of it the cache has already, -1: all that went in
 * before; n_results: of how many the output is asked for: 1, or 0 for a part of the prompt behind which another part
 * follows. A generation begins at position 0, or with a number that is new.
 */
static inline void inftrace_tokens(uint32_t sequence, int64_t position, uint32_t n_tokens, uint32_t n_results)
{
	if (inftrace_is_on())
		inftrace_tokens_on(sequence, position, n_tokens, n_results);
}

/* Ends the slice that a macro below began, when the block ends. */
struct inftrace_guard {
	bool has_begun;
};

static inline struct inftrace_guard inftrace_guard_begin(const struct inftrace_name *name)
{
	struct inftrace_guard guard = { inftrace_is_on() };

	if (guard.has_begun)
		inftrace_begin_on(name);
	return guard;
}

/* text is interned when it is first recorded, and kept in *name. */
static inline struct inftrace_guard inftrace_guard_scope(const struct inftrace_name **name, const char *text)
{
	const struct inftrace_name *known;

	if (!inftrace_is_on())
		return inftrace_guard_begin(NULL);
	known = __atomic_load_n(name, __ATOMIC_ACQUIRE);
	if (!known) {
		known = inftrace_intern(text);
		__atomic_store_n(name, known, __ATOMIC_RELEASE);
	}
	return inftrace_guard_begin(known);
}

static inline void inftrace_guard_end(const struct inftrace_guard *guard)
{
	if (guard->has_begun)
		inftrace_end();
}

#ifdef __cplusplus
}
#endif

#define INFTRACE_JOINED_(a, b) a##b
#define INFTRACE_JOINED(a, b) INFTRACE_JOINED_(a, b)
#define INFTRACE_GUARD \
	__attribute__((cleanup(inftrace_guard_end), unused)) struct inftrace_guard INFTRACE_JOINED(inftrace_guard_, \
												   __LINE__)

/*
 * Statements: a slice from here to the end of the block, also when it is left by return, break or a C++ exception.
 * INFTRACE_SLICE takes a name, INFTRACE_SCOPE a text that never changes.
 */
#ifndef INFTRACE_DISABLE
#define INFTRACE_SLICE(name) INFTRACE_GUARD = inftrace_guard_begin(name)
#define INFTRACE_SCOPE(text) \
	static const struct inftrace_name *INFTRACE_JOINED(inftrace_name_, __LINE__); \
	INFTRACE_GUARD = inftrace_guard_scope(&INFTRACE_JOINED(inftrace_name_, __LINE__), text)
#else
#define INFTRACE_SLICE(name) ((void)(name))
#define INFTRACE_SCOPE(text) ((void)(text))
#endif

#ifdef __cplusplus

namespace inftrace
{

	/* A slice for as long as the object lives, on the thread that made it. */
	class slice
	{
	public:
		explicit slice(const inftrace_name *name) noexcept : guard_(inftrace_guard_begin(name))
		{
		}

		~slice()
		{
			inftrace_guard_end(&guard_);
		}

		/* Ends it now, as one that failed. */
		void fail(const char *message) noexcept
		{
			if (guard_.has_begun)
				inftrace_end_failed(message ? message : "failed");
			guard_.has_begun = false;
		}

		slice(const slice &) = delete;
		slice &operator = (const slice &) = delete;

	private:
		inftrace_guard guard_;
	};

} // namespace inftrace

#endif

#endif
