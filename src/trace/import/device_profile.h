/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the profiler of an execution provider wrote: what ran on the device inside each execution of a fused operator.
 * Texts are ids of a struct names; what is not known is 0 (texts) or -1 (numbers).
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
	uint32_t source_ops; /* nodes of the model, ';' between them */
	enum device_unit unit;
	bool is_whole;	   /* of the execution as a whole ("Accelerator (execute) time"), not of one kernel */
	int64_t value;	   /* in that unit, 0 or more */
	int64_t offset_us; /* since the operator (inference) began; -1: the profile does not say */
};

/* One execution of one fused operator, or (is_inference) of the whole graph, in the order in which they began. */
struct device_execution {
	bool is_inference;
	uint32_t operator; /* name of the operator in the runtime's graph; 0: the profile does not say */
	size_t whole;	   /* row with the provider's own time for it, in microseconds; DEVICE_NO_ROW: none */
	size_t first, n;   /* of rows */
};

struct device_profile {
	struct names *names; /* borrowed */
	struct device_execution *executions;
	struct device_row *rows;
	size_t n_executions, n_rows, execution_room, row_room;
	size_t n_unread; /* lines that could not be read */
	bool is_cut;	 /* the file ends in the middle of an execution, which is not among these */
	uint32_t source; /* which profile: "QNN profile" */
	size_t n_apart;	 /* of rows: of no execution, behind the others; they run on their own */
};

/*
 * Both read a file's bytes into a profile; names is borrowed until device_profile_done. 0; or -errno and err ("cannot
 * read it: at byte N: ..."): not such a file, or out of memory. device_profile_done undoes it, also after a failure.
 */
/* The CSV file of QNN, in the forms that its HTP and its CPU backend write. */
int device_profile_qnn(struct device_profile *profile, struct names *names, const char *data, size_t size,
		       struct err *err);
/* Could these be the first bytes of such a file? */
bool device_profile_is_qnn(const char *first, size_t size);
/* Rows of categories Kernel and Api of ONNX Runtime's own profile; its operators are not among them. */
int device_profile_ort(struct device_profile *profile, struct names *names, const char *data, size_t size,
		       struct err *err);
void device_profile_done(struct device_profile *profile);

/* For the two: one more, zeroed, or NULL: memory is out. */
struct device_row *device_profile_row(struct device_profile *profile);
struct device_execution *device_profile_execution(struct device_profile *profile);

#endif
