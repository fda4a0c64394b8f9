#include "judge/device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/paths.h"
#include "base/suggest.h"

bool device_parse(const char *text, struct device_request *out, struct error *err)
{
	static const char *const names[] = {"auto", "cuda", "emu"};
	uint64_t ordinal = 0;
	*out = (struct device_request){.text = NULL};
	if (strcmp(text, "auto") == 0)
		return true;
	out->text = text;
	if (strcmp(text, "cuda") == 0 ||
		(strncmp(text, "cuda:", 5) == 0 && number_whole(text + 5, 1023, &ordinal))) {
		out->kind = DEVICE_CUDA;
		out->ordinal = (int)ordinal;
		return true;
	}
	out->kind = DEVICE_EMULATED;
	if (strncmp(text, "emu:", 4) == 0 && text[4] != '\0')
		out->folder = text + 4;
	char phrase[160];
	return out->folder != NULL || strcmp(text, "emu") == 0 ||
		   error_set(err, "unknown device '%s'%s (auto, cuda, cuda:N, emu, emu:DIR)", text,
					 suggest_phrase(phrase, text, names, 3));
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
	struct device_choice cuda = {.kind = DEVICE_CUDA, .ordinal = request->ordinal};
	if (request->text == NULL)
		return (gpu_may_be_there() && referee_link_open(referee, &cuda, err)) ||
			   open_emulated(NULL, referee, err);
	if (request->kind == DEVICE_EMULATED)
		return open_emulated(request->folder, referee, err);
	return referee_link_open(referee, &cuda, err) ||
		   error_prefix(err, "no usable NVIDIA GPU (--device emu judges without one)");
}
