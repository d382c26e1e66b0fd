/* SPDX-License-Identifier: Apache-2.0 */
/* What to do when a provider cannot be used. */
#ifndef EXPERIMENT_MODEL_ADVICE_H
#define EXPERIMENT_MODEL_ADVICE_H

/* The way to an ONNX Runtime that has the provider built in. NULL: none is known. */
const char *model_advice(const char *provider);

#endif
