/* Gate and up in one kernel, with silu(gate) * up in its epilogue, and all products on the tensor
 * cores in f32's accuracy.
 *
 * Idea: separate products write gate and up to memory and a third kernel reads both; here the two
 * tiles of sums are in one thread's registers, and only the hidden layer is written. A tile of 64
 * columns of it is a product with 128 columns, 64 of either weight, so that the kernel is that of a
 * plain product but for the map of its second box (gated_tensor.cuh). Products are made of bf16
 * parts, three of each float and six products of them (../sgemm/tensor.cuh), as cuBLAS's f32
 * products take FMAs only. The down projection is ../sgemm/tensor.cuh's, as it is.
 *
 * Changes from 01_naive: tiles in shared memory and registers, tensor cores, persistent blocks with
 * a producer warp; for few rows, and for numbers out of bf16's range, tiles by FMAs
 * (gated_product.cuh).
 *
 * Arithmetic intensity: 2*128*128 FLOP (as f32 counts them) for 256 elements of 6 bytes: 21 FLOP
 * per byte from the L2 cache.
 *
 * Bound by the tensor cores: six products of parts of 180 GFLOP at M 512, d_model 4096, d_ffn 14336
 * are 1.09 ms at 989 TFLOP/s. Splitting the weights, which reads and writes 10 bytes an element,
 * adds 0.37 ms by memory's 4.8 TB/s (NOTES.md). The prediction was 1.7 ms, and 3.9 for cuBLAS,
 * which took 3896 us (3886 to 3906, of two samples).
 *
 * reached: 1729 us, 225% of cuBLAS and a kernel (NVIDIA H200, 2026-11-29, 512x4096x14336) */
#include "../sgemm/tensor_solve.cuh"
#include "gated_tensor.cuh"

/* In the workspace: two flags, of the hidden layer's parts the second one; the parts of one product
 * at a time; the hidden layer. */
struct swiglu_memory {
	size_t parts, hidden;

	size_t hidden_at(void) const
	{
		return WORKSPACE_HEAD + (parts + 255) / 256 * 256;
	}
	size_t bytes(void) const
	{
		return hidden_at() + hidden;
	}
};

extern "C" void solve(const float *x, const float *W_gate, const float *W_up, const float *W_down,
					  float *output, int M, int d_model, int d_ffn)
{
	static unsigned calls;
	const ffma_device &device = ffma_device_get();
	ffma_solve_check(device.status);
	gated_product gated = {x, W_gate, W_up, NULL, M, d_model, d_ffn, NULL, ++calls};
	const gated_operands operands(gated);
	bool by_parts = gated_worth_parts(device, gated);
	const epilogue<float> out = epilogue_make(output, M, d_model);
	ffma_product down = {NULL, W_down, 1, M, d_model, d_ffn};

	/* Where the hidden layer lies does not matter to the choice of tensor(), but that it is there.
	 */
	const tensor_choice choice = tensor_choose(device, down);
	size_t down_parts = choice.by_fmas ? 0 : choice.bytes() - TENSOR_HEAD;
	swiglu_memory memory = {max(by_parts ? operands.bytes() : 0, down_parts),
							(size_t)M * d_ffn * sizeof(float)};
	char *workspace = (char *)workspace_get(memory.bytes());
	if (workspace == NULL && memory.parts > 0) { // all by FMAs, which need the hidden layer only
		by_parts = false;
		memory.parts = down_parts = 0;
		workspace = (char *)workspace_get(memory.bytes());
	}
	if (workspace == NULL)
		ffma_solve_check(cudaErrorMemoryAllocation);
	gated.hidden = (float *)(workspace + memory.hidden_at());
	down.A = gated.hidden;

	const ffma_call call = {device, 0};
	if (by_parts) {
		gated.flag = (const unsigned *)workspace + 1;
		ffma_solve_check(gated_start_tensor(call, gated, operands, workspace + WORKSPACE_HEAD));
	}
	ffma_solve_check(gated_start_fmas(call, gated));
	size_t bytes = down_parts > 0 ? TENSOR_HEAD + down_parts : 0;
	ffma_solve_check(tensor(down, out, workspace, bytes, 0));
}
