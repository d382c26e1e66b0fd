// SPDX-License-Identifier: Apache-2.0
/*
 * ovnative MODEL: a program of OpenVINO in C++. Five inferences by infer, five by start_async; then four of a model of
 * its own by start_async, of which every second one throws, and four of another request by infer, likewise.
 */
#include <algorithm>
#include <cstdio>

#include <openvino/op/parameter.hpp>
#include <openvino/op/reshape.hpp>
#include <openvino/runtime/core.hpp>

static ov::InferRequest request_of(ov::Core &core, const std::shared_ptr<ov::Model> &model)
{
	return core.compile_model(model, "CPU", { { "INFERENCE_NUM_THREADS", "1" } }).create_infer_request();
}

static void infer(ov::InferRequest &request, bool is_async)
{
	try {
		if (is_async) {
			request.start_async();
			request.wait();
		} else {
			request.infer();
		}
	} catch (const ov::Exception &error) {
		std::printf("threw: %d\n", std::string(error.what()).find("shape") != std::string::npos);
	}
}

static std::shared_ptr<ov::Model> reshaper()
{
	auto data = std::make_shared<ov::op::v0::Parameter>(ov::element::f32, ov::PartialShape{ -1, 4 });
	auto shape = std::make_shared<ov::op::v0::Parameter>(ov::element::i64, ov::Shape{ 2 });
	auto result = std::make_shared<ov::op::v1::Reshape>(data, shape, false);

	return std::make_shared<ov::Model>(ov::OutputVector{ result }, ov::ParameterVector{ data, shape }, "reshaper");
}

int main(int argc, char **argv)
{
	ov::Core core;
	ov::InferRequest request = request_of(core, core.read_model(argv[1])), own = request_of(core, reshaper());
	ov::Tensor input = request.get_input_tensor(), data(ov::element::f32, { 2, 4 }), shape(ov::element::i64, { 2 });

	std::fill_n(input.data<float>(), input.get_size(), 0.5f);
	for (int i = 0; i < 10; i++)
		infer(request, i >= 5);
	std::printf("first %.6g\n", request.get_output_tensor().data<float>()[0]);
	own.set_input_tensor(0, data);
	own.set_input_tensor(1, shape);
	for (int i = 0; i < 8; i++) {
		shape.data<int64_t>()[0] = i % 2 ? 3 : 4;
		shape.data<int64_t>()[1] = i % 2 ? 5 : 2;
		infer(own, i < 4);
	}
}
