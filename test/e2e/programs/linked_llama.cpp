// SPDX-License-Identifier: Apache-2.0
/*
 * Has a class of llama.cpp, and as many others as a program has that llama.cpp is linked into; no other trace of it.
 * Waits until standard input ends.
 */
#include <cstdio>

struct llm_tokenizer {
	virtual ~llm_tokenizer() = default;
	virtual int number() { return 0; }
};

template <int n> struct model : llm_tokenizer {
	int number() override { return n; }
};

template <int n> static int sum()
{
	llm_tokenizer *one = new model<n>;
	int number = one->number();

	delete one;
	if constexpr (n > 0)
		return number + sum<n - 1>();
	return number;
}

/* files are analysed that have many such texts */
#define TEN(n) "llama_" #n "0\0llama_" #n "1\0llama_" #n "2\0llama_" #n "3\0llama_" #n "4\0" \
	       "llama_" #n "5\0llama_" #n "6\0llama_" #n "7\0llama_" #n "8\0llama_" #n "9\0"
extern const char texts[];
const char texts[] = "llama_model_load\0" TEN(a) TEN(b) TEN(c) TEN(d) TEN(e) TEN(f) TEN(g);
/* and that are not small */
extern const char rest[];
const char rest[1 << 20] = { 1 };

int main()
{
	std::printf("%d %s %d\n", sum<200>(), texts, rest[0]);
	std::fflush(stdout);
	while (std::getchar() != EOF)
		;
	return 0;
}
