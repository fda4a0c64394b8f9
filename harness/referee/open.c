#include "referee/referee.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"

static const struct referee_device *find_device(const struct device_choice *choice,
												struct error *err)
{
	char build[PATHS_MAX], folder[PATHS_MAX];
	if (choice->kind == DEVICE_EMULATED)
		return referee_device_emulated();
	if (choice->kind != DEVICE_CUDA) {
		error_set(err, "unknown kind of device %d", (int)choice->kind);
		return NULL;
	}
	if (!paths_build(build, err) || !paths_join(folder, build, "libexec", err))
		return NULL;
	return referee_device_cuda_load(folder, err);
}

/* Forgets all cases, but not how much memory they took. */
static void forget(struct referee *referee)
{
	stage_exchange_close(&referee->stage_exchange);
	exchange_close(&referee->reference);
	for (size_t i = 0; i < BITS_SLOTS; i++)
		free(referee->kept[i].outputs);
	*referee = (struct referee){.device = referee->device,
								.state = referee->state,
								.choice = referee->choice,
								.facts = referee->facts,
								.threads = referee->threads,
								.output = referee->output,
								.output_capacity = referee->output_capacity,
								.carried = referee->carried,
								.carried_capacity = referee->carried_capacity,
								.second = referee->second,
								.second_capacity = referee->second_capacity,
								.reduced = referee->reduced,
								.reduced_capacity = referee->reduced_capacity,
								.bounds = referee->bounds};
}

/* As new, with what takes long kept: the context, libraries and their handles. */
static bool renew(struct referee *referee, struct error *err)
{
	if (!referee_guards_hold(referee, err))
		return false;
	forget(referee);
	return referee->device->wipe(referee->state, err);
}

bool referee_open(struct referee *referee, const struct device_choice *choice, struct error *err)
{
	if (referee->device != NULL && memcmp(&referee->choice, choice, sizeof *choice) == 0)
		return renew(referee, err);
	referee_close(referee);
	const struct referee_device *device = find_device(choice, err);
	if (device == NULL ||
		!device->open(choice, &referee->state, &referee->facts, referee->seconds, err))
		return false;
	referee->device = device;
	referee->choice = *choice;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	referee->threads = processors > 1 ? (unsigned)processors : 1;
	return true;
}

void referee_close(struct referee *referee)
{
	if (referee->device != NULL)
		referee->device->close(referee->state);
	stage_exchange_close(&referee->stage_exchange);
	exchange_close(&referee->reference);
	free(referee->bounds);
	free(referee->output);
	free(referee->carried);
	free(referee->second);
	free(referee->reduced);
	for (size_t i = 0; i < BITS_SLOTS; i++)
		free(referee->kept[i].outputs);
	*referee = (struct referee){0};
}
