/* gemmjudge user: who may use `gemmjudge serve`. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "store/accounts.h"
#include "store/place.h"

static int add(const char *store, const char *name, const char *role)
{
	struct error err;
	char token[ACCOUNT_TOKEN];
	if (!account_add(store, name, role != NULL ? role : account_roles[ACCOUNT_STUDENT], token,
					 &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	printf("%s\n", token);
	return EXIT_ACCEPTED;
}

static int list(const char *store)
{
	struct error err;
	size_t i;
	json_t *account, *accounts = accounts_list(store, &err);
	if (accounts == NULL)
		return cli_fail(EXIT_BAD_INPUT, &err);
	printf("%-24s  %-8s  %-10s  %s\n", "user", "role", "since", "submissions");
	json_array_foreach(accounts, i, account)
	{
		char date[16] = "";
		const time_t since = (time_t)json_number_value(json_object_get(account, "created"));
		struct tm day;
		if (gmtime_r(&since, &day) != NULL)
			strftime(date, sizeof date, "%Y-%m-%d", &day);
		printf("%-24s  %-8s  %-10s  %11lld\n", json_string_value(json_object_get(account, "name")),
			   json_string_value(json_object_get(account, "role")), date,
			   (long long)json_integer_value(json_object_get(account, "submissions")));
	}
	json_decref(accounts);
	return EXIT_ACCEPTED;
}

static int drop(const char *store, const char *name)
{
	struct error err;
	return account_remove(store, name, &err) ? EXIT_ACCEPTED : cli_fail(EXIT_BAD_INPUT, &err);
}

static int user(const char *program, struct options *options)
{
	struct error err;
	char store[PATHS_MAX];
	const size_t count = options->argument_count;
	const char *what = count > 0 ? options->arguments[0] : "";
	const char *name = count > 1 ? options->arguments[1] : NULL;
	(void)program;
	const bool adds = strcmp(what, "add") == 0 && count == 2;
	const bool lists = strcmp(what, "list") == 0 && count == 1;
	if (!adds && !lists && (strcmp(what, "remove") != 0 || count != 2)) {
		error_set(&err, "'user add NAME', 'user list' or 'user remove NAME' is needed");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (options->role != NULL && !adds) {
		error_set(&err, "--role goes with 'user add'");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (!store_needed(options->store.file, store, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	return adds ? add(store, name, options->role) : lists ? list(store) : drop(store, name);
}

const struct subcommand subcommand_user = {
	.name = "user",
	.takes = "ACTION...",
	.summary = "who may submit to serve",
	.usage = "usage: gemmjudge user add NAME [--role teacher] [--store FILE]\n"
			 "       gemmjudge user list\n"
			 "       gemmjudge user remove NAME\n"
			 "\n"
			 "Users of 'gemmjudge serve' with the same store. 'add' prints a token, once: the "
			 "store has only its hash. A teacher sees everyone's submissions. What a removed "
			 "user submitted stays, and is not another's who gets the name later.\n"
			 "\n"
			 "  gemmjudge user add ada --store class.db\n",
	.run = user,
};
