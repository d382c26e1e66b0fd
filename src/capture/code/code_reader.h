/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child without rights that reads what compilers left in files of code: how to go from a function to its caller, and
 * which function and line an address is. Files are untrusted, so the child has nothing but them; whatever one does to
 * it becomes "not known". It stays, so that each file is read once. Addresses are offsets in the file,
 * unless a question has one as the file's headers count.
 *
 * Answers come in the order of questions. One thread. Nothing is fetched and no other file is read.
 */
#ifndef CAPTURE_CODE_CODE_READER_H
#define CAPTURE_CODE_CODE_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum { CODE_SAVED = 12, CODE_INLINE = 6, CODE_REGISTERS = 33, CODE_CFA_BASE = 0xff, CODE_STARTS = 8 };

enum code_kind { CODE_RULE, CODE_PLACE };

/* What a register of the caller is. Numbers of registers are DWARF's. */
enum code_saved_kind {
	CODE_LOST,
	CODE_SAME,
	CODE_AT, /* in memory, at base and offset */
};
struct code_saved {
	uint8_t number, kind, base; /* base: a register, CODE_CFA_BASE */
	int32_t offset;
};

enum code_cfa {
	CODE_CFA_UNKNOWN,
	CODE_CFA_SUM,	/* base + offset */
	CODE_CFA_DEREF, /* what is in memory there */
	CODE_CFA_PLT,	/* of a linkage table's entry */
};

/* How the caller's registers follow from those of a function at one address. */
struct code_rule {
	uint8_t cfa, cfa_base, n_saved;
	bool is_signal; /* the caller was interrupted: its address is not behind a call */
	bool is_end;	/* it has no caller */
	int32_t cfa_offset;
	struct code_saved saved[CODE_SAVED], address; /* address: where it returns to */
	uint64_t function;			      /* where the function begins; 0: not known */
};

/* Innermost first: functions that were inlined, then the one that contains them. */
struct code_place {
	uint64_t address, begin; /* as the file's headers count them: this one; its function's, 0: not known */
	char build[64];		 /* build id in hexadecimal digits */
	uint32_t n;
	struct {
		uint32_t line;	    /* 0: not known */
		char function[192]; /* "": not known */
		char file[256];
	} at[CODE_INLINE];
};

struct code_question {
	uint32_t number, kind, file;
	uint32_t has_file; /* its descriptor comes with it: the first question about a file */
	uint64_t offset;
	uint64_t by_address; /* offset is an address, as the file's headers count */
};

struct code_answer {
	uint32_t number, kind;
	bool is_known;
	union {
		struct code_rule rule;
		struct code_place place;
	};
};

/* Zeroed: not started. */
struct code_reader {
	pid_t child;
	int slot; /* descriptor + 1 */
	uint32_t n_starts, n_ending;
	pid_t ending[CODE_STARTS]; /* killed, not waited for yet */
};

/* Whether inftrace was built with what the child needs. */
bool code_reader_is_built(void);
/* 0, or -errno: it cannot be started, or has been started too often. is_idle: it takes only CPU time that nobody wants.
 */
int code_reader_start(struct code_reader *reader, bool is_idle);
/* An idle child takes CPU time as others do from now on. Whether it may: only a privileged user can raise a priority.
 */
bool code_reader_hurry(const struct code_reader *reader);
/* CPU time of the child so far; 0: not known. */
uint64_t code_reader_cpu_ns(const struct code_reader *reader);
/* Whether the child runs or waits for a CPU; false: it waits for something else, or has ended. */
bool code_reader_is_ready(const struct code_reader *reader);
/* fd: of the file, or -1. 0; -EAGAIN: it has too many questions; -EPIPE: it has ended. */
int code_reader_ask(struct code_reader *reader, const struct code_question *question, int fd);
/* 1: an answer, checked; 0: none so far; -EPIPE: it has ended. */
int code_reader_answer(struct code_reader *reader, struct code_answer *answer, int wait_ms);
/* Kills the child, and waits for its end for 20 ms; one that has not ended by then is waited for at the next call. */
void code_reader_stop(struct code_reader *reader);

/* Of the child: answers questions until there are no more. */
void code_child(int socket);

#endif
