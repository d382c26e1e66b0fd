/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises virtual functions with a trivial body, such as the defaults of a base class. Their sequence in a virtual
 * table is a fingerprint of the class (ort.c).
 */
#ifndef RUNTIME_TRIVIAL_BODY_H
#define RUNTIME_TRIVIAL_BODY_H

#include "runtime/find/image.h"

/*
 * 'S': stores a null word through its hidden first argument and returns that argument (Status::OK()); '0', '1': returns
 * that constant; 'V': just returns; '.': anything else; 'P': the address is not code of this module.
 */
char trivial_body(const struct image *image, uint64_t function);

#endif
