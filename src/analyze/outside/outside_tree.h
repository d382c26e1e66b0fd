/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time in which no model ran, as trees that each add up to it: by what was done, by calling path, by thread, and by
 * the model that ran next. Rows lie parents first, children with most time first; a parent's time is that of its
 * children and, of calling paths, its own.
 */
#ifndef ANALYZE_OUTSIDE_OUTSIDE_TREE_H
#define ANALYZE_OUTSIDE_OUTSIDE_TREE_H

#include "analyze/outside/outside.h"
#include "base/array.h"
#include "base/text/printable.h"
#include "event/names.h"

/* F(OUTSIDE_BY_<NAME>, word in JSON and SQL) */
#define OUTSIDE_VIEWS(F) \
	F(WHAT, "what")	    /* state > what it waited for > place of the program */ \
	F(PATH, "path")	    /* frames, outermost first */ \
	F(THREAD, "thread") /* thread > state > what it waited for > place */ \
	F(MODEL, "model")   /* model that ran next > state > what it waited for > place */
#define OUTSIDE_VIEW_ENUM(name, text) OUTSIDE_BY_##name,
enum outside_view { OUTSIDE_VIEWS(OUTSIDE_VIEW_ENUM) N_OUTSIDE_VIEWS };

/* What a row is: F(OUTSIDE_<NAME>, word). */
#define OUTSIDE_KINDS(F) \
	F(STATE, "state")	/* "ran", "blocked in a system call" */ \
	F(WAIT, "wait")		/* "recvfrom on 10.0.0.7:443", "held by burn (gil.py:4)" */ \
	F(PLACE, "place")	/* "Image.resize, called from c_pre.py:6" */ \
	F(FRAME, "frame")	/* "resize (Image.py:2193)" */ \
	F(THREAD_ROW, "thread") /* "MainThread 4711" */ \
	F(MODEL_ROW, \
	  "model") /* its name; of what came before the first call, before creations and after the last one: "none" */ \
	F(OTHERS, "others")		/* the small ones beside it */ \
	F(UNATTRIBUTED, "unattributed") /* no sample explains it */
#define OUTSIDE_KIND_ENUM(name, text) OUTSIDE_##name,
enum outside_kind { OUTSIDE_KINDS(OUTSIDE_KIND_ENUM) N_OUTSIDE_KINDS };

struct outside_row {
	enum outside_view view;
	enum outside_kind kind;
	enum sample_state state; /* of all of it; SAMPLE_UNKNOWN: of several, or not known */
	uint32_t parent;	 /* row; OUTSIDE_NONE: none */
	uint32_t depth;
	uint32_t name;			   /* in words */
	uint32_t function, file, line;	   /* places and frames; 0: not known */
	uint32_t caller_file, caller_line; /* places that the program's own line called */
	uint32_t process;		   /* threads, as in outside_leaf; else OUTSIDE_NONE */
	int32_t tid;			   /* the same; 0 */
	uint32_t before;		   /* models, as in outside_leaf; else OUTSIDE_NONE */
	uint64_t ns, ran_ns;		   /* ran_ns: the thread ran */
	uint64_t longest_ns;		   /* of states before models: in one gap, at most */
	uint64_t n;			   /* samples */
};

/* What is divided. */
struct outside_whole {
	const struct outside_leaf *leaf;
	size_t n;
	uint64_t ns;		     /* what leaves do not have of it is unattributed */
	const uint32_t *before_name; /* texts, by what leaves are before */
	uint32_t n_before;
};

/* Rows of all views, behind what is in `rows`. Words go into names. 0 or -ENOMEM. */
int outside_tree_make(struct array *rows, struct names *names, const struct outside_whole *whole);
/* What it waited for: "recvfrom on 10.0.0.7:443", "held by burn (gil.py:4)"; "": the state says it, or nothing does. */
struct printable outside_wait_words(const struct names *names, const struct outside_leaf *leaf);
const char *outside_view_name(unsigned view);
const char *outside_kind_name(unsigned kind);

#endif
