/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of runtimes: what is known of the inside of each. A runtime is one file (runtime_<name>.c), one constant of
 * type struct runtime and one line in runtimes.c. The agent, the probes, inject and doctor read the table; none of them
 * names a runtime. Data first; code only for versions that data cannot describe.
 *
 * A family is one function of the runtime that the agent hooks: "operators", "end of runs". It is replaced in the
 * virtual tables of a class and of all classes that derive from it.
 */
#ifndef RUNTIME_RUNTIMES_H
#define RUNTIME_RUNTIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "runtime/find/rtti.h"
#include "runtime/shape.h"

enum { RUNTIME_FAMILIES = 40, RUNTIME_MARKS = 4 };

/* The event that a call of a family's function stands for. */
enum runtime_event {
	RUNTIME_OTHER, /* only used by the runtime's own code in the agent */
	RUNTIME_CREATION,
	RUNTIME_LOAD,
	RUNTIME_PART, /* a part of session creation, named after its object */
	RUNTIME_RUN,
	RUNTIME_OPERATOR, /* in data alone: a function with at most five parameters */
	RUNTIME_RELEASE,
	RUNTIME_REQUEST, /* the program asks for a run */
	RUNTIME_SEEN,	 /* the runtime's row looks at its arguments and its result */
};

/* The slot from this minor version on. */
struct runtime_slot {
	uint16_t minor;
	int16_t slot;
};

/* What an object is called. */
struct runtime_names {
	char name[256], type[64];
	char path[512]; /* of a model: its file; "": not known */
};

/* Offsets in an object that runs, and in those that it leads to, as its row counts them. */
struct runtime_inputs {
	uint16_t at[3];
};

struct runtime_family {
	const char *name;		  /* for people: "operators" */
	const char *class_name;		  /* mangled; its tables hold the slot, and those of derived classes */
	const char *only;		  /* NULL: all classes; else the only class whose tables are replaced */
	const struct runtime_slot *slots; /* by version, from the oldest; ends with slot -1 */
	const char *counted;		  /* name of the number of replaced tables in the report; NULL: not reported */
	uint8_t event;			  /* enum runtime_event */
	bool is_operator;		  /* only used from level operator on */
	bool is_detail;			  /* only used at level detail */
	bool is_inherited;		  /* its function may be another module's */
	bool is_self_second;		  /* it returns a class: `this` is the second argument */
	const char *object_name;	  /* where its object keeps its name, and its type: paths for peek_path */
	const char *object_type;
	/* Reads them where no path does. Of a run: the names of its session's object. NULL: paths. Any thread. */
	void (*names)(uint64_t object, struct runtime_names *to);
	/* Of an operator that is called, at its first call: whether the runtime itself times it. NULL: not known. */
	bool (*is_timed)(uint64_t object);
	/* Of an operator, at level detail: the shapes of its inputs, where they never change. NULL: not known. Any
	 * thread. */
	bool (*shapes)(uint64_t object, struct shapes *to);
	const char *provider; /* of an operator: the device that it runs on; NULL: not known */
	/*
	 * Of a run: the object of its session, which its own object points at, and where it does; *at is a guess on
	 * entry, 0: none. 0: there is none. NULL: the run's object is that of its session. Of a request: the object of
	 * its run.
	 */
	uint64_t (*leads_to)(uint64_t object, unsigned *at);
	/*
	 * Of a run: the shapes of its inputs as it begins. find_inputs: once for each object, where it keeps them;
	 * leads_at: where it has the object of its session. False: not known. inputs: at each call, by plain loads of
	 * what the object owns, into what is empty; false: not known. NULL, both: shapes are not known.
	 */
	bool (*find_inputs)(uint64_t object, unsigned leads_at, struct runtime_inputs *to);
	bool (*inputs)(uint64_t object, const struct runtime_inputs *at, struct shapes *to);
	/*
	 * Of a run, after `inputs`, by these: what goes in of which sequence, as EVENT_KEYS has SEQUENCES; its
	 * length, 0: the inputs name no sequences. NULL: they never do.
	 */
	size_t (*sequences)(const struct shapes *inputs, char *to, size_t size);
	bool is_queued; /* of a request: it waits for a thread of the runtime's own, and returns before it ran */
	/* Of a creation that returns a class: argument 3 points at a pointer to the model; `names` is asked of that. */
	bool has_model;
	/* RUNTIME_SEEN: after the call, with its first three arguments. Any thread. */
	void (*seen)(uint64_t first, uint64_t second, uint64_t third);
	bool is_change_told; /* of a part: it returns whether it changed the model */
};

