/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the folders in which ONNX Runtime and its packages may be installed. Does not look into them. */
#ifndef MODEL_ORT_ORT_PLACES_H
#define MODEL_ORT_ORT_PLACES_H

/*
 * sysroot: "" on a live machine. For another machine's files below that folder only fixed places are listed, because
 * variables, the current folder and the home belong to this machine.
 */

/* folder exists; both texts are valid during the call only. how: "Python in ...". */
typedef void (*ort_place)(void *ctx, const char *folder, const char *how);

/* The loader's path, Python installations, Node installations, common folders, in this order. */
void ort_places_each(const char *sysroot, ort_place look, void *ctx);

/* Folders with Python packages: site-packages and dist-packages. */
void ort_places_each_site(const char *sysroot, ort_place look, void *ctx);

#endif
