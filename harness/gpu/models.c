#include "gpu/models.h"

#include <strings.h>

#define ROW(id_, ...) {.id = id_, __VA_ARGS__},
#define EMULATED_ROW(id_, ...) {.id = id_, .emulated = true, __VA_ARGS__},
#define ID(id_, ...) id_,
#define NO_ID(...)

static const struct gpu_model models[] = {GPU_MODELS(ROW, EMULATED_ROW)};
const char *const gpu_ids[] = {GPU_MODELS(ID, ID) NULL};
const char *const gpu_emulated_ids[] = {GPU_MODELS(NO_ID, ID) NULL};

/* Shared memory, threads, blocks and registers: CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability". Lanes: its "Arithmetic Instructions". Multiply-adds of
 * tensor cores: dense peaks of NVIDIA's data sheets over multiprocessors and clock (H200: 989
 * TFLOP/s at 1830 MHz, 132 of them; A100: 312 at 1410, 108; V100: 125 at 1530, 80; T4: 65 at 1590,
 * 40; B200: 2250 at 1860, 148; A10, L4 and RTX PRO 6000 for 8.6, 8.9 and 12.0). */
static const struct gpu_capability capabilities[] = {
	{70, "70", {64, 512, 0, 0}, 64, 96, 96, 2048, 32, 0},
	{75, "75", {64, 512, 0, 1024}, 64, 64, 64, 1024, 16, 0},
	{80, "80", {64, 1024, 512, 2048}, 64, 164, 163, 2048, 32, 1024},
	{86, "86", {128, 512, 256, 1024}, 128, 100, 99, 1536, 16, 1024},
	{89, "89", {128, 512, 256, 1024}, 128, 100, 99, 1536, 24, 1024},
	{90, "90a", {128, 2048, 1024, 4096}, 128, 228, 227, 2048, 32, 1024},
	{100, "100a", {128, 4096, 2048, 8192}, 128, 228, 227, 2048, 32, 1024},
	{120, "120a", {128, 512, 256, 1024}, 128, 100, 99, 1536, 24, 1024},
};

#define TENSOR_MEMORY "tcgen05 and tensor memory are not"
#define BLOCK_SCALED "mma of 4, 6 and block-scaled 8 bits is not"

const struct gpu_missing gpus_missing[] = {
	{"b200 b100 b300 gb200 gb300 blackwell sm-100* sm100* sm-103* sm103*", "B200", TENSOR_MEMORY},
	{"jetson-thor thor agx-thor jetson-agx-thor sm-110* sm110*", "Jetson Thor", TENSOR_MEMORY},
	{"rtx50* rtx-50* 5090 rtx-pro-6000 sm-120* sm120*", "RTX 5090", BLOCK_SCALED},
	{"gb10 dgx-spark spark sm-121* sm121*", "GB10", BLOCK_SCALED},
	{NULL, NULL, NULL},
};

const struct gpu_model *gpu_model_at(size_t index)
{
	return index < sizeof models / sizeof *models ? &models[index] : NULL;
}

const struct gpu_model *gpu_model_find(const char *id)
{
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		if (strcasecmp(models[i].id, id) == 0)
			return &models[i];
	return NULL;
}

const struct gpu_model *gpu_model_standing_for(int compute)
{
	const struct gpu_model *oldest = NULL, *best = NULL;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		const struct gpu_model *model = &models[i];
		if (!model->emulated)
			continue;
		if (oldest == NULL || model->compute < oldest->compute)
			oldest = model;
		if (model->compute <= compute && (best == NULL || model->compute > best->compute))
			best = model;
	}
	return best != NULL ? best : oldest;
}

const struct gpu_capability *gpu_capability_of(int compute)
{
	for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
		if (capabilities[i].compute == compute)
			return &capabilities[i];
	return NULL;
}
