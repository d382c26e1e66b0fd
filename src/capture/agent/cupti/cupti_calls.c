// SPDX-License-Identifier: Apache-2.0
/*
 * The calls of CUDA that launch, copy, set, wait or take memory, by CUPTI's numbers, which have never changed between
 * 11.7 and 13.5. Variants of a call have numbers of their own.
 */
#include <string.h>

#include "capture/agent/cupti/cupti_in.h"

enum { VARIANTS = 4, NUMBERS = 1024 };

static const struct call {
	uint8_t is_driver, group;
	const char *name;
	uint16_t number[VARIANTS];
} calls[] = {
	{ 0, CALL_COPY, "cudaMemcpy", { 31, 215 } },
	{ 0, CALL_COPY, "cudaMemcpy2D", { 32, 216 } },
	{ 0, CALL_COPY, "cudaMemcpy2DArrayToArray", { 38, 222 } },
	{ 0, CALL_COPY, "cudaMemcpy2DAsync", { 44, 228 } },
	{ 0, CALL_COPY, "cudaMemcpy2DFromArray", { 36, 220 } },
	{ 0, CALL_COPY, "cudaMemcpy2DFromArrayAsync", { 46, 230 } },
	{ 0, CALL_COPY, "cudaMemcpy2DToArray", { 34, 218 } },
	{ 0, CALL_COPY, "cudaMemcpy2DToArrayAsync", { 45, 229 } },
	{ 0, CALL_COPY, "cudaMemcpy3D", { 144, 245 } },
	{ 0, CALL_COPY, "cudaMemcpy3DAsync", { 145, 246 } },
	{ 0, CALL_COPY, "cudaMemcpy3DBatchAsync", { 484, 485, 511, 512 } },
	{ 0, CALL_COPY, "cudaMemcpy3DPeer", { 162, 249 } },
	{ 0, CALL_COPY, "cudaMemcpy3DPeerAsync", { 163, 250 } },
	{ 0, CALL_COPY, "cudaMemcpy3DWithAttributesAsync", { 556, 557 } },
	{ 0, CALL_COPY, "cudaMemcpyArrayToArray", { 37, 221 } },
	{ 0, CALL_COPY, "cudaMemcpyAsync", { 41, 225 } },
	{ 0, CALL_COPY, "cudaMemcpyBatchAsync", { 482, 483, 509, 510 } },
	{ 0, CALL_COPY, "cudaMemcpyFromArray", { 35, 219 } },
	{ 0, CALL_COPY, "cudaMemcpyFromArrayAsync", { 43, 227 } },
	{ 0, CALL_COPY, "cudaMemcpyFromSymbol", { 40, 224 } },
	{ 0, CALL_COPY, "cudaMemcpyFromSymbolAsync", { 48, 232 } },
	{ 0, CALL_COPY, "cudaMemcpyPeer", { 160 } },
	{ 0, CALL_COPY, "cudaMemcpyPeerAsync", { 161 } },
	{ 0, CALL_COPY, "cudaMemcpyToArray", { 33, 217 } },
	{ 0, CALL_COPY, "cudaMemcpyToArrayAsync", { 42, 226 } },
	{ 0, CALL_COPY, "cudaMemcpyToSymbol", { 39, 223 } },
	{ 0, CALL_COPY, "cudaMemcpyToSymbolAsync", { 47, 231 } },
	{ 0, CALL_COPY, "cudaMemcpyWithAttributesAsync", { 554, 555 } },
	{ 0, CALL_GRAPH, "cudaGraphLaunch", { 311, 312 } },
	{ 0, CALL_LAUNCH, "__cudaLaunchKernel", { 505, 506 } },
	{ 0, CALL_LAUNCH, "cudaLaunch", { 13, 213 } },
	{ 0, CALL_LAUNCH, "cudaLaunchCooperativeKernel", { 269, 270 } },
	{ 0, CALL_LAUNCH, "cudaLaunchCooperativeKernelMultiDevice", { 272 } },
	{ 0, CALL_LAUNCH, "cudaLaunchKernel", { 211, 214 } },
	{ 0, CALL_LAUNCH, "cudaLaunchKernelExC", { 430, 431 } },
	{ 0, CALL_MEMORY, "cudaFree", { 22 } },
	{ 0, CALL_MEMORY, "cudaFreeAsync", { 375, 376 } },
	{ 0, CALL_MEMORY, "cudaFreeHost", { 26 } },
	{ 0, CALL_MEMORY, "cudaHostAlloc", { 27 } },
	{ 0, CALL_MEMORY, "cudaMalloc", { 20 } },
	{ 0, CALL_MEMORY, "cudaMallocAsync", { 373, 374 } },
	{ 0, CALL_MEMORY, "cudaMallocFromPoolAsync", { 391, 392 } },
	{ 0, CALL_MEMORY, "cudaMallocHost", { 25 } },
	{ 0, CALL_MEMORY, "cudaMallocManaged", { 206 } },
	{ 0, CALL_SET, "cudaMemset", { 49, 233 } },
	{ 0, CALL_SET, "cudaMemset2D", { 50, 234 } },
	{ 0, CALL_SET, "cudaMemset2DAsync", { 52, 236 } },
	{ 0, CALL_SET, "cudaMemset3D", { 142, 243 } },
	{ 0, CALL_SET, "cudaMemset3DAsync", { 143, 244 } },
	{ 0, CALL_SET, "cudaMemsetAsync", { 51, 235 } },
	{ 0, CALL_WAIT, "cudaDeviceSynchronize", { 165 } },
	{ 0, CALL_WAIT, "cudaEventSynchronize", { 137 } },
	{ 0, CALL_WAIT, "cudaExecutionCtxSynchronize", { 534 } },
	{ 0, CALL_WAIT, "cudaStreamSynchronize", { 131, 239 } },
	{ 0, CALL_WAIT, "cudaThreadSynchronize", { 126 } },
	{ 1, CALL_COPY, "cu64Memcpy2D", { 232 } },
	{ 1, CALL_COPY, "cu64Memcpy2DAsync", { 234 } },
	{ 1, CALL_COPY, "cu64Memcpy2DUnaligned", { 233 } },
	{ 1, CALL_COPY, "cu64Memcpy3D", { 59 } },
	{ 1, CALL_COPY, "cu64Memcpy3DAsync", { 70 } },
	{ 1, CALL_COPY, "cu64MemcpyAtoD", { 52 } },
	{ 1, CALL_COPY, "cu64MemcpyDtoA", { 50 } },
	{ 1, CALL_COPY, "cu64MemcpyDtoD", { 48 } },
	{ 1, CALL_COPY, "cu64MemcpyDtoDAsync", { 65 } },
	{ 1, CALL_COPY, "cu64MemcpyDtoH", { 46 } },
	{ 1, CALL_COPY, "cu64MemcpyDtoHAsync", { 63 } },
	{ 1, CALL_COPY, "cu64MemcpyHtoD", { 44 } },
	{ 1, CALL_COPY, "cu64MemcpyHtoDAsync", { 61 } },
	{ 1, CALL_COPY, "cuMemcpy", { 248, 305, 408 } },
	{ 1, CALL_COPY, "cuMemcpy2D", { 56, 287, 405 } },
	{ 1, CALL_COPY, "cuMemcpy2DAsync", { 68, 289, 424 } },
	{ 1, CALL_COPY, "cuMemcpy2DUnaligned", { 57, 288, 406 } },
	{ 1, CALL_COPY, "cuMemcpy3D", { 58, 290, 407 } },
	{ 1, CALL_COPY, "cuMemcpy3DAsync", { 69, 291, 425 } },
	{ 1, CALL_COPY, "cuMemcpy3DBatchAsync", { 778, 779, 798, 799 } },
	{ 1, CALL_COPY, "cuMemcpy3DPeer", { 320, 410 } },
	{ 1, CALL_COPY, "cuMemcpy3DPeerAsync", { 321, 427 } },
	{ 1, CALL_COPY, "cuMemcpy3DWithAttributesAsync", { 839, 840 } },
	{ 1, CALL_COPY, "cuMemcpyAsync", { 306, 418 } },
	{ 1, CALL_COPY, "cuMemcpyAtoA", { 55, 286, 404 } },
	{ 1, CALL_COPY, "cuMemcpyAtoD", { 51, 284, 401 } },
	{ 1, CALL_COPY, "cuMemcpyAtoH", { 54, 282, 403 } },
	{ 1, CALL_COPY, "cuMemcpyAtoHAsync", { 67, 283, 420 } },
	{ 1, CALL_COPY, "cuMemcpyBatchAsync", { 776, 777, 796, 797 } },
	{ 1, CALL_COPY, "cuMemcpyDtoA", { 49, 285, 400 } },
	{ 1, CALL_COPY, "cuMemcpyDtoD", { 47, 280, 399 } },
	{ 1, CALL_COPY, "cuMemcpyDtoDAsync", { 64, 281, 423 } },
	{ 1, CALL_COPY, "cuMemcpyDtoH", { 45, 278, 398 } },
	{ 1, CALL_COPY, "cuMemcpyDtoHAsync", { 62, 279, 422 } },
	{ 1, CALL_COPY, "cuMemcpyHtoA", { 53, 292, 402 } },
	{ 1, CALL_COPY, "cuMemcpyHtoAAsync", { 66, 293, 419 } },
	{ 1, CALL_COPY, "cuMemcpyHtoD", { 43, 276, 397 } },
	{ 1, CALL_COPY, "cuMemcpyHtoDAsync", { 60, 277, 421 } },
	{ 1, CALL_COPY, "cuMemcpyPeer", { 318, 409 } },
	{ 1, CALL_COPY, "cuMemcpyPeerAsync", { 319, 426 } },
	{ 1, CALL_COPY, "cuMemcpyWithAttributesAsync", { 837, 838 } },
	{ 1, CALL_GRAPH, "cuGraphLaunch", { 514, 515 } },
	{ 1, CALL_GRAPH, "cuGraphLaunchWithArguments", { 819 } },
	{ 1, CALL_LAUNCH, "cuLaunch", { 115 } },
	{ 1, CALL_LAUNCH, "cuLaunchCooperativeKernel", { 477, 478 } },
	{ 1, CALL_LAUNCH, "cuLaunchCooperativeKernelMultiDevice", { 480 } },
	{ 1, CALL_LAUNCH, "cuLaunchGrid", { 116 } },
	{ 1, CALL_LAUNCH, "cuLaunchGridAsync", { 117 } },
	{ 1, CALL_LAUNCH, "cuLaunchKernel", { 307, 442 } },
	{ 1, CALL_LAUNCH, "cuLaunchKernelEx", { 652, 653 } },
	{ 1, CALL_LAUNCH, "cuSubgridScheduleLaunch", { 828, 829 } },
	{ 1, CALL_MEMORY, "cuMemAlloc", { 29, 243 } },
	{ 1, CALL_MEMORY, "cuMemAllocAsync", { 598, 599 } },
	{ 1, CALL_MEMORY, "cuMemAllocFromPoolAsync", { 611, 612 } },
	{ 1, CALL_MEMORY, "cuMemAllocHost", { 37, 294 } },
	{ 1, CALL_MEMORY, "cuMemAllocManaged", { 371 } },
	{ 1, CALL_MEMORY, "cuMemCreate", { 549 } },
	{ 1, CALL_MEMORY, "cuMemFree", { 33, 245 } },
	{ 1, CALL_MEMORY, "cuMemFreeAsync", { 600, 601 } },
	{ 1, CALL_MEMORY, "cuMemFreeHost", { 38 } },
	{ 1, CALL_MEMORY, "cuMemHostAlloc", { 39, 271 } },
	{ 1, CALL_MEMORY, "cuMemMap", { 551 } },
	{ 1, CALL_SET, "cu64MemsetD16", { 74 } },
	{ 1, CALL_SET, "cu64MemsetD16Async", { 219 } },
	{ 1, CALL_SET, "cu64MemsetD2D16", { 80 } },
	{ 1, CALL_SET, "cu64MemsetD2D16Async", { 225 } },
	{ 1, CALL_SET, "cu64MemsetD2D32", { 82 } },
	{ 1, CALL_SET, "cu64MemsetD2D32Async", { 227 } },
	{ 1, CALL_SET, "cu64MemsetD2D8", { 78 } },
	{ 1, CALL_SET, "cu64MemsetD2D8Async", { 223 } },
	{ 1, CALL_SET, "cu64MemsetD32", { 76 } },
	{ 1, CALL_SET, "cu64MemsetD32Async", { 221 } },
	{ 1, CALL_SET, "cu64MemsetD8", { 72 } },
	{ 1, CALL_SET, "cu64MemsetD8Async", { 217 } },
	{ 1, CALL_SET, "cuMemsetD16", { 73, 250, 412 } },
	{ 1, CALL_SET, "cuMemsetD16Async", { 218, 429 } },
	{ 1, CALL_SET, "cuMemsetD2D16", { 79, 253, 415 } },
	{ 1, CALL_SET, "cuMemsetD2D16Async", { 224, 432 } },
	{ 1, CALL_SET, "cuMemsetD2D32", { 81, 254, 416 } },
	{ 1, CALL_SET, "cuMemsetD2D32Async", { 226, 433 } },
	{ 1, CALL_SET, "cuMemsetD2D8", { 77, 252, 414 } },
	{ 1, CALL_SET, "cuMemsetD2D8Async", { 222, 431 } },
	{ 1, CALL_SET, "cuMemsetD32", { 75, 251, 413 } },
	{ 1, CALL_SET, "cuMemsetD32Async", { 220, 430 } },
	{ 1, CALL_SET, "cuMemsetD8", { 71, 249, 411 } },
	{ 1, CALL_SET, "cuMemsetD8Async", { 216, 428 } },
	{ 1, CALL_WAIT, "cuCtxSynchronize", { 17, 800 } },
	{ 1, CALL_WAIT, "cuEventSynchronize", { 121 } },
	{ 1, CALL_WAIT, "cuStreamSynchronize", { 126, 440 } },
};

