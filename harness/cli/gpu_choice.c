#include "cli/gpu_choice.h"

#include "judge/probe.h"

bool gpu_choice(const struct options *options, struct tune_gpu *out, bool *at_hand,
				struct error *err)
{
	struct probe probe;
	const struct device_properties emulated = {.name = "emulated GPU"};
	*at_hand = false;
	if (options->gpu != NULL)
		return gpu_find(options->gpu, out, err) || error_prefix(err, "--gpu");
	if (device_list_seems_emulated(&options->judge.device))
		return gpu_of_device(&emulated, DEVICE_EMULATED, out, err);
	if (!probe_device(&options->judge.device, &probe, err) ||
		!gpu_of_device(&probe.facts, probe.device.kind, out, err))
		return false;
	*at_hand = probe.device.kind == DEVICE_CUDA;
	return true;
}