/* Texts in a module's read-only data that identify its file; at most 64 bytes each, prefix and NUL included. */
struct runtime_marks {
	const char *prefix;		  /* common to all of them; not NULL */
	unsigned fewest;		  /* the least number of prefixes in a file that holds the runtime and does
					   * not just name it */
	const char *whole[RUNTIME_MARKS]; /* what follows the prefix in the runtime; ends with NULL */
	const char *part[RUNTIME_MARKS];  /* the same in a library that belongs to it */
};

/* Where objects keep the fields that a probe reads; bytes from an object's start. */
struct runtime_layout {
	uint16_t kernel_info, info_node, info_provider;
	uint16_t info_inside; /* the last minor version with the info inside the kernel, and no pointer to it */
	uint16_t node_index, node_name;
	uint16_t string, old_string; /* size of a std::string of the C++ library since 5, and before */
	uint16_t part_name;	     /* of a graph transformer */
	uint16_t status_message;
	uint16_t context_options; /* of an operator's context: the first of the words that may lead to the run's options
				   */
};

struct runtime;

/* One copy of a runtime in a module. */
struct runtime_found {
	const struct runtime *runtime;
	const struct image *image;
	const char *version; /* "1.22.1"; "": not in the module (a provider's library) */
	int minor;	     /* 22; 0: unknown */
	uint64_t api;	     /* address of its table of C functions, 0: not found */
	unsigned n_api;	     /* slots of it that are sure to exist */
	bool is_part;	     /* a library of the runtime that needs no mention of its own */
	bool is_old_string;  /* std::string is 8 bytes (text, its length 24 before it), not 32 (text, length ...) */
	int slot[RUNTIME_FAMILIES]; /* -1: left out */
	char left_out[400];	    /* families left out, and why; "": none */
};

struct probe_sites;
struct image_file;

struct runtime {
	const char *name;  /* in recordings: "onnxruntime" */
	const char *title; /* for people: "ONNX Runtime" */
	/*
	 * Symbols that a program looks up just before it enters the runtime; a "*" at the end stands for any rest. Ends
	 * with NULL.
	 */
	const char *const *entries;
	/* Packages of Python that are the runtime's own; NULL: none. Ends with NULL. */
	const char *const *packages;
	/* What names of its own files contain, in whose code no line of a program is; NULL: nothing. Ends with NULL. */
	const char *const *libraries;
	struct runtime_marks marks;
	const struct runtime_family *family; /* in the order of arming: ends before begins */
	unsigned n_families;
	int inject_family;     /* a function that every inference calls, where the agent can be loaded into a running
				* process; -1: none */
	unsigned inject_entry; /* the same in the table of C functions, where the module has no classes; 0: none */
	/*
	 * The same, of a runtime that is known by its functions: one that its library calls through a word of its own;
	 * of at most six integer parameters. NULL: none.
	 */
	const char *inject_import;
	const struct runtime_layout *layout; /* NULL: probes read no names */

	/*
	 * Whether the module names functions of the runtime. A module without tables of classes is looked at only then.
	 * NULL: the runtime is known by its classes.
	 */
	bool (*has_symbols)(const struct image *image);
	/*
	 * Whether the module holds the runtime, or a library that belongs to it. NULL: test for the class of the first
	 * family.
	 */
	bool (*is_in)(const struct rtti *rtti);
	/* The same where it takes a search of milliseconds: asked of a module in which no runtime was found. NULL:
	 * none. */
	bool (*is_in_by_search)(const struct rtti *rtti);
	/*
	 * Fills in *found, which has image and runtime set and is zero otherwise. host: a copy of the same runtime in
	 * the process that a library may belong to; NULL: none. NULL: use the families' slots for version 0.
	 */
	void (*find)(struct runtime_found *found, struct rtti *rtti, const struct runtime_found *host);
	/* Finds the probe sites in its file (runtime/probe_sites.h); not in the agent. NULL: it cannot be probed. */
	int (*find_sites)(struct probe_sites *sites, const struct image_file *file, const struct probe_sites *host,
			  struct err *err);
};

extern const struct runtime *const runtimes[]; /* NULL-terminated */

/* Whether a runtime that is known by its functions may be in this module. */
bool runtimes_by_symbols(const struct image *image);
/* Whether a library's file has the name of one of a runtime. */
bool runtimes_is_library(const char *path);
/* The runtime that this module holds or that its library belongs to; NULL: none. */
const struct runtime *runtimes_in(const struct rtti *rtti);
/* Fills in everything known about this copy. */
void runtimes_find(struct runtime_found *found, const struct runtime *runtime, struct rtti *rtti,
		   const struct runtime_found *host);
/* A family's slot in this version, -1: not known. */
int runtimes_slot(const struct runtime_family *family, int minor);

#endif
