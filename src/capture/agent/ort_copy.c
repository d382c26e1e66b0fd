// SPDX-License-Identifier: Apache-2.0
/* What hooks need of one copy of ONNX Runtime: its classes, the original functions, the texts of failures. */
#include "capture/agent/ort_in.h"
#include "runtime/ort_node.h"

struct ort_copy ort_copies[MAX_COPIES];
/* Written once, and again only after a module was unloaded. */
struct ort_met ort_met[N_ORT_FAMILIES];

struct ort_copy *ort_copy_of(word object)
{
	const struct copy *copy = copies_of(object);

	return copy ? &ort_copies[copy->number] : NULL;
}

void ort_copy_found(struct copy *copy, struct rtti *rtti)
{
	struct ort_copy *ort = &ort_copies[copy->number];
	struct rtti_vtable *vtable;
	size_t n;

	*ort = (struct ort_copy){
		.copy = copy, .api = copy->found.api, .n_api = copy->found.n_api, .minor = copy->found.minor
	};
	if (rtti_derived(rtti, ORT_CPU_CLASS, &vtable))
		ort->cpu_vtable = vtable[0].slots;
	n = rtti_derived(rtti, ORT_SESSION_CLASS, &vtable);
	for (size_t i = 0; i < n && i < 4; i++)
		ort->session_vtable[i] = vtable[i].slots;
}

void ort_copy_forget_gone(void)
{
	for (int i = 0; i < N_ORT_FAMILIES; i++) /* no others: they may be in use */
		if (ort_met[i].vptr && ort_met[i].copy->copy->is_gone)
			__atomic_store_n(&ort_met[i].vptr, 0, __ATOMIC_RELEASE);
}

__attribute__((noinline)) struct ort_met ort_copy_meet(word object, enum ort_family family)
{
	const struct ort_copy *copy = ort_copy_of(object);
	struct ort_met new = { *(word *)object, NULL, copy };

	if (copy)
		new.next = (ort_function *)copies_original(copy->copy, new.vptr, family);
	agent_lock();
	if (new.next && !ort_met[family].vptr) {
		ort_met[family].next = new.next;
		ort_met[family].copy = copy;
		__atomic_store_n(&ort_met[family].vptr, new.vptr, __ATOMIC_RELEASE);
	}
	agent_unlock();
	return new;
}

__attribute__((noinline)) uint32_t ort_copy_failure(uint64_t state)
{
	char text[1024];
	int len = ort_status_message(state, text, sizeof text);

	return dict_text(len ? text : "failed", len ? (size_t)len : 6);
}
