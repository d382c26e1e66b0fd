// SPDX-License-Identifier: Apache-2.0
/* A small table by process and name, and the slowest of each. Reads no event. */
#include "capture/recorder/thin/thin_in.h"

static uint32_t place_of(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 56);
}

struct thin_model *thin_models_find(struct thin_models *models, uint32_t process, uint32_t name)
{
	uint64_t key = ((uint64_t)process << 32 | name) + 1;
	uint32_t at = place_of(key);

	for (uint32_t i = 0; i < THIN_MODELS; i++, at = (at + 1) % THIN_MODELS) {
		if (!models->model[at].key)
			models->model[at].key = key;
		if (models->model[at].key == key)
			return &models->model[at];
	}
	return &models->model[THIN_MODELS];
}

/* Whoever was put behind a place because it was taken moves up. */
static void remove_at(struct thin_models *models, uint32_t at)
{
	uint32_t next = at;

	models->model[at] = (struct thin_model){ 0 };
	for (uint32_t i = 1; i < THIN_MODELS; i++) {
		next = (next + 1) % THIN_MODELS;
		if (!models->model[next].key)
			return;
		if ((next - place_of(models->model[next].key)) % THIN_MODELS < (next - at) % THIN_MODELS)
			continue;
		models->model[at] = models->model[next];
		models->model[next] = (struct thin_model){ 0 };
		at = next;
	}
}

void thin_models_forget(struct thin_models *models, uint32_t process)
{
	for (uint32_t i = 0; i < THIN_MODELS;)
		if (models->model[i].key && (models->model[i].key - 1) >> 32 == process)
			remove_at(models, i);
		else
			i++;
}

bool thin_model_is_slow(struct thin_model *model, uint64_t end_ns, uint64_t duration_ns)
{
	uint32_t fastest = 0;

	if (end_ns - model->window_ns >= THIN_WINDOW_NS) {
		model->window_ns = end_ns;
		model->n_slowest = 0;
	}
	if (model->n_slowest < THIN_SLOWEST) {
		model->slowest_ns[model->n_slowest++] = duration_ns;
		return true;
	}
	for (uint32_t i = 1; i < THIN_SLOWEST; i++)
		if (model->slowest_ns[i] < model->slowest_ns[fastest])
			fastest = i;
	if (duration_ns <= model->slowest_ns[fastest])
		return false;
	model->slowest_ns[fastest] = duration_ns;
	return true;
}