static uint8_t row_of[2][NUMBERS]; /* + 1 */

_Static_assert(sizeof calls / sizeof *calls < 255, "rows fit into the index");

void cupti_calls_start(void)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		for (size_t v = 0; v < VARIANTS && calls[i].number[v]; v++)
			row_of[calls[i].is_driver][calls[i].number[v]] = (uint8_t)(i + 1);
}

uint8_t cupti_call_group(bool is_driver, uint32_t number, const char **name)
{
	uint8_t row = number < NUMBERS ? row_of[is_driver][number] : 0;

	if (!row)
		return 0;
	*name = calls[row - 1].name;
	return calls[row - 1].group;
}

/*
 * Calls of the driver inside of the runtime's have their correlation: of the driver only launches are asked for, which
 * others make, too. A call that is newer than the library is refused.
 */
bool cupti_calls_enable(bool on)
{
	enum { LAUNCH_KERNEL = 211 };
	bool is_done = cupti.EnableRuntimeApi && cupti.EnableDriverApi && !cupti.EnableRuntimeApi(LAUNCH_KERNEL, on);

	for (uint32_t number = 1; number < NUMBERS && is_done; number++) {
		uint8_t driver = row_of[1][number];

		if (row_of[0][number])
			cupti.EnableRuntimeApi(number, on);
		if (driver && calls[driver - 1].group == CALL_LAUNCH)
			cupti.EnableDriverApi(number, on);
	}
	return is_done;
}
