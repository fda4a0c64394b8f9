#include "judge/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"

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
	char build[PATHS_MAX], path[PATHS_MAX];
	if (folder != NULL) {
		if (strlen(folder) >= sizeof out->runtime_folder)
			return error_set(err, "emu:%s: path too long", folder);
		snprintf(path, sizeof path, "%s", folder);
	} else if (!paths_build(build, err) || !paths_join(path, build, "emulator", err)) {
		return false;
	}
	char library[PATHS_MAX];
	if (!paths_join(library, path, "libcudart.so.13", err))
		return false;
	if (access(library, R_OK) != 0)
		return error_set(err, "no emulated GPU: %s cannot be read", library);
	if (strlen(path) >= sizeof out->runtime_folder)
		return error_set(err, "path too long: %s", path);
	snprintf(out->runtime_folder, sizeof out->runtime_folder, "%s", path);
	return true;
}

static enum judge_status open_or_say(const struct device_choice *choice,
									 struct referee_link *referee, struct error *err)
{
	if (referee_link_open(referee, choice, err))
		return JUDGE_DONE;
	if (choice->kind == DEVICE_CUDA)
		error_prefix(err, "no usable NVIDIA GPU (--device emu judges without one)");
	return JUDGE_CANNOT_RUN;
}

static enum judge_status open_emulated(const char *folder, struct referee_link *referee,
									   struct error *err)
{
	struct device_choice choice;
	if (!choose_emulated(folder, &choice, err))
		return JUDGE_CANNOT_RUN;
	return open_or_say(&choice, referee, err);
}

enum judge_status device_open(const char *text, struct referee_link *referee, struct error *err)
{
	struct device_choice cuda = {.kind = DEVICE_CUDA};
	if (strcmp(text, "auto") == 0) {
		if (gpu_may_be_there() && referee_link_open(referee, &cuda, err))
			return JUDGE_DONE;
		return open_emulated(NULL, referee, err);
	}
	if (strcmp(text, "emu") == 0)
		return open_emulated(NULL, referee, err);
	if (strncmp(text, "emu:", 4) == 0 && text[4] != '\0')
		return open_emulated(text + 4, referee, err);
	if (strcmp(text, "cuda") == 0)
		return open_or_say(&cuda, referee, err);
	if (strncmp(text, "cuda:", 5) == 0) {
		char *end;
		long ordinal = strtol(text + 5, &end, 10);
		if (end != text + 5 && *end == '\0' && ordinal >= 0 && ordinal < 1024) {
			cuda.ordinal = (int)ordinal;
			return open_or_say(&cuda, referee, err);
		}
	}
	error_set(err, "unknown device '%s': use auto, cuda, cuda:N, emu or emu:DIR", text);
	return JUDGE_BAD_INPUT;
}
