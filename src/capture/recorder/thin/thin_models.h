/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What decides about the operators of an inference that has ended: its duration among those of its model in the same
 * minute, and its turn. Each model counts its own turns, so that programs that run two by turns keep both. For thin.c.
 */
#ifndef CAPTURE_RECORDER_THIN_MODELS_H
#define CAPTURE_RECORDER_THIN_MODELS_H

#include <stdbool.h>
#include <stdint.h>

enum { THIN_SLOWEST = 20, THIN_MODELS = 256 };

#define THIN_WINDOW_NS UINT64_C(60000000000)

struct thin_model {
	uint64_t key; /* process and model; 0: a free place */
	uint64_t n;   /* inferences that had their turn */
	uint64_t window_ns;
	uint64_t slowest_ns[THIN_SLOWEST]; /* of the window, in any order */
	uint32_t n_slowest;
};

/* The last one counts all models that have found no place. */
struct thin_models {
	struct thin_model model[THIN_MODELS + 1];
};

struct thin_model *thin_models_find(struct thin_models *models, uint32_t process, uint32_t name);
/* The process is over. */
void thin_models_forget(struct thin_models *models, uint32_t process);
/* Whether an inference that ended then is one of the slowest so far. */
bool thin_model_is_slow(struct thin_model *model, uint64_t end_ns, uint64_t duration_ns);
/* Whether it is the turn of this one. */
static inline bool thin_model_is_turn(struct thin_model *model, uint32_t every)
{
	return model->n++ % every == 0;
}

#endif
