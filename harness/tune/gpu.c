#include "tune/gpu.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

#define KIB 1024

/* What follows from the compute capability. Shared memory, threads, blocks and registers: CUDA C++
 * Programming Guide, "Technical Specifications per Compute Capability". Lanes: its "Arithmetic
 * Instructions". Multiply-adds of tensor cores: dense peaks of NVIDIA's data sheets over
 * multiprocessors and clock (H200: 989 TFLOP/s at 1830 MHz, 132 of them; A100: 312 at 1410, 108;
 * V100: 125 at 1530, 80; T4: 65 at 1590, 40; B200: 2250 at 1860, 148; A10, L4 and RTX PRO 6000
 * for 8.6, 8.9 and 12.0). Shared memory gives 32 banks of 4 bytes a clock on all of them, and
 * from 8.0 on the system keeps 1 KiB a block. */
static const struct limits {
	int compute, fma_lanes;
	int multiply_adds[UNIT_COUNT];
	int shared_kib, shared_block_kib, threads, blocks;
} limits[] = {
	{70, 64, {64, 512, 0, 0}, 96, 96, 2048, 32},
	{75, 64, {64, 512, 0, 1024}, 64, 64, 1024, 16},
	{80, 64, {64, 1024, 512, 2048}, 164, 163, 2048, 32},
	{86, 128, {128, 512, 256, 1024}, 100, 99, 1536, 16},
	{89, 128, {128, 512, 256, 1024}, 100, 99, 1536, 24},
	{90, 128, {128, 2048, 1024, 4096}, 228, 227, 2048, 32},
	{100, 128, {128, 4096, 2048, 8192}, 228, 227, 2048, 32},
	{120, 128, {128, 512, 256, 1024}, 100, 99, 1536, 24},
};

/* Multiprocessors, clock, L2 and memory bandwidth: NVIDIA's data sheets and architecture papers.
 * Bandwidth of L2, which no data sheet has: measured by Jia et al. (arXiv 1804.06826 and
 * 1903.07486) for V100 and T4; A100: 5120 bytes a clock by its architecture paper; H100 and H200:
 * as many at 1755 MHz, as nobody tells (chipsandcheese.com measured 5.6 TB/s on an H100 PCIe with
 * loads of threads, and solutions/gemm_e4m3 gets 7.4 on an H200 with TMA); B200: the two dies taken
 * for two of Hopper's, which nobody has confirmed. */
static const struct row {
	const char *id, *name;
	int compute, multiprocessors;
	double clock_mhz, dram, l2;
	int l2_mib;
} rows[] = {
	{"t4", "Tesla T4", 75, 40, 1590, 320e9, 1.27e12, 4},
	{"v100", "Tesla V100-SXM2", 70, 80, 1530, 900e9, 2.155e12, 6},
	{"a100", "NVIDIA A100-SXM4-80GB", 80, 108, 1410, 2.039e12, 7.2e12, 40},
	{"h100", "NVIDIA H100 80GB HBM3", 90, 132, 1980, 3.35e12, 9.0e12, 50},
	{"h200", "NVIDIA H200", 90, 132, 1980, 4.8e12, 9.0e12, 60},
	{"b200", "NVIDIA B200", 100, 148, 1965, 8.0e12, 1.8e13, 126},
};
#define ROWS (sizeof rows / sizeof *rows)
#define L2_BYTES_PER_CLOCK 64 /* of a multiprocessor, at most: for GPUs that are no row */

