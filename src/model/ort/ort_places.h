/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders in which ONNX Runtime and what belongs to it may be installed here. Says nothing of what is in them.
 */
#ifndef MODEL_ORT_ORT_PLACES_H
#define MODEL_ORT_ORT_PLACES_H

/* What Node packages call this machine. */
#if defined(__aarch64__)
#define ORT_NODE_ARCH "arm64"
#else
#define ORT_NODE_ARCH "x64"
#endif

/*
 * sysroot: "" in life; another machine's files below that folder: then only places that are the same for everybody,
 * since variables, the current folder and the home are this machine's.
 */

/* folder exists; both texts are the callee's for the call only. how: "Python in ...". */
typedef void (*ort_place)(void *ctx, const char *folder, const char *how);

/* The loader's path, Python installations, Node installations, common folders, in this order. */
void ort_places_each(const char *sysroot, ort_place look, void *ctx);

/* Folders with Python packages: site-packages and dist-packages. */
void ort_places_each_site(const char *sysroot, ort_place look, void *ctx);

#endif
