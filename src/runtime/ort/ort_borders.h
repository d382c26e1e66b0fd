/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual functions of ONNX Runtime that are called where one phase of session creation ends and the next begins, and
 * those of its allocators: their slots by the shape of the code.
 */
#ifndef RUNTIME_ORT_BORDERS_H
#define RUNTIME_ORT_BORDERS_H

#include "runtime/find/rtti.h"

enum ort_border {
	BORDER_PLAN_VALUE,   /* ISequentialPlannerContext::GetShape */
	BORDER_PLAN,	     /* ISequentialPlannerContext::GetExecutionOrder */
	BORDER_WEIGHTS,	     /* ITensorAllocator::FinalizePlan */
	BORDER_WEIGHT,	     /* ITensorAllocator::GetPreallocatedBuffer */
	BORDER_READ,	     /* CopyingInputStream::Read, of protobuf */
	BORDER_KERNEL_TYPES, /* IKernelTypeStrResolver::ResolveKernelTypeStr */
	BORDER_SHARE,	     /* OpKernel::UseSharedPrePackedBuffers */
	BORDER_ALLOC,	     /* IAllocator::Alloc */
	BORDER_STREAM,	     /* IAllocator::AllocOnStream */
	BORDER_FREE,	     /* IAllocator::Free */
	BORDER_RESERVE,	     /* IAllocator::Reserve */
	BORDER_DELETE,	     /* IAllocator's deleting destructor */
	N_BORDERS
};

enum { BORDER_UNKNOWN = -1, BORDER_NO_CLASS = -2 };

/* slot[] gets a slot, BORDER_UNKNOWN, or BORDER_NO_CLASS where the module has no class with this function. */
void ort_borders_find(struct rtti *rtti, int slot[N_BORDERS]);

#endif
