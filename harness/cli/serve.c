/* gemmjudge serve: submissions over HTTP. */
#include "serve/serve.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/batch.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/layers.h"
#include "store/place.h"

/* Options that concern the server alone, and are no words for its judges. */
#define OF_THE_SERVER                                                                              \
	"standard listen store through workers jobs public queue queue-of-user seconds-of-user disk "  \
	"disk-of-user device without help"

#define LISTEN "127.0.0.1:8080"
#define QUEUE 1000
#define QUEUE_OF_USER 20
#define SECONDS_OF_USER 1800
#define DISK_MIB 16384
#define DISK_OF_USER_MIB 256

/* ---- what judges are told ------------------------------------------------------------- */

struct judge_words {
	size_t count;
	char *at[SERVE_WORDS_MAX];
};

static void take_word(void *context, const char *word)
{
	struct judge_words *words = context;
	char *copy = words->count < SERVE_WORDS_MAX ? strdup(word) : NULL;
	if (copy != NULL)
		words->at[words->count++] = copy;
}

/* As the command line of `judge` would be read. getopt() has one state for all threads. */
static bool suits(const char *const *words, size_t count, struct error *err)
{
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
	struct options *options = calloc(1, sizeof *options);
	char **argv = calloc(count + 3, sizeof *argv);
	bool ok = options != NULL && argv != NULL;
	if (ok) {
		argv[0] = (char *)"judge";
		memcpy(argv + 1, words, count * sizeof *argv);
		argv[count + 1] = (char *)"-";
		pthread_mutex_lock(&one_at_a_time);
		ok = options_parse((int)count + 2, argv, options, err);
		pthread_mutex_unlock(&one_at_a_time);
	} else {
		error_set(err, "out of memory");
	}
	free(argv);
	free(options);
	return ok;
}

/* ---- the jail -------------------------------------------------------------------------- */

/* The layers that are demanded, in words; refuses to serve where one of them is missing. */
static bool demand_jail(unsigned without, char require[LAYERS_TEXT], struct error *err)
{
	char names[LAYERS_TEXT];
	const unsigned missing = layers_missing();
	char line[256];
	layers_words(LAYER_ALL & ~without, require);
	if (missing == 0)
		return true;
	layers_print(missing, names);
	if ((missing & ~without) != 0)
		return error_set(err,
						 "these layers of the jail do not hold here: %s. 'gemmjudge doctor' says "
						 "what would mend it; --without %s takes submissions all the same",
						 names, layers_words(missing, line));
	snprintf(line, sizeof line, "without these layers of the jail: %s", names);
	cli_tell(line);
	return true;
}

/* ---- the server ------------------------------------------------------------------------- */

/* What --standard names; NULL without it. False with err. */
static bool read_standard(const char *path, json_t **out, struct error *err)
{
	json_error_t where;
	*out = path != NULL ? json_load_file(path, JSON_REJECT_DUPLICATES, &where) : NULL;
	return path == NULL || *out != NULL ||
		   error_set(err, "--standard %s: line %d: %s", path, where.line, where.text);
}

static size_t or_usual(size_t asked, size_t usual)
{
	return asked > 0 ? asked : usual;
}

static int serve(const char *program, struct options *options)
{
	struct error err = {{0}};
	struct judge_words words = {.count = 0};
	struct batch_places places = {.count = 0};
	char store[PATHS_MAX], absolute[PATHS_MAX], require[LAYERS_TEXT];
	(void)program;
	if (options->argument_count > 0) {
		error_set(&err, "serve takes no file: they are submitted ('gemmjudge submit %s')",
				  options->arguments[0]);
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	const bool elsewhere = options->through.command != NULL;
	const size_t workers = options->through.workers;
	const size_t jobs = options->judge.jobs > 0 ? options->judge.jobs : elsewhere ? 0 : workers;
	json_t *standard = NULL;
	if (!store_needed(options->store.file, store, &err) ||
		!read_standard(options->serve.standard, &standard, &err) ||
		!batch_places_take(&places, &options->judge.device, jobs, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	if (!demand_jail(options->judge.limits.without, require, &err))
		return cli_fail(EXIT_CANNOT_RUN, &err);
	paths_absolute(store, absolute);
	options_words(options, OF_THE_SERVER, take_word, &words);
	if (elsewhere)
		batch_places_spread(&places, workers > 0 ? workers : 1);
	/* of judges elsewhere nothing is known but what they are told */
	const bool here = !elsewhere || options->judge.device.text != NULL;
	struct judge_options usual = options->judge;
	const bool emulated = here && device_list_seems_emulated(&usual.device);
	if (here)
		command_usual_cases(&usual, emulated);
	const struct serve_config config = {
		.listen = options->serve.listen != NULL ? options->serve.listen : LISTEN,
		.store = absolute,
		.version = GEMMJUDGE_VERSION,
		.through = options->through.command,
		.require = require[0] != '\0' ? require : NULL,
		.words = (const char *const *)words.at,
		.word_count = words.count,
		.standard = standard,
		.devices = places.at,
		.worker_count = places.count,
		.share = places.share,
		.cases = usual.cases.count,
		.max_dim = usual.cases.max_dim,
		.emulated = emulated,
		.public = options->serve.public,
		.queue = or_usual(options->serve.queue, QUEUE),
		.queue_of_user = or_usual(options->serve.queue_of_user, QUEUE_OF_USER),
		.seconds_of_user =
			options->serve.seconds_of_user > 0 ? options->serve.seconds_of_user : SECONDS_OF_USER,
		.disk = (int64_t)or_usual(options->serve.disk_mib, DISK_MIB) << 20,
		.disk_of_user = (int64_t)or_usual(options->serve.disk_of_user_mib, DISK_OF_USER_MIB) << 20,
		.suits = suits,
		.tell = cli_tell};
	const bool ok = serve_run(&config, &err);
	json_decref(standard);
	for (size_t i = 0; i < words.count; i++)
		free(words.at[i]);
	return ok ? EXIT_ACCEPTED : cli_fail(EXIT_CANNOT_RUN, &err);
}

const struct subcommand subcommand_serve = {
	.name = "serve",
	.summary = "take submissions over HTTP, judge them one by one",
	.usage = "usage: gemmjudge serve [OPTION...]\n"
			 "\n"
			 "Takes solutions over HTTP, keeps them in the store, judges each in a judge of "
			 "its own, and shows what was found. On a loopback address nobody needs a token "
			 "until there are users ('gemmjudge user add NAME'); elsewhere users are needed. "
			 "SIGTERM ends it after the present judgements; what waits is judged later.\n"
			 "\n"
			 "  gemmjudge serve --device emu\n"
			 "  gemmjudge serve --listen 0.0.0.0:8080 --store class.db --device cuda:0,1\n"
			 "  gemmjudge serve --through 'srun --gres=gpu:1' --workers 4\n",
	.run = serve,
};
