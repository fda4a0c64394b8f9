/* Base and low-rank part as one product on the tensor cores, in f32's accuracy.
 *
 * Idea: x W^T + lora_scale (x A^T) B^T is [x | lora_scale hidden] [W | B]^T, one product whose k
 * goes on from d_in to d_in + rank. So the low-rank part costs rank / d_in of the base, and no pass
 * over the output. The hidden layer, a thin product, is made first, by blocks that share its k. The
 * long product is ../sgemm/tensor.cuh's, of three bf16 parts for each float; the kernel that makes
 * the parts of W and B also transposes them, and the one of x and hidden puts them side by side
 * (long_parts.cuh).
 *
 * Changes from 01_naive: tensor cores and tiles; where those are not worth the splitting of W, as
 * with few rows of x, and for numbers out of bf16's range, tiles by FMAs (rows_product.cuh), with
 * as many blocks sharing k as the GPU has room for.
 *
 * Arithmetic intensity: 2*128*128 FLOP (as f32 counts them) for 256 elements of 6 bytes: 21 FLOP
 * per byte from the L2 cache.
 *
 * Bound by the tensor cores: six products of parts of 8.7 GFLOP at batch 256, d_in = d_out = 4096,
 * rank 64 are 53 us at 989 TFLOP/s. Splitting W, 10 bytes an element, adds 35 us by memory's
 * 4.8 TB/s (NOTES.md). The prediction was 109 us and x A^T; 134.27 (133.85 to 135.07) were
 * measured. cuBLAS took 208.58, but that interval is wide, 207.84 to 2777.39: of ten samples some
 * are slow.
 *
 * reached: 134.27 us, 155% of cuBLAS (NVIDIA H200, 2026-11-29, batch 256, 4096x4096, rank 64) */
#include "../sgemm/tensor_solve.cuh"
#include "long_parts.cuh"
#include "rows_product.cuh"

struct lora_call {
	const float *x, *W, *A, *B;
	float *output;
	int batch, d_in, d_out, rank;
	float lora_scale;
};

/* Places in the workspace behind its head and the parts: planes of the hidden layer, then itself,
 * then planes of the output. All by their number of floats. */
struct lora_memory {
	size_t parts; // bytes
	size_t hidden;
	int hidden_splits, output_splits;
	size_t output_planes;

	size_t planes_at(void) const
	{
		return WORKSPACE_HEAD + (parts + 255) / 256 * 256;
	}
	size_t bytes(void) const
	{
		return planes_at() + (hidden * (hidden_splits + 1) + output_planes) * sizeof(float);
	}
};

static lora_memory lora_plan(const ffma_device &device, const lora_call &c, size_t parts)
{
	lora_memory memory = {parts, (size_t)c.batch * c.rank};
	memory.hidden_splits = rows_splits(device, c.batch, c.rank, c.d_in);
	memory.output_splits = parts > 0 ? 1 : rows_splits(device, c.batch, c.d_out, c.d_in);
	if (memory.output_splits > 1)
		memory.output_planes = (size_t)memory.output_splits * c.batch * c.d_out;
	return memory;
}

static void lora_solve(const lora_call &c)
{
	static unsigned calls;
	const ffma_device &device = ffma_device_get();
	ffma_solve_check(device.status);
	const ffma_call call = {device, 0};
	const ffma_product p = {c.x, c.W, 1, c.batch, c.d_out, c.d_in + c.rank};
	tensor_choice choice = tensor_choose(device, p);
	lora_memory memory = lora_plan(device, c, choice.by_fmas ? 0 : choice.bytes() - TENSOR_HEAD);
	char *workspace = (char *)workspace_get(memory.bytes());
	if (workspace == NULL && !choice.by_fmas) {
		choice.by_fmas = true;
		memory = lora_plan(device, c, 0);
		workspace = (char *)workspace_get(memory.bytes());
	}
	if (workspace == NULL)
		ffma_solve_check(cudaErrorMemoryAllocation);
	float *planes = (float *)(workspace + memory.planes_at());
	float *hidden = planes + memory.hidden * memory.hidden_splits;
	float *output_planes = hidden + memory.hidden;

	const rows_operands none = {};
	const rows_product low = {{c.x, c.A, c.d_in},  none, planes, c.batch, c.rank,
							  memory.hidden_splits};
	rows_product whole = {{c.x, c.W, c.d_in}, {hidden, c.B, c.rank}, c.output, c.batch, c.d_out, 1,
						  c.lora_scale};
	ffma_solve_check(rows_start(call, low));
	if (choice.by_fmas) {
		ffma_solve_check(rows_start_sum(call, planes, memory.hidden_splits, hidden, memory.hidden));
		whole.splits = memory.output_splits;
		whole.C = whole.splits > 1 ? output_planes : c.output;
		ffma_solve_check(rows_start(call, whole));
		if (whole.splits > 1)
			ffma_solve_check(rows_start_sum(call, output_planes, whole.splits, c.output,
											(size_t)c.batch * c.d_out));
		return;
	}
	/* The first word of the workspace is tensor_by()'s, and stays 0: the parts that it multiplies
	 * are made here, and what they cannot hold is multiplied behind it. */
	unsigned *flag = (unsigned *)workspace + 1;
	const long_source from = {c.W, c.B, c.d_in, c.d_out, c.rank, flag, ++calls};
	choice.a.parts = (__nv_bfloat16 *)(workspace + TENSOR_HEAD);
	choice.b.parts = choice.a.parts + choice.elements(choice.a);
	ffma_solve_check(long_make_parts(call, {planes, hidden, memory.hidden_splits, c.lora_scale},
									 from, choice.a, choice.b));
	choice.a.data = choice.b.data = NULL;
	ffma_solve_check(
		tensor_by(choice, call, p, epilogue_make(c.output, c.batch, c.d_out), workspace));
	whole.flag = flag;
	whole.call = from.call;
	ffma_solve_check(rows_start(call, whole));
}

extern "C" void solve(const float *x, const float *W, const float *A, const float *B, float *output,
					  int batch, int d_in, int d_out, int rank, float lora_scale)
{
	lora_solve({x, W, A, B, output, batch, d_in, d_out, rank, lora_scale});
}
