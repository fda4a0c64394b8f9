/* The names are Nsight Compute's where it has one for the same thing; the
 * emulator's README says what each counts. Lines whose counts are all 0, or that
 * another emulator does not write, are left out. */
#include "report/counters.h"

#include <string.h>

#include "report/clean.h"

#define SECTOR_BYTES 32

static uint64_t value_of(const struct kernel_counters *kernel, const char *name)
{
	for (size_t i = 0; i < kernel->count; i++)
		if (strcmp(kernel->counters[i].name, name) == 0)
			return kernel->counters[i].value;
	return 0;
}

static void print_count(FILE *out, const char *label, uint64_t value)
{
	if (value > 0)
		fprintf(out, "    %-24s %14llu\n", label, (unsigned long long)value);
}

static void instructions_print(FILE *out, const struct kernel_counters *kernel)
{
	static const char *const classes[][2] = {
		{"fp32", "smsp__sass_thread_inst_executed_op_fp32_pred_on"},
		{"fp16", "smsp__sass_thread_inst_executed_op_fp16_pred_on"},
		{"fp64", "smsp__sass_thread_inst_executed_op_fp64_pred_on"},
		{"integer", "smsp__sass_thread_inst_executed_op_integer_pred_on"},
		{"conversion", "smsp__sass_thread_inst_executed_op_conversion_pred_on"},
		{"control", "smsp__sass_thread_inst_executed_op_control_pred_on"},
		{"memory", "smsp__sass_thread_inst_executed_op_memory_pred_on"},
		{"shuffle, vote", "smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on"},
	};
	static const char *const warp_classes[][2] = {
		{"tensor, per warp", "emulator__inst_executed_tensor"},
		{"barrier, per warp", "emulator__inst_executed_barrier"},
	};
	uint64_t warps = value_of(kernel, "smsp__inst_executed");
	uint64_t lanes = value_of(kernel, "smsp__thread_inst_executed");
	if (warps > 0)
		fprintf(out, "    %-24s %14llu, %.1f of 32 lanes active\n", "instructions of warps",
				(unsigned long long)warps, (double)lanes / (double)warps);
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		print_count(out, classes[i][0], value_of(kernel, classes[i][1]));
	for (size_t i = 0; i < sizeof warp_classes / sizeof *warp_classes; i++)
		print_count(out, warp_classes[i][0], value_of(kernel, warp_classes[i][1]));
	print_count(out, "flops, tensor", value_of(kernel, "emulator__flops_tensor"));
	print_count(out, "flops, others", value_of(kernel, "emulator__flops"));
}

static void global_print(FILE *out, const struct kernel_counters *kernel)
{
	static const char *const kinds[][3] = {
		{"global loads", "l1tex__t_requests_pipe_lsu_mem_global_op_ld",
		 "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"},
		{"global stores", "l1tex__t_requests_pipe_lsu_mem_global_op_st",
		 "l1tex__t_sectors_pipe_lsu_mem_global_op_st"},
		{"global atomics", "emulator__global_atomic_requests", "emulator__global_atomic_sectors"},
		{"cp.async", "smsp__inst_executed_op_ldgsts", "emulator__ldgsts_sectors"},
	};
	static const char *const bulks[][3] = {
		{"bulk loads", "emulator__bulk_load_requests", "emulator__bulk_load_bytes"},
		{"bulk stores", "emulator__bulk_store_requests", "emulator__bulk_store_bytes"},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		uint64_t requests = value_of(kernel, kinds[i][1]), sectors = value_of(kernel, kinds[i][2]);
		if (requests > 0)
			fprintf(out, "    %-24s %14llu requests, %.2f sectors each, %llu bytes\n", kinds[i][0],
					(unsigned long long)requests, (double)sectors / (double)requests,
					(unsigned long long)(sectors * SECTOR_BYTES));
	}
	for (size_t i = 0; i < sizeof bulks / sizeof *bulks; i++) {
		uint64_t requests = value_of(kernel, bulks[i][1]);
		if (requests > 0)
			fprintf(out, "    %-24s %14llu requests, %llu bytes\n", bulks[i][0],
					(unsigned long long)requests,
					(unsigned long long)value_of(kernel, bulks[i][2]));
	}
}

static void shared_print(FILE *out, const struct kernel_counters *kernel)
{
	static const char *const kinds[][4] = {
		{"shared loads", "smsp__inst_executed_op_shared_ld",
		 "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld",
		 "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld"},
		{"shared stores", "smsp__inst_executed_op_shared_st",
		 "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st",
		 "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st"},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		uint64_t requests = value_of(kernel, kinds[i][1]);
		uint64_t wavefronts = value_of(kernel, kinds[i][2]);
		uint64_t conflicts = value_of(kernel, kinds[i][3]);
		if (requests > 0)
			fprintf(out, "    %-24s %14llu requests, %.2f wavefronts each, %.2f from conflicts\n",
					kinds[i][0], (unsigned long long)requests,
					(double)wavefronts / (double)requests, (double)conflicts / (double)requests);
	}
}

void counters_print(FILE *out, const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->kernel_count; i++) {
		const struct kernel_counters *kernel = &judgement->kernels[i];
		fputs("  kernel ", out);
		clean_print_line(out, kernel->shown);
		uint64_t launches = value_of(kernel, "launches");
		fprintf(out, ", %llu launch%s, all cases together\n", (unsigned long long)launches,
				launches == 1 ? "" : "es");
		instructions_print(out, kernel);
		global_print(out, kernel);
		shared_print(out, kernel);
	}
}
