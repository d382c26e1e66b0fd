/* SPDX-License-Identifier: Apache-2.0 */
/* A GGUF file, run by llama.cpp in place of ONNX Runtime. */
#ifndef MODEL_RUN_RUN_LLAMA_H
#define MODEL_RUN_RUN_LLAMA_H

#include "model/run/run.h"

/* The library, then the model: into run->decoder. 0, or -errno and err. */
int run_llama_load(struct run *run, struct err *err);
int run_llama_session(struct run *run, struct err *err);
/* Also what is loaded in part, or not. */
void run_llama_unload(struct run *run);

extern const struct run_generator run_generator_llama;

#endif
