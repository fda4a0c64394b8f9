#include "judge/options/device_list.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/suggest.h"

/* Words of other tools for a device. */
static const struct meaning device_words[] = {
	{"gpu nvidia gpu0 cuda0", "cuda", NULL},
	{"cpu host emulator emulation simulator sim", "emu", NULL},
	{NULL, NULL, NULL},
};

/* "0,2": each once. */
static bool ordinals_parse(const char *text, struct device_list *out)
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

bool device_list_parse(const char *text, struct device_list *out, struct error *err)
{
	static const char *const names[] = {"auto", "cuda", "emu"};
	uint64_t count = 0;
	*out = (struct device_list){.count = 1};
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
	const char *number = strncmp(text, "emulated:", 9) == 0 ? text + 9
						 : strncmp(text, "emu:", 4) == 0    ? text + 4 /* else a folder */
															: "";
	if (number_whole(number, DEVICES_MAX, &count) && count > 0) {
		out->count = (size_t)count;
		return true;
	}
	if (strncmp(text, "emu:", 4) == 0 && text[4] != '\0')
		out->folder = text + 4;
	char phrase[SUGGEST_TEXT];
	if (out->folder != NULL || strcmp(text, "emu") == 0)
		return true;
	if (suggest_meaning(phrase, device_words, text)[0] == '\0')
		suggest_phrase(phrase, text, names, 3);
	return error_set(err,
					 "unknown device '%s'%s (auto, cuda, cuda:N, cuda:N,N, cuda:all, emu, emu:DIR, "
					 "emulated:N)",
					 text, phrase);
}

/* A cheap look before the expensive one: the device nodes of NVIDIA's driver,
 * natively and under WSL. */
static bool gpu_may_be_there(void)
{
	return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/nvidia0", F_OK) == 0 ||
		   access("/dev/dxg", F_OK) == 0;
}

bool device_list_seems_emulated(const struct device_list *request)
{
	return request->text != NULL ? request->kind == DEVICE_EMULATED : !gpu_may_be_there();
}
