/* The GPU that is emulated: its row among the models, as programs may ask about it. */
#include "emulator/runtime/runtime.h"

bool gpu_make(const char *id, struct gpu *out)
{
	const struct gpu_model *model = gpu_model_find(id);
	const struct gpu_capability *limits = model != NULL ? gpu_capability_of(model->compute) : NULL;
	if (limits == NULL || !model->emulated)
		return false;
	*out = (struct gpu){
		.id = model->id,
		.name = model->name,
		.major = model->compute / 10,
		.minor = model->compute % 10,
		.multiprocessors = model->multiprocessors,
		.cluster_groups = model->cluster_groups,
		.clock_khz = model->clock_mhz * 1000,
		.memory_clock_khz = model->memory_clock_khz,
		.bus_bits = model->bus_bits,
		.memory_bytes = (size_t)model->memory_gb * 1000 * 1000 * 1000,
		.l2_bytes = model->l2_mib * MIB,
		.l2_persisting_bytes = model->l2_persisting_kib * KIB,
		.shared_per_multiprocessor = limits->shared_kib * KIB,
		.shared_per_block_optin = limits->shared_block_kib * KIB,
		.shared_reserved = limits->shared_reserved,
		.threads_per_multiprocessor = limits->threads,
		.blocks_per_multiprocessor = limits->blocks,
	};
	return true;
}
