#include "cli/layers.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/jail.h"

/* Namespaces hide the files that are not to be read. */
static bool close_with(unsigned layer, bool tells, struct error *why)
{
	struct jail_telling telling;
	unsigned wanted = layer == LAYER_NAMESPACES ? layer | LAYER_FILES : layer;
	if ((jail_close(&(struct jail){.telling = tells ? &telling : NULL}, wanted, why) & layer) == 0)
		return false;
	return !tells || telling.fd >= 0 || error_set(why, "%s", telling.why_not);
}

bool layers_try(unsigned layer, bool tells, struct error *err)
{
	int ends[2], status = 1;
	error_set(err, "no process to try it in");
	if (pipe(ends) != 0)
		return false;
	pid_t child = fork();
	if (child == 0) {
		struct error why = {{0}};
		bool holds = close_with(layer, tells, &why);
		_exit(write(ends[1], why.message, sizeof why.message) < 0 || !holds);
	}
	close(ends[1]);
	if (child > 0 && read(ends[0], err->message, sizeof err->message) > 0)
		err->message[sizeof err->message - 1] = '\0';
	close(ends[0]);
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
		   WEXITSTATUS(status) == 0;
}

unsigned layers_missing(void)
{
	static const unsigned tried[] = {LAYER_FILES, LAYER_CALLS, LAYER_NAMESPACES};
	struct error ignored = {{0}};
	unsigned missing = 0;
	for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
		if (!layers_try(tried[i], false, &ignored))
			missing |= tried[i];
	return missing | (missing & LAYER_FILES ? (unsigned)LAYER_COMPILER : 0);
}

const char *layers_words(unsigned layers, char out[LAYERS_TEXT])
{
	const char *name;
	unsigned layer;
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; (name = layers_name(i, &layer)) != NULL; i++)
		if ((layers & layer) != 0)
			used +=
				(size_t)snprintf(out + used, LAYERS_TEXT - used, "%s%s", used > 0 ? "," : "", name);
	return out;
}
