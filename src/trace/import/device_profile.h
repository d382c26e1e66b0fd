/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile of an execution provider: what ran on the device inside each execution of a fused operator. Texts are ids
 * of a struct names; unknown values are 0 (texts) or -1 (numbers).
 */
#ifndef TRACE_IMPORT_DEVICE_PROFILE_H
#define TRACE_IMPORT_DEVICE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "event/names.h"

#define DEVICE_NO_ROW SIZE_MAX

enum device_unit { DEVICE_US, DEVICE_CYCLES };

struct device_row {
	uint32_t name, op_type, implementation;
	uint32_t source_ops; /* nodes of the model, separated by ';' */
	enum device_unit unit;
	bool is_whole;	   /* of the execution as a whole ("Accelerator (execute) time"), not of one kernel */
	int64_t value;	   /* in that unit, 0 or more */
	int64_t offset_us; /* since the operator (inference) began; -1: not in the profile */
};

/* One execution of one fused operator, or (is_inference) of the whole graph, in the order in which they began. */
struct device_execution {
	bool is_inference;
	uint32_t operator; /* name of the operator in the runtime's graph; 0: not in the profile */
	size_t whole;	   /* row with the provider's own time for it, in microseconds; DEVICE_NO_ROW: none */
	size_t first, n;   /* of rows */
};

struct device_profile {
	struct names *names; /* borrowed */
	struct device_execution *executions;
	struct device_row *rows;
	size_t n_executions, n_rows, execution_room, row_room;
	size_t n_unread; /* unreadable lines */
	bool is_cut;	 /* the file ends within an execution, which is left out */
	uint32_t source; /* which profile: "QNN profile" */
	size_t n_apart;	 /* number of rows outside of any execution, after the others */
};

/*
 * Both read a file's bytes into a profile; names is borrowed until device_profile_done. 0; or -errno and err ("cannot
 * read it: at byte N: ..."): not such a file, or out of memory. Call device_profile_done after a failure, too.
 */
/* The CSV file of QNN, as written by its HTP and its CPU backend. */
int device_profile_qnn(struct device_profile *profile, struct names *names, const char *data, size_t size,
		       struct err *err);
/* Whether these can be the first bytes of such a file. */
bool device_profile_is_qnn(const char *first, size_t size);
/* Rows of the categories Kernel and Api of ONNX Runtime's own profile, without its operators. */
int device_profile_ort(struct device_profile *profile, struct names *names, const char *data, size_t size,
		       struct err *err);
void device_profile_done(struct device_profile *profile);

/* For both: appends a zeroed row; NULL: out of memory. */
struct device_row *device_profile_row(struct device_profile *profile);
struct device_execution *device_profile_execution(struct device_profile *profile);

#endif
