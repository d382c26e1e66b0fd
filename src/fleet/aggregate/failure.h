/* SPDX-License-Identifier: Apache-2.0 */
/* Why an inference failed, as one of a few classes: messages of runtimes hold names and numbers without end. */
#ifndef FLEET_AGGREGATE_FAILURE_H
#define FLEET_AGGREGATE_FAILURE_H

/* F(FAILURE_<NAME>, its name at every door) */
#define FAILURES(F) \
	F(OTHER, "other") \
	F(INPUT, "input") /* its type, shape, name or number */ \
	F(OUT_OF_MEMORY, "out_of_memory") \
	F(TERMINATED, "terminated") /* the program asked for it */ \
	F(NOT_IMPLEMENTED, "not_implemented") \
	F(DEVICE, "device")	/* of a device or its library */ \
	F(MODEL, "model")	/* the model cannot be used */ \
	F(OPERATOR, "operator") /* an operator failed for another reason */

#define FAILURE_ENUM(name, text) FAILURE_##name,
enum failure { FAILURES(FAILURE_ENUM) N_FAILURES };

enum failure failure_of(const char *message);
const char *failure_name(enum failure failure);

#endif
