/* SPDX-License-Identifier: Apache-2.0 */
/* Runtimes whose inferences are not recorded: known by the names of their libraries, so that reports can name them. */
#ifndef RUNTIME_OTHER_RUNTIMES_H
#define RUNTIME_OTHER_RUNTIMES_H

/* "PyTorch", for the file that a process has mapped as code; NULL: it belongs to none. path may have no folder. */
const char *other_runtimes_of(const char *path);

#endif
