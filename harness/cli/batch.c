#include "cli/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/reader.h"
#include "judge/probe.h"

/* What a batch decides for all of its judges. */
#define OF_THE_BATCH "batch jsonl first device quiet through workers jobs"
/* What a request may not choose: where others write, and what is not about one judgement. */
#define NOT_OF_A_REQUEST OF_THE_BATCH " watch help color annotate"

static bool option_of(const char *subcommand, const char *name, bool *takes_value)
{
	struct option_description facts;
	for (size_t i = 0; options_facts(subcommand, i, &facts); i++)
		if (strcmp(facts.name, name) == 0) {
			*takes_value = facts.value != NULL;
			return (facts.use == VALUE_PLAIN || facts.use == VALUE_READ) &&
				   !option_list_has(NOT_OF_A_REQUEST, name);
		}
	return false;
}

static bool option_of_judge(const char *name, bool *takes_value)
{
	return option_of("judge", name, takes_value);
}

static bool option_of_bench(const char *name, bool *takes_value)
{
	return option_of("bench", name, takes_value);
}

static void take_word(void *context, const char *word)
{
	struct batch_words *words = context;
	char *copy = words->count < BATCH_WORDS_MAX ? strdup(word) : NULL;
	if (copy != NULL)
		words->at[words->count++] = copy;
}

void batch_words_take(struct batch_words *words, const struct options *options, const char *but)
{
	words->count = 0;
	options_words(options, but, take_word, words);
}

void batch_words_free(struct batch_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->at[i]);
	words->count = 0;
}

bool batch_places_take(struct batch_places *places, const struct device_list *list, size_t jobs,
					   struct error *err)
{
	const bool emulated = device_list_seems_emulated(list);
	if (list->text != NULL && !emulated && list->count == 0)
		return error_set(err, "--device %s: name the GPUs (cuda:0,1)", list->text);
	const size_t gpus = list->text != NULL && list->count > 0 ? list->count : 1;
	places->count = jobs > 0 ? jobs : emulated ? probe_threads() : probe_judges(gpus);
	places->share = !emulated && places->count > gpus;
	if (emulated && jobs == 0 && list->text != NULL && list->count > 1)
		places->count = list->count;
	if (places->count > BATCH_WORKERS_MAX)
		places->count = BATCH_WORKERS_MAX;
	places->distinct = places->share ? gpus : places->count;
	for (size_t i = 0; i < places->count; i++) {
		snprintf(places->names[i], sizeof places->names[i], "cuda:%d", list->ordinals[i % gpus]);
		places->at[i] = list->text == NULL     ? "auto"
						: !emulated            ? places->names[i]
						: list->folder != NULL ? list->text
											   : "emu";
	}
	return true;
}

void batch_places_spread(struct batch_places *places, size_t workers)
{
	for (size_t i = places->count; i < workers; i++)
		places->at[i] = places->at[i % places->count];
	places->count = places->distinct = workers;
	places->share = false;
}

static void tell(const struct batch_outcome *outcome)
{
	char known[64] = "", failed[64] = "";
	if (outcome->known > 0)
		snprintf(known, sizeof known, ", %zu answered before", outcome->known);
	if (outcome->failed > 0)
		snprintf(failed, sizeof failed, ", %zu came to no verdict", outcome->failed);
	fprintf(stderr, "gemmjudge: %zu judged, %zu of them accepted%s%s\n", outcome->answered,
			outcome->accepted, known, failed);
}

/* Refuses options by which each of many judges would write to one place, but for lines that are
 * appended. */
static bool writes_nothing_else(const struct options *options, struct error *err)
{
	static const enum value_use uses[] = {VALUE_WRITTEN, VALUE_FOLDER};
	struct option_file file;
	for (size_t u = 0; u < sizeof uses / sizeof *uses; u++)
		for (size_t i = 0; options_file(options, uses[u], i, &file); i++)
			if (strcmp(file.option, "jsonl") != 0 &&
				(strcmp(file.option, "profile-judge") != 0 || strcmp(file.path, "-") == 0))
				return error_set(err, "--batch writes its answers to --jsonl and nothing to --%s",
								 file.option);
	return true;
}

/* Times are taken by one on each GPU, and elsewhere by as many as are asked for. */
static bool places_take(struct batch_places *places, const struct options *options, bool times,
						struct error *err)
{
	if (!batch_places_take(places, &options->judge.device, options->judge.jobs, err))
		return false;
	if (options->through.command != NULL)
		batch_places_spread(places, options->judge.jobs > 0        ? options->judge.jobs
									: options->through.workers > 0 ? options->through.workers
																   : 1);
	else if (times)
		batch_places_spread(places, places->distinct);
	return true;
}

int batch_command(const char *subcommand, struct options *options)
{
	const bool times = strcmp(subcommand, "bench") == 0;
	const char *const command[] = {subcommand, times ? NULL : "--quiet", NULL};
	struct error err = {{0}};
	struct batch_words words = {0};
	struct batch_places places = {0};
	struct batch_outcome outcome = {0};
	if (options->argument_count > 0) {
		error_set(&err, "--batch: its lines name the files, and '%s' is none of them",
				  options->arguments[0]);
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (!writes_nothing_else(options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	if (strcmp(options->batch.requests, "-") != 0 && access(options->batch.requests, R_OK) != 0) {
		error_set(&err, "--batch %s: %s", options->batch.requests, strerror(errno));
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (!places_take(&places, options, times, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	batch_words_take(&words, options, OF_THE_BATCH);
	const struct batch batch = {.requests = options->batch.requests,
								.answers =
									options->output.jsonl != NULL ? options->output.jsonl : "-",
								.command = command,
								.words = (const char *const *)words.at,
								.word_count = words.count,
								.first_emulated = options->batch.first != NULL,
								.devices = places.at,
								.worker_count = places.count,
								.referees = !times && options->through.command == NULL,
								.share = places.share,
								.through = options->through.command,
								.option = times ? option_of_bench : option_of_judge,
								.stopped = command_interrupted};
	command_watch_interrupts();
	const bool ok = batch_run(&batch, &outcome, &err);
	batch_words_free(&words);
	if (ok && !options->output.quiet)
		tell(&outcome);
	command_end_interrupted();
	if (!ok)
		return cli_fail(EXIT_CANNOT_RUN, &err);
	return outcome.failed > 0 ? EXIT_NOT_ACCEPTED : EXIT_ACCEPTED;
}
