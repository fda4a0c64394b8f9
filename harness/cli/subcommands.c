#include <stddef.h>

#include "cli/cli.h"

const struct subcommand *const subcommands[] = {
#define SUBCOMMAND(name) &subcommand_##name,
#include "cli/subcommands.def"
	NULL,
};
