#include "judge/run/device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"

bool device_emulated(const char *folder, struct device_choice *out, struct error *err)
{
	*out = (struct device_choice){.kind = DEVICE_EMULATED};
	char build[PATHS_MAX], own[PATHS_MAX], library[PATHS_MAX];
	if (folder == NULL) {
		if (!paths_build(build, err) || !paths_join(own, build, "emulator", err))
			return false;
		folder = own;
	}
	if (strlen(folder) >= sizeof out->runtime_folder)
		return error_set(err, "path too long: %s", folder);
	if (!paths_join(library, folder, "libcudart.so.13", err))
		return false;
	if (access(library, R_OK) != 0)
		return error_set(err, "no emulated GPU: %s cannot be read", library);
	strcpy(out->runtime_folder, folder);
	return true;
}

static bool open_emulated(const char *folder, struct referee_link *referee, struct error *err)
{
	struct device_choice choice;
	return device_emulated(folder, &choice, err) && referee_link_open(referee, &choice, err);
}

bool device_open(const struct device_list *request, struct referee_link *referee, struct error *err)
{
	struct device_choice cuda = {.kind = DEVICE_CUDA, .ordinal = request->ordinals[0]};
	if (request->text == NULL)
		return (!device_list_seems_emulated(request) && referee_link_open(referee, &cuda, err)) ||
			   open_emulated(NULL, referee, err);
	if (request->kind == DEVICE_EMULATED)
		return open_emulated(request->folder, referee, err);
	return referee_link_open(referee, &cuda, err) ||
		   error_prefix(err, "no usable NVIDIA GPU (--device emu judges without one)");
}

size_t device_count(const struct device_list *request, const struct referee_link *first)
{
	if (request->text == NULL || request->count > 0)
		return request->text == NULL ? 1 : request->count;
	return first->facts.devices < DEVICES_MAX ? (size_t)first->facts.devices : DEVICES_MAX;
}

bool device_open_other(const struct device_list *request, const struct referee_link *first,
					   size_t i, struct referee_link *referee, struct error *err)
{
	struct device_choice choice = first->device;
	char label[DEVICE_LABEL];
	if (choice.kind == DEVICE_CUDA)
		choice.ordinal = request->count == 0 ? (int)i : request->ordinals[i];
	device_label(&choice, i, label);
	if (!referee_link_open(referee, &choice, err))
		return error_prefix(err, "%s", label);
	if (choice.kind == DEVICE_EMULATED)
		referee->facts = first->facts; /* whose name may say which GPU is emulated */
	if (strcmp(referee->facts.name, first->facts.name) == 0)
		return true;
	error_set(err,
			  "%s is a %s, and the first one a %s, whose times do not compare: name GPUs of one "
			  "kind (--device cuda:N,N)",
			  label, referee->facts.name, first->facts.name);
	referee_link_close(referee);
	return false;
}

void device_label(const struct device_choice *choice, size_t i, char out[DEVICE_LABEL])
{
	if (choice->kind == DEVICE_CUDA)
		snprintf(out, DEVICE_LABEL, "cuda:%d", choice->ordinal);
	else
		snprintf(out, DEVICE_LABEL, "emulated %zu", i);
}
