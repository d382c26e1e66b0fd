/* SPDX-License-Identifier: Apache-2.0 */
/* What row and agent agree on: the modules of PyTorch, by what they hold. */
#ifndef RUNTIME_TORCH_TORCH_H
#define RUNTIME_TORCH_TORCH_H

#include "runtime/runtimes.h"

extern const struct runtime runtime_torch;

/* By which observers of operators are added and removed; and what an observer is given. */
#define TORCH_ADD "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE"
#define TORCH_REMOVE "_ZN2at14removeCallbackEm"
#define TORCH_NAME "_ZNK2at14RecordFunction4nameEv"
/* In libc10: whether a tensor's gradient is wanted; its gradient, which is this one if it has none. */
#define TORCH_REQUIRES "_ZNK3c1010TensorImpl13requires_gradEv"
#define TORCH_GRADIENT "_ZNK3c1010TensorImpl4gradEv"
#define TORCH_UNDEFINED "_ZN3c1019UndefinedTensorImpl10_singletonE"
/* A script's function; what its executor calls, by an import, to compile it the first time and after that. */
#define TORCH_RUN "_ZN5torch3jit13GraphFunction3runERSt6vectorIN3c106IValueESaIS4_EE"
#define TORCH_EXECUTOR "_ZN5torch3jit26ProfilingGraphExecutorImpl"
#define TORCH_TO_PROFILE TORCH_EXECUTOR "36runProfilingInsensitiveOptimizationsERSt10shared_ptrINS0_5GraphEE"
#define TORCH_OPTIMIZED TORCH_EXECUTOR "25runProfilingOptimizationsERSt10shared_ptrINS0_5GraphEEm"
/* What PyTorch looks up in the library of a model that was compiled ahead of time: names begin so. */
#define TORCH_CONTAINER "AOTInductorModelContainer"

enum { TORCH_INFERENCES, TORCH_OPERATORS, TORCH_TENSORS, TORCH_SCRIPTS, N_TORCH_FAMILIES };

/* libtorch_cpu, which dispatches operators; libtorch_python, through which Python enters them. */
bool torch_is_dispatcher(const struct rtti *rtti);
bool torch_is_python(const struct rtti *rtti);

#endif
