/* What an extension needs of PyTorch, so that guides.py can compile and run one without it: dense
 * tensors of f16 on the current device. A module becomes a program, which calls each function of
 * it with tensors of ones, a of 48 x 64, b of 64 x 40 and a bias of 40, and expects 65 = 64 + 1. */
#ifndef TORCH_STUB_EXTENSION_H
#define TORCH_STUB_EXTENSION_H

/* PyTorch compiles extensions with these. */
#define __CUDA_NO_HALF_OPERATORS__
#define __CUDA_NO_HALF_CONVERSIONS__
#define __CUDA_NO_HALF2_OPERATORS__
#define __CUDA_NO_BFLOAT16_CONVERSIONS__
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <initializer_list>
#include <stdio.h>
#include <stdlib.h>
#include <type_traits>
#include <vector>

#define TORCH_CHECK(condition, ...)                                                                \
	do {                                                                                           \
		if (!(condition)) {                                                                        \
			printf("wrong: %s\n", #condition);                                                     \
			exit(1);                                                                               \
		}                                                                                          \
	} while (0)

namespace at
{
typedef __half Half;
}

namespace torch
{
enum scalar { kByte = 1, kHalf = 2, kFloat = 4 }; // and the bytes of one
struct options {
	scalar type = kHalf;
	options dtype(scalar of) const
	{
		return {of};
	}
};
struct device {
};

class Tensor
{
	std::vector<long> sizes;
	void *memory = NULL;

  public:
	explicit Tensor(std::initializer_list<long> sizes, torch::options of = {}) : sizes(sizes)
	{
		TORCH_CHECK(cudaMalloc(&memory, (size_t)numel() * of.type) == cudaSuccess);
	}
	bool is_cuda() const
	{
		return true;
	}
	bool is_contiguous() const
	{
		return true;
	}
	scalar scalar_type() const
	{
		return kHalf;
	}
	long dim() const
	{
		return (long)sizes.size();
	}
	long size(long i) const
	{
		return sizes[(size_t)i];
	}
	long numel() const
	{
		long product = 1;
		for (long size : sizes)
			product *= size;
		return product;
	}
	torch::device device() const
	{
		return {};
	}
	torch::options options() const
	{
		return {};
	}
	template <class Element = void> Element *data_ptr() const
	{
		return (Element *)memory;
	}
};

static inline Tensor empty(std::initializer_list<long> sizes, options of)
{
	return Tensor(sizes, of);
}
} // namespace torch

/* The name of an argument, and its default. */
namespace py
{
struct arg {
	explicit arg(const char *)
	{
	}
	arg operator=(bool) const
	{
		return *this;
	}
};
} // namespace py

static inline torch::Tensor stub_ones(std::initializer_list<long> sizes)
{
	torch::Tensor made(sizes);
	std::vector<at::Half> ones((size_t)made.numel(), __float2half(1.0f));
	cudaMemcpy(made.data_ptr<at::Half>(), ones.data(), ones.size() * sizeof ones[0],
			   cudaMemcpyHostToDevice);
	return made;
}

struct stub_module {
	/* A fourth argument is a flag, which the function is called with and without. */
	template <class Function, class... Names>
	void def(const char *name, Function function, Names...)
	{
		torch::Tensor a = stub_ones({48, 64}), b = stub_ones({64, 40}), bias = stub_ones({40});
		if constexpr (std::is_invocable_v<Function, torch::Tensor, torch::Tensor, torch::Tensor>)
			check(name, function(a, b, bias));
		else
			for (bool flag : {false, true})
				check(name, function(a, b, bias, flag));
	}
	static void check(const char *name, const torch::Tensor &c)
	{
		std::vector<at::Half> got((size_t)c.numel());
		cudaMemcpy(got.data(), c.data_ptr<at::Half>(), got.size() * sizeof got[0],
				   cudaMemcpyDeviceToHost);
		for (at::Half x : got)
			TORCH_CHECK(__half2float(x) == 65.0f);
		printf("right: %s\n", name);
	}
};

#define PYBIND11_MODULE(name, m)                                                                   \
	static void stub_define(stub_module &m);                                                       \
	int main()                                                                                     \
	{                                                                                              \
		stub_module module;                                                                        \
		stub_define(module);                                                                       \
	}                                                                                              \
	static void stub_define(stub_module &m)

#endif
