// SPDX-License-Identifier: Apache-2.0
/*
 * Linked with libllama, whose headers no package has: llama_linked MODEL LIBRARIES. Structures that are passed by value
 * are larger here than in any version.
 */
#include <stdio.h>
#include <string.h>

struct parameters {
	char bytes[304];
};

struct batch {
	int n_tokens;
	void *rest[11];
};

struct parameters llama_model_default_params(void);
struct parameters llama_context_default_params(void);
void *llama_model_load_from_file(const char *path, struct parameters parameters);
void *llama_init_from_model(void *model, struct parameters parameters);
struct batch llama_batch_get_one(int *tokens, int n);
int llama_decode(void *context, struct batch batch);
float *llama_get_logits(void *context);
void llama_free(void *context);
void llama_model_free(void *model);
void llama_log_set(void (*log)(int level, const char *text, void *data), void *data);
void ggml_backend_load_all_from_path(const char *folder);

static void say_nothing(int level, const char *text, void *data)
{
}

int main(int argc, char **argv)
{
	int tokens[] = { 3, 4, 5, 6, 7, 8, 9 };
	void *model, *context;
	unsigned char digest = 0;

	llama_log_set(say_nothing, NULL);
	ggml_backend_load_all_from_path(argv[2]);
	model = llama_model_load_from_file(argv[1], llama_model_default_params());
	context = model ? llama_init_from_model(model, llama_context_default_params()) : NULL;
	if (!context || llama_decode(context, llama_batch_get_one(tokens, 5)) ||
	    llama_decode(context, llama_batch_get_one(tokens + 5, 1)) ||
	    llama_decode(context, llama_batch_get_one(tokens + 6, 1)))
		return 1;
	for (size_t i = 0; i < 320 * sizeof(float); i++)
		digest = (unsigned char)(digest * 31 + ((unsigned char *)llama_get_logits(context))[i]);
	printf("digest %u\n", digest);
	llama_free(context);
	llama_model_free(model);
	return 0;
}
