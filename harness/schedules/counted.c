#include "schedules/counted.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define WARP 32
#define LINE 128.0
#define SECTOR 32.0
#define L2_SHARE 0.75 /* of L2 that operands can keep */
#define IN_FLIGHT 8   /* loads of a warp that the compiler sends off together */

static const struct {
	const char *name;
	size_t at;
} members[] = {
#define MEMBER(name, member)                                                                       \
	{                                                                                              \
		name, offsetof(struct counted_kernel, member)                                              \
	}
	MEMBER("launches", launches),
	MEMBER("emulator__blocks", blocks),
	MEMBER("emulator__block_threads", threads),
	MEMBER("emulator__block_shared_bytes", dynamic_shared),
	MEMBER("smsp__inst_executed", instructions),
	MEMBER("smsp__sass_thread_inst_executed_op_fp32_pred_on", fp32),
	MEMBER("smsp__sass_thread_inst_executed_op_integer_pred_on", integer),
	MEMBER("smsp__sass_thread_inst_executed_op_conversion_pred_on", conversion),
	MEMBER("emulator__inst_executed_barrier", barriers),
	MEMBER("emulator__flops", flops),
	MEMBER("emulator__flops_tensor", tensor_flops),
	MEMBER("emulator__flops_tensor_8", tensor_flops_8),
	MEMBER("emulator__flops_tensor_tf32", tensor_flops_tf32),
	MEMBER("l1tex__t_requests_pipe_lsu_mem_global_op_ld", load_requests),
	MEMBER("l1tex__t_sectors_pipe_lsu_mem_global_op_ld", load_sectors),
	MEMBER("emulator__global_footprint_sectors", footprint_sectors),
	MEMBER("l1tex__t_requests_pipe_lsu_mem_global_op_st", store_requests),
	MEMBER("l1tex__t_sectors_pipe_lsu_mem_global_op_st", store_sectors),
	MEMBER("emulator__global_atomic_requests", atomic_requests),
	MEMBER("emulator__global_atomic_sectors", atomic_sectors),
	MEMBER("smsp__inst_executed_op_ldgsts", async_requests),
	MEMBER("emulator__ldgsts_sectors", async_sectors),
	MEMBER("emulator__bulk_load_requests", bulk_load_requests),
	MEMBER("emulator__bulk_load_bytes", bulk_load_bytes),
	MEMBER("emulator__bulk_store_bytes", bulk_store_bytes),
	MEMBER("smsp__inst_executed_op_shared_ld", shared_load_requests),
	MEMBER("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", shared_load_passes),
	MEMBER("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld", shared_load_conflicts),
	MEMBER("smsp__inst_executed_op_shared_st", shared_store_requests),
	MEMBER("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", shared_store_passes),
	MEMBER("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st", shared_store_conflicts),
	MEMBER("emulator__global_lines", lines),
	MEMBER("emulator__wgmma_shared_bytes", wgmma_bytes),
#undef MEMBER
};

void counted_set(struct counted_kernel *kernel, const char *name, double value)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (strcmp(members[i].name, name) == 0)
			memcpy((char *)kernel + members[i].at, &value, sizeof value);
}

double counted_operand_bytes(const struct problem *problem, const struct test_case *test)
{
	double bytes = 0;
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++)
		if (operand->role != ROLE_BOTH || test->scalar[SCALAR_BETA] == 0)
			bytes += (double)operand_bytes(operand, &test->shape);
		else
			bytes += 2 * (double)operand_bytes(operand, &test->shape);
	return bytes;
}

enum tune_unit counted_unit(const struct problem *problem)
{
	const struct operand *left = problem_part(problem, PART_LEFT);
	const unsigned bits = left != NULL ? type_of(left->type)->format.bits : 32;
	return bits <= 8 ? UNIT_TENSOR_8 : bits <= 16 ? UNIT_TENSOR_16 : UNIT_TENSOR_TF32;
}

