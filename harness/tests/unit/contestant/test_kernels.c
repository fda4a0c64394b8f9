/* links: kernels */
/* Names of kernels, mangled by nvcc, and records made up here. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "contestant/kernels.h"

static void named(const char *symbol, const char *name)
{
	char out[KERNEL_NAME_BYTES + 1];
	memset(out, '#', sizeof out);
	kernel_name(symbol, out);
	cr_expect_str_eq(out, name);
}

Test(kernels, names_are_without_result_and_parameters)
{
	named("_Z5tiledPK6__halfS1_PS_iiiff", "tiled");
	named("_Z5applyPFvifEPf", "apply"); /* (void (*)(int, float), float*) */
	named("_Z4gemmILi128ELi64EEvPf", "gemm<128, 64>");
	named("_Z1gIL4mode2EEvv", "g<(mode)2>");
	named("_ZN36_GLOBAL__N__6f2b4b09_4_m_cu_bfef20f25plainEPf", "plain");
	named(
		"_ZN36_GLOBAL__N__6f2b4b09_4_m_cu_bfef20f29gemm_tinyI6__half11tiny_configILi8ELi1EEEEvPKT_",
		"gemm_tiny<__half, tiny_config<8, 1>>");
}

Test(kernels, names_that_are_not_mangled_stay)
{
	named("nvjet_hsh_128x256_64x4_2x1_v_bz_NNN", "nvjet_hsh_128x256_64x4_2x1_v_bz_NNN");
	named("_Znonsense", "_Znonsense");
	named("f", "f"); /* no float */
	named("", "");
	named("ends)", "ends)");
	named(NULL, "(unnamed)");
}

Test(kernels, long_names_lose_inner_templates_first)
{
	named(
		"_Z17gemv2T_kernel_valIii6__halfS0_S0_fLi128ELi16ELi4ELi4ELb0ELb0E18cublasGemvParamsExIi30"
		"cublasGemvTensorStridedBatchedIKS0_ES4_S2_IS0_EfEEvT11_T4_S8_",
		"gemv2T_kernel_val<int, int, __half, __half, __half, float, 128, 16, 4, 4, false, false, "
		"cublasGemvParamsEx<...>>");
	named("_ZN7cutlass7Kernel2INS_121cutlass_80_tensorop_s16816gemm_f16_128x64_ldg8_f2f_nn_align8_"
		  "64x4_and_a_name_that_is_much_longer_than_it_should_be_at_allEEEvi",
		  "cutlass::Kernel2<...>");
}

/* "kk...kk<float>": whole, then as "kk...kk<...>", then cut. */
Test(kernels, names_that_stay_too_long_are_cut)
{
	for (size_t length = KERNEL_NAME_BYTES - 9; length < KERNEL_NAME_BYTES + 4; length++) {
		char letters[KERNEL_NAME_BYTES + 4], symbol[KERNEL_NAME_BYTES + 40], shown[sizeof symbol];
		memset(letters, 'k', length);
		letters[length] = '\0';
		snprintf(symbol, sizeof symbol, "_Z%zu%sIfEvv", length, letters);
		bool collapsed = length + 7 > KERNEL_NAME_BYTES && length + 5 <= KERNEL_NAME_BYTES;
		snprintf(shown, sizeof shown, "%s%s", letters, collapsed ? "<...>" : "<float>");
		shown[KERNEL_NAME_BYTES] = '\0';
		named(symbol, shown);
		snprintf(symbol, sizeof symbol, "%s", letters); /* not mangled */
		letters[length < KERNEL_NAME_BYTES ? length : KERNEL_NAME_BYTES] = '\0';
		named(symbol, letters);
	}
}

#if __has_include(<cupti.h>)

static CUpti_ActivityKernel10 some_record(const char *name)
{
	return (CUpti_ActivityKernel10){.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
									.registersPerThread = 168,
									.start = 5,
									.end = 7,
									.gridX = 66,
									.gridY = 2,
									.gridZ = 1,
									.blockX = 384,
									.blockY = 1,
									.blockZ = 1,
									.staticSharedMemory = 1024,
									.dynamicSharedMemory = 212480,
									.sharedMemoryExecuted = 233472,
									.clusterX = 2,
									.clusterY = 1,
									.clusterZ = 1,
									.name = name};
}

static void sized(const uint32_t size[3], uint32_t x, uint32_t y, uint32_t z)
{
	cr_expect(size[0] == x && size[1] == y && size[2] == z, "%u %u %u", size[0], size[1], size[2]);
}

static struct kernel_launch launch_of(const CUpti_ActivityKernel10 *record)
{
	static struct kernel_table table;
	table.count = 0;
	return table.launches[kernel_table_place(&table, record)];
}

Test(kernels, a_record_tells_how_it_was_launched)
{
	CUpti_ActivityKernel10 record = some_record("_Z8gemm_tmaILi128EEvPf");
	struct kernel_launch launch = launch_of(&record);
	cr_expect_str_eq(launch.name, "gemm_tma<128>");
	sized(launch.grid, 66, 2, 1);
	sized(launch.block, 384, 1, 1);
	sized(launch.cluster, 2, 1, 1);
	cr_expect_eq(launch.registers, 168);
	cr_expect_eq(launch.shared_bytes, 213504);
}

Test(kernels, no_cluster_is_a_cluster_of_one)
{
	CUpti_ActivityKernel10 record = some_record("nvjet");
	record.clusterX = record.clusterY = record.clusterZ = 0;
	struct kernel_launch launch = launch_of(&record);
	sized(launch.cluster, 1, 1, 1);
}

Test(kernels, the_table_has_each_launch_once)
{
	static struct kernel_table table;
	const char *name = "_Z4gemmPf";
	CUpti_ActivityKernel10 record = some_record(name);
	cr_assert_eq(kernel_table_place(&table, &record), 0);
	record.start = 100; /* another call */
	cr_assert_eq(kernel_table_place(&table, &record), 0);
	record.name = "_Z5scalePf";
	cr_assert_eq(kernel_table_place(&table, &record), 1);
	record.name = name;
	cr_assert_eq(kernel_table_place(&table, &record), 0);
	for (int i = 2; i < KERNELS_DISTINCT; i++) {
		record.gridX = 66 + i;
		cr_assert_eq(kernel_table_place(&table, &record), (uint32_t)i);
	}
	record.gridX = 1;
	cr_assert_eq(kernel_table_place(&table, &record), KERNEL_UNLISTED);
	record.gridX = 66 + 5;
	cr_assert_eq(kernel_table_place(&table, &record), 5);
	cr_assert_str_eq(table.launches[1].name, "scale");
	cr_assert_eq(table.launches[5].grid[0], 71);
	table.count = 0; /* anew, as each pass does */
	cr_assert_eq(kernel_table_place(&table, &record), 0);
	cr_assert_str_eq(table.launches[0].name, "gemm");
}

#endif