static bool limits_apply(int compute, struct tune_gpu *gpu)
{
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		const struct limits *of = &limits[i];
		if (of->compute != compute)
			continue;
		gpu->compute = compute;
		gpu->fma_lanes = of->fma_lanes;
		memcpy(gpu->multiply_adds, of->multiply_adds, sizeof gpu->multiply_adds);
		gpu->shared_bytes_per_clock = 32 * 4;
		gpu->shared_per_multiprocessor = (int64_t)of->shared_kib * KIB;
		gpu->shared_per_block = (int64_t)of->shared_block_kib * KIB;
		gpu->shared_reserved = compute >= 80 ? KIB : 0;
		gpu->registers_per_multiprocessor = 65536;
		gpu->registers_per_thread = 255;
		gpu->threads_per_block = 1024;
		gpu->threads_per_multiprocessor = of->threads;
		gpu->blocks_per_multiprocessor = of->blocks;
		return true;
	}
	return false;
}

static void row_apply(const struct row *row, struct tune_gpu *out)
{
	*out = (struct tune_gpu){.multiprocessors = row->multiprocessors,
							 .clock_mhz = row->clock_mhz,
							 .dram_bytes_per_second = row->dram,
							 .l2_bytes_per_second = row->l2,
							 .l2_bytes = (int64_t)row->l2_mib * KIB * KIB};
	snprintf(out->id, sizeof out->id, "%s", row->id);
	snprintf(out->name, sizeof out->name, "%s", row->name);
	limits_apply(row->compute, out);
}

const char *gpu_id(size_t index)
{
	return index < ROWS ? rows[index].id : NULL;
}

bool gpu_find(const char *id, struct tune_gpu *out, struct error *err)
{
	const char *ids[ROWS];
	char phrase[SUGGEST_TEXT], all[128] = "";
	for (size_t i = 0; i < ROWS; i++) {
		ids[i] = rows[i].id;
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? ", " : "", ids[i]);
		if (strcasecmp(id, ids[i]) == 0) {
			row_apply(&rows[i], out);
			return true;
		}
	}
	return error_set(err, "unknown GPU '%s'%s (%s)", id,
					 suggest_end(phrase, SUGGEST_GPU, id, ids, ROWS), all);
}

/* Whether the word stands in the name, and not as a part of another: "T4" is not in "T400". */
static bool has_word(const char *name, const char *word)
{
	size_t length = strlen(word);
	for (const char *p = name; (p = strcasestr(p, word)) != NULL; p++)
		if ((p == name || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)p[length]))
			return true;
	return false;
}

static const struct row *row_of_name(const char *name)
{
	for (size_t i = 0; i < ROWS; i++)
		if (has_word(name, rows[i].id))
			return &rows[i];
	return NULL;
}

static void take_facts(const struct device_facts *facts, struct tune_gpu *out)
{
	if (facts->multiprocessors > 0)
		out->multiprocessors = facts->multiprocessors;
	if (facts->l2_bytes > 0)
		out->l2_bytes = (int64_t)facts->l2_bytes;
	if (facts->sm_clock_khz > 0)
		out->clock_mhz = facts->sm_clock_khz / 1e3;
	if (facts->memory_bytes_per_second > 0)
		out->dram_bytes_per_second = facts->memory_bytes_per_second;
}

bool gpu_of_device(const struct device_facts *facts, enum device_kind kind, struct tune_gpu *out,
				   struct error *err)
{
	const struct row *row = row_of_name(facts->name);
	if (kind == DEVICE_EMULATED) /* its own is an H200 */
		return row != NULL ? (row_apply(row, out), true) : gpu_find("h200", out, err);
	int compute = atoi(facts->architecture); /* "90a" */
	*out = (struct tune_gpu){0};
	if (row != NULL)
		row_apply(row, out);
	else if (!limits_apply(compute, out))
		return error_set(err,
						 "%s: what a GPU of compute capability %d.%d can do is not known here; "
						 "--gpu names one that is",
						 facts->name, compute / 10, compute % 10);
	take_facts(facts, out);
	if (row == NULL)
		out->l2_bytes_per_second =
			(double)L2_BYTES_PER_CLOCK * out->multiprocessors * out->clock_mhz * 1e6;
	snprintf(out->name, sizeof out->name, "%s", facts->name);
	return true;
}
