// SPDX-License-Identifier: Apache-2.0
/* A file whose cases were all taken out: it must fail. */
#include "cases.h"
