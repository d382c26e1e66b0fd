// SPDX-License-Identifier: Apache-2.0
/*
 * whole_llama MODEL: a program that contains the functions of llama.cpp and ggml, as far as they are recorded. They
 * have the names, the parameters and the structures of the real ones, and compute sums. Three batches, of two operators.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PLAIN __attribute__((noipa))

struct ggml_tensor {
	int type;
	void *buffer;
	int64_t ne[4];
	size_t nb[4];
	int op, op_params[16], flags;
	ggml_tensor *src[10];
	ggml_tensor *view_src;
	size_t view_offs;
	void *data;
	char name[64];
	void *extra;
	char padding[8];
};

struct ggml_compute_params {
	int ith, nth;
};

static const char *const ops[] = { "NONE", "MUL_MAT", "ADD" };
static int64_t sum;

extern "C" {
PLAIN const char *ggml_get_name(const ggml_tensor *tensor)
{
	return tensor->name;
}
PLAIN const char *ggml_op_name(int op)
{
	return ops[op];
}
PLAIN const char *ggml_op_desc(const ggml_tensor *tensor)
{
	return ops[tensor->op];
}
PLAIN int64_t ggml_nelements(const ggml_tensor *tensor)
{
	return tensor->ne[0] * tensor->ne[1] * tensor->ne[2] * tensor->ne[3];
}
PLAIN size_t ggml_element_size(const ggml_tensor *tensor)
{
	return tensor->type ? 2 : 4;
}
PLAIN const char *ggml_type_name(int type)
{
	return type ? "f16" : "f32";
}
PLAIN const char *ggml_version(void)
{
	return "0.0.1";
}
PLAIN void ggml_barrier(void *pool)
{
	__asm__ volatile("" ::"r"(pool) : "memory");
}
/* what it calls for the same tensor is a part of it */
PLAIN void ggml_compute_forward_add(const ggml_compute_params *params, ggml_tensor *tensor)
{
	sum += params->nth + tensor->ne[0];
}
PLAIN void ggml_compute_forward_mul_mat(const ggml_compute_params *params, ggml_tensor *tensor)
{
	sum *= 3;
	ggml_compute_forward_add(params, tensor);
}
PLAIN int ggml_graph_compute(ggml_tensor *nodes, void *plan)
{
	const ggml_compute_params params = { 0, 1 };

	for (int i = 0; i < 2; i++) {
		if (nodes[i].op == 1)
			ggml_compute_forward_mul_mat(&params, &nodes[i]);
		else
			ggml_compute_forward_add(&params, &nodes[i]);
		ggml_barrier(plan);
	}
	return 0;
}
}

struct llm_tokenizer { /* a class by which llama.cpp is known */
	virtual ~llm_tokenizer() = default;
	virtual int number() { return 0; }
};

/* as many others as a program has that contains it */
template <int n> struct other : llm_tokenizer {
	int number() override { return n; }
};

template <int n> static int total()
{
	llm_tokenizer *one = new other<n>;
	int number = one->number();

	delete one;
	if constexpr (n > 0)
		return number + total<n - 1>();
	return number;
}

struct llama_model {
	llm_tokenizer *tokenizer;
};
struct llama_context_params {
	char bytes[136];
};
struct llama_model_params {
	char bytes[72];
};
struct llama_batch {
	int32_t n_tokens;
	int32_t *token;
	float *embd;
	int32_t *pos, *n_seq_id, **seq_id;
	int8_t *logits;
};

struct llama_context {
	const llama_model &model;
	ggml_tensor nodes[2];

	PLAIN llama_context(const llama_model &model, llama_context_params params);
	PLAIN ~llama_context();
	PLAIN int decode(const llama_batch &batch);
};

llama_context::llama_context(const llama_model &of, llama_context_params params) : model(of)
{
	memset(nodes, 0, sizeof nodes);
	for (int i = 0; i < 2; i++) {
		nodes[i].op = i + 1;
		nodes[i].ne[0] = nodes[i].ne[1] = nodes[i].ne[2] = nodes[i].ne[3] = i + 1;
		snprintf(nodes[i].name, sizeof nodes[i].name, "node-%d", i);
	}
}

llama_context::~llama_context()
{
	sum++;
}

int llama_context::decode(const llama_batch &batch)
{
	sum += batch.n_tokens;
	return ggml_graph_compute(nodes, nullptr);
}

extern "C" {
PLAIN llama_model *llama_model_load_from_file(const char *path, llama_model_params params)
{
	return new llama_model{ new llm_tokenizer };
}
PLAIN llama_context *llama_init_from_model(llama_model *model, llama_context_params params)
{
	return new llama_context(*model, params);
}
PLAIN int llama_decode(llama_context *context, llama_batch batch)
{
	return context->decode(batch);
}
PLAIN void llama_free(llama_context *context)
{
	delete context;
}
PLAIN const llama_model *llama_get_model(const llama_context *context)
{
	return &context->model;
}
}

int main(int argc, char **argv)
{
	int32_t tokens[] = { 3, 4, 5, 6, 7, 8, 9 };
	llama_model *model = llama_model_load_from_file(argv[1], {});
	llama_context *context = llama_init_from_model(model, {});

	llama_decode(context, { 5, tokens });
	llama_decode(context, { 1, tokens + 5 });
	llama_decode(context, { 1, tokens + 6 });
	llama_free(context);
	printf("sum %ld\n", (long)sum + total<200>());
	return 0;
}
