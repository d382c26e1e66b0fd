/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On which kind of device a provider ran: from its options, from the devices that its session was given, or because the
 * machine has no other. Reads the result of a run and sysfs, computes nothing.
 */
#ifndef EXPERIMENT_MODEL_DEVICE_H
#define EXPERIMENT_MODEL_DEVICE_H

#include "model/run/run_result.h"

/* "CPU", "GPU", "NPU"; NULL: not known. sysroot: "" in life. */
const char *model_device_of(const struct run_result *run, const char *sysroot);

#endif
