// SPDX-License-Identifier: Apache-2.0
/* What hooks need of one copy of ONNX Runtime: its classes, the original functions, the texts of failures. */
#include "capture/agent/ort/ort_in.h"
#include "runtime/find/peek.h"
#include "runtime/ort/ort_node.h"

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
	ort_python_found(copy);
}

bool ort_copy_has_session(const struct ort_copy *copy, word vptr)
{
	for (int k = 0; k < 4 && copy->session_vtable[k]; k++)
		if (copy->session_vtable[k] == vptr)
			return !copy->copy->is_gone;
	return false;
}

void ort_copy_forget_gone(void)
{
	for (int i = 0; i < N_ORT_FAMILIES; i++) /* no others: they may be in use */
		if (ort_met[i].vptr && ort_met[i].copy->copy->is_gone)
			__atomic_store_n(&ort_met[i].vptr, 0, __ATOMIC_RELEASE);
	ort_shape_forget_gone();
}

/* No original is known, which cannot be: a hook was put in its place. */
static word nothing(ORT_ARGS)
{
	return a;
}

__attribute__((noinline)) struct ort_met ort_copy_meet(word vptr, word other, enum ort_family family)
{
	static const struct copy nobody;
	static const struct ort_copy unknown = { .copy = &nobody };
	const struct copy *copy = vptr ? copies_of_class(vptr) : NULL;
	struct ort_met new = { .vptr = vptr };

	if (copy)
		new.next = (ort_function *)copies_original(copy, vptr, family);
	if (!new.next) {
		new.next = (ort_function *)copies_any_original(&runtime_onnxruntime, family, other, 0);
		return (struct ort_met){ 0, new.next ? new.next : nothing, &unknown };
	}
	new.copy = &ort_copies[copy->number];
	if (__atomic_load_n(&ort_met[family].vptr, __ATOMIC_ACQUIRE))
		return new;
	agent_lock();
	if (!ort_met[family].vptr) {
		ort_met[family].next = new.next;
		ort_met[family].copy = new.copy;
		__atomic_store_n(&ort_met[family].vptr, new.vptr, __ATOMIC_RELEASE);
	}
	agent_unlock();
	return new;
}

struct ort_met ort_meet_second(word first, word second, enum ort_family family)
{
	return ort_copy_meet(peek_word(second), first, family);
}

__attribute__((noinline)) uint32_t ort_copy_failure(uint64_t state)
{
	char text[1024];
	int len = ort_status_message(state, text, sizeof text);

	return dict_text_of_run(len ? text : "failed", len ? (size_t)len : 6);
}
