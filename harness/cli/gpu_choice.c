#include "cli/gpu_choice.h"

#include "judge/run/device.h"

bool gpu_choice(const struct options *options, struct tune_gpu *out, bool *at_hand,
				struct error *err)
{
	struct referee_link referee = {.arena_fd = -1};
	const struct device_facts emulated = {.name = "emulated GPU"};
	*at_hand = false;
	if (options->gpu != NULL)
		return gpu_find(options->gpu, out, err) || error_prefix(err, "--gpu");
	if (device_list_seems_emulated(&options->judge.device))
		return gpu_of_device(&emulated, DEVICE_EMULATED, out, err);
	if (!device_open(&options->judge.device, &referee, err))
		return false;
	bool ok = gpu_of_device(&referee.facts, referee.device.kind, out, err);
	*at_hand = ok && referee.device.kind == DEVICE_CUDA;
	referee_link_close(&referee);
	return ok;
}
