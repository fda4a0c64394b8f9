#include "judge/probe.h"

#include <string.h>

#include "judge/options/checks.h"
#include "judge/run/ahead.h"
#include "judge/run/device.h"
#include "judge/run/tool.h"
#include "judge/run/turn.h"
#include "judge/timing/clocks.h"
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

size_t probe_judges(size_t gpus)
{
	const uint64_t memory = clocks_least_memory();
	const size_t threads = ahead_threads();
	const size_t places = memory > 0 ? gpus * turn_room(memory) : threads;
	const size_t judges = threads < places ? threads : places;
	return judges > gpus ? judges : gpus;
}