double counted_shared_passes(const struct counted_kernel *kernel)
{
	return kernel->shared_load_passes + kernel->shared_store_passes +
		   (kernel->wgmma_bytes + kernel->bulk_load_bytes + kernel->bulk_store_bytes +
			kernel->async_sectors * SECTOR) /
			   LINE;
}

double counted_l2_bytes(const struct counted_kernel *kernel)
{
	double plain = kernel->load_sectors - kernel->async_sectors;
	if (kernel->footprint_sectors > 0)
		plain = fmin(plain, kernel->footprint_sectors);
	return (plain + kernel->async_sectors + kernel->store_sectors + kernel->atomic_sectors) *
			   SECTOR +
		   kernel->bulk_load_bytes + kernel->bulk_store_bytes;
}

static double warps_of(const struct counted_kernel *kernel)
{
	return fmax(kernel->threads / WARP, 1);
}

/* Two barriers a tile: before it is used, and before it is overwritten. Each warp loads at least
 * once for a tile. */
double counted_waits(const struct counted_kernel *kernel)
{
	const bool ahead = kernel->async_requests > 0 || kernel->bulk_load_requests > 0;
	if (ahead || !(kernel->shared_store_requests > 0))
		return 0;
	return fmin(kernel->barriers / 2, kernel->load_requests) / warps_of(kernel);
}

static double memory_bytes(const struct counted_kernel *kernel, const struct tune_gpu *gpu,
						   double operands, const struct occupancy *fits)
{
	const double l2 = counted_l2_bytes(kernel), least = fmin(l2, operands);
	if (operands < L2_SHARE * (double)gpu->l2_bytes)
		return least;
	const double blocks = kernel->blocks / kernel->launches;
	const double resident = fmin(blocks, (double)gpu->multiprocessors * fmax(fits->blocks, 1));
	return fmax(least, fmin(l2, l2 / blocks * sqrt(resident) * blocks / resident));
}

void counted_demand(const struct counted_kernel *kernel, const struct kernel_resources *resources,
					const struct tune_gpu *gpu, const struct problem *problem,
					const struct test_case *test, struct demand *out)
{
	const double launches = fmax(kernel->launches, 1), blocks = fmax(kernel->blocks, 1);
	const double plain = kernel->load_requests - kernel->async_requests;
	*out = (struct demand){.launches = launches, .blocks = blocks / launches};
	out->threads = (int)lround(kernel->threads / blocks);
	out->registers = resources != NULL && resources->registers > 0 ? resources->registers : 32;
	out->shared_bytes = (int64_t)llround(kernel->dynamic_shared / blocks) +
						(resources != NULL ? resources->static_shared : 0);
	out->instructions = kernel->instructions;
	out->full_lanes = kernel->fp32 + kernel->conversion;
	out->half_lanes = kernel->integer;
	if (problem->algebra != ALGEBRA_PLUS_TIMES) /* every other one is a minimum */
		out->half_lanes += kernel->fp32 / 2;
	out->multiply_adds[UNIT_TENSOR_8] = kernel->tensor_flops_8 / 2;
	out->multiply_adds[UNIT_TENSOR_TF32] = kernel->tensor_flops_tf32 / 2;
	out->multiply_adds[UNIT_TENSOR_16] =
		(kernel->tensor_flops - kernel->tensor_flops_8 - kernel->tensor_flops_tf32) / 2;
	out->warp_products = !(kernel->wgmma_bytes > 0);
	out->shared_passes = counted_shared_passes(kernel);
	out->lookups = kernel->lines;
	out->l2_bytes = counted_l2_bytes(kernel);
	const struct occupancy fits =
		occupancy_of(gpu, out->threads, out->registers, out->shared_bytes);
	out->dram_bytes = memory_bytes(kernel, gpu, counted_operand_bytes(problem, test), &fits);
	out->trips = plain / warps_of(kernel) / IN_FLIGHT;
	out->waits = 2 + counted_waits(kernel);
}
