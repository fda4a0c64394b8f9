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

#define JUDGES_OF_GPU 4 /* compiling takes longer than judging without times */

/* What a batch decides for all of its judges. */
#define OF_THE_BATCH "batch jsonl first device quiet"
/* What a request may not choose: where others write, and what is not about one judgement. */
#define NOT_OF_A_REQUEST OF_THE_BATCH " watch help color annotate"

static bool option_of_request(const char *name, bool *takes_value)
{
	struct option_facts facts;
	for (size_t i = 0; options_facts("judge", i, &facts); i++)
		if (strcmp(facts.name, name) == 0) {
			*takes_value = facts.value != NULL;
			return (facts.use == VALUE_PLAIN || facts.use == VALUE_READ) &&
				   !option_list_has(NOT_OF_A_REQUEST, name);
		}
	return false;
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

/* One has it, while the next ones compile. */
static size_t judges_of_gpu(size_t gpus)
{
	const size_t each = probe_threads() / gpus;
	return each < 1 ? 1 : each > JUDGES_OF_GPU ? JUDGES_OF_GPU : each;
}

bool batch_places_take(struct batch_places *places, const struct device_list *list,
					   struct error *err)
{
	const bool emulated = device_list_seems_emulated(list);
	if (list->text != NULL && !emulated && list->count == 0)
		return error_set(err, "--device %s: name the GPUs (cuda:0,1)", list->text);
	const size_t gpus = list->text != NULL && list->count > 0 ? list->count : 1;
	places->count = emulated ? probe_threads() : gpus * judges_of_gpu(gpus);
	places->share = !emulated && places->count > gpus;
	if (emulated && list->text != NULL && list->count > 1)
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

/* Refuses options by which each of many judges would write to one place. */
static bool writes_nothing_else(const struct options *options, struct error *err)
{
	static const enum value_use uses[] = {VALUE_WRITTEN, VALUE_FOLDER};
	struct option_file file;
	for (size_t u = 0; u < sizeof uses / sizeof *uses; u++)
		for (size_t i = 0; options_file(options, uses[u], i, &file); i++)
			if (strcmp(file.option, "jsonl") != 0)
				return error_set(err, "--batch writes its answers to --jsonl and nothing to --%s",
								 file.option);
	return true;
}

int batch_command(struct options *options)
{
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
	if (!batch_places_take(&places, &options->judge.device, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	batch_words_take(&words, options, OF_THE_BATCH);
	const struct batch batch = {.requests = options->batch.requests,
								.answers =
									options->output.jsonl != NULL ? options->output.jsonl : "-",
								.words = (const char *const *)words.at,
								.word_count = words.count,
								.first_emulated = options->batch.first != NULL,
								.devices = places.at,
								.worker_count = places.count,
								.share = places.share,
								.option = option_of_request,
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
