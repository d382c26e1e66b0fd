// SPDX-License-Identifier: Apache-2.0
/* Loads a model of TorchScript and runs it, without Python: torchscript FILE. One call fails. */
#include <cstdio>
#include <torch/script.h>

static void run(torch::jit::script::Module &model, const char *method, int rows, int width)
{
	try {
		auto y = model.get_method(method)({ torch::ones({ rows, width }) }).toTensor();
		std::printf("%.4f\n", y.sum().item<float>());
	} catch (const std::exception &) {
		std::printf("failed\n");
	}
}

int main(int argc, char **argv)
{
	torch::jit::script::Module model = torch::jit::load(argv[1]);
	torch::NoGradGuard guard;

	run(model, "forward", 2, 8);
	run(model, "forward", 2, 8);
	run(model, "forward", 4, 8);
	run(model, "forward", 2, 9);
	run(model, "twice", 2, 8);
	return 0;
}
