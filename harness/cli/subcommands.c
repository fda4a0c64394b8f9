#include "cli/cli.h"

#include <stddef.h>

const struct subcommand *const subcommands[] = {
	&subcommand_judge,
	&subcommand_bench,
	&subcommand_compare,
	&subcommand_tune,
	&subcommand_explain,
	&subcommand_history,
	&subcommand_show,
	&subcommand_rejudge,
	&subcommand_diff,
	&subcommand_leaderboard,
	&subcommand_new,
	&subcommand_flatten,
	&subcommand_list,
	&subcommand_serve,
	&subcommand_submit,
	&subcommand_user,
	&subcommand_doctor,
	&subcommand_generate,
	NULL,
};
