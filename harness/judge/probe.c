#include "judge/probe.h"

#include <string.h>

#include "judge/options/checks.h"
#include "judge/run/ahead.h"
#include "judge/run/device.h"
#include "judge/run/tool.h"
#include "judge/timing/confirm.h"

bool probe_device(const struct device_list *request, struct probe *out, struct error *err)
{
	struct referee_link referee = {.arena_fd = -1};
	if (!device_open(request, &referee, err))
		return false;
	*out = (struct probe){.device = referee.device, .facts = referee.facts};
	referee_link_close(&referee);
	return true;
}

bool probe_sealed(const struct probe *probe, struct error *err)
{
	return confirm_possible(&probe->device, err);
}

bool probe_sanitizer(char program[PATHS_MAX], struct error *err)
{
	const struct judge_options options = {.tool.sanitize = checks_of_sanitizer[0]};
	struct tool tool;
	if (!tool_find(&tool, &options, err))
		return false;
	strcpy(program, tool.program);
	return true;
}

size_t probe_threads(void)
{
	return ahead_threads();
}
