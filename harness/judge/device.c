#include "judge/device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/paths.h"
#include "base/suggest.h"

/* "0,2": each once. */
static bool ordinals_parse(const char *text, struct device_request *out)
{
	out->count = 0;
	for (;;) {
		char word[8];
		size_t length = strcspn(text, ",");
		uint64_t ordinal;
		if (length >= sizeof word || out->count == DEVICES_MAX)
			return false;
		snprintf(word, sizeof word, "%.*s", (int)length, text);
		if (!number_whole(word, 1023, &ordinal))
			return false;
		for (size_t i = 0; i < out->count; i++)
			if (out->ordinals[i] == (int)ordinal)
				return false;
		out->ordinals[out->count++] = (int)ordinal;
		if (text[length] == '\0')
			return true;
		text += length + 1;
	}
}

bool device_parse(const char *text, struct device_request *out, struct error *err)
{
	static const char *const names[] = {"auto", "cuda", "emu"};
	uint64_t count = 0;
	*out = (struct device_request){.count = 1};
	if (strcmp(text, "auto") == 0)
		return true;
	out->text = text;
	out->kind = DEVICE_CUDA;
	if (strcmp(text, "cuda:all") == 0)
		out->count = 0;
	if (strcmp(text, "cuda") == 0 || out->count == 0 ||
		(strncmp(text, "cuda:", 5) == 0 && ordinals_parse(text + 5, out)))
		return true;
	out->kind = DEVICE_EMULATED;
	out->count = 1;
	if (strncmp(text, "emulated:", 9) == 0 && number_whole(text + 9, DEVICES_MAX, &count) &&
		count > 0) {
		out->count = (size_t)count;
		return true;
	}
	if (strncmp(text, "emu:", 4) == 0 && text[4] != '\0')
		out->folder = text + 4;
	char phrase[SUGGEST_TEXT];
	return out->folder != NULL || strcmp(text, "emu") == 0 ||
		   error_set(err,
					 "unknown device '%s'%s (auto, cuda, cuda:N, cuda:N,N, cuda:all, emu, emu:DIR, "
					 "emulated:N)",
					 text, suggest_end(phrase, SUGGEST_DEVICE, text, names, 3));
}

/* A cheap look before the expensive one: the device nodes of NVIDIA's driver,
 * natively and under WSL. */
static bool gpu_may_be_there(void)
{
	return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/nvidia0", F_OK) == 0 ||
		   access("/dev/dxg", F_OK) == 0;
}

static bool choose_emulated(const char *folder, struct device_choice *out, struct error *err)
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
	return choose_emulated(folder, &choice, err) && referee_link_open(referee, &choice, err);
}

bool device_seems_emulated(const struct device_request *request)
{
	return request->text != NULL ? request->kind == DEVICE_EMULATED : !gpu_may_be_there();
}

bool device_open(const struct device_request *request, struct referee_link *referee,
				 struct error *err)
{
	struct device_choice cuda = {.kind = DEVICE_CUDA, .ordinal = request->ordinals[0]};
	if (request->text == NULL)
		return (gpu_may_be_there() && referee_link_open(referee, &cuda, err)) ||
			   open_emulated(NULL, referee, err);
	if (request->kind == DEVICE_EMULATED)
		return open_emulated(request->folder, referee, err);
	return referee_link_open(referee, &cuda, err) ||
		   error_prefix(err, "no usable NVIDIA GPU (--device emu judges without one)");
}

size_t device_count(const struct device_request *request, const struct referee_link *first)
{
	if (request->text == NULL || request->count > 0)
		return request->text == NULL ? 1 : request->count;
	return first->facts.devices < DEVICES_MAX ? (size_t)first->facts.devices : DEVICES_MAX;
}

bool device_open_other(const struct device_request *request, const struct referee_link *first,
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
