#include "judge/run/epilogue.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "process/jail.h"

#define RUNNER "harness/referee/stage_runner.cu"

/* With the chain parsed. */
static bool take_header(struct epilogue *epilogue, struct error *err)
{
	epilogue->header = chain_header(&epilogue->chain, &epilogue->files, 0, epilogue->chain.count);
	for (uint32_t i = 0; i < epilogue->chain.count; i++)
		epilogue->stages[i] = epilogue->files.paths[i];
	return epilogue->header != NULL || error_set(err, "out of memory");
}

static bool take_content(struct epilogue *epilogue, struct error *err)
{
	struct hash hash;
	char content[CONTENT_TEXT];
	hash_begin(&hash);
	for (uint32_t i = 0; i < epilogue->chain.count; i++) {
		if (!content_hash(epilogue->files.paths[i], content, err))
			return false;
		hash_add_text(&hash, content);
	}
	hash_end(&hash, epilogue->content);
	return true;
}

bool epilogue_open(const char *text, struct epilogue **out, struct error *err)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	*out = NULL;
	if (text == NULL)
		return true;
	struct epilogue *epilogue = calloc(1, sizeof *epilogue);
	if (epilogue == NULL)
		return error_set(err, "out of memory");
	bool ok = paths_source(source, err) && paths_join(folder, source, "epilogues", err) &&
			  chain_parse(text, folder, &epilogue->chain, &epilogue->files, err);
	bool plain = ok && chain_is_plain(&epilogue->chain);
	ok = ok && (plain || (take_header(epilogue, err) && take_content(epilogue, err)));
	if (ok && !plain)
		*out = epilogue;
	else
		epilogue_close(epilogue);
	return ok;
}

void epilogue_renew(struct epilogue *epilogue)
{
	for (int i = 0; epilogue != NULL && i < CHAIN_STAGES_MAX; i++) {
		contestant_link_close(&epilogue->runners[i].link);
		epilogue->runners[i].link.jail.enclosed = false;
	}
}

void epilogue_take_layers(struct epilogue *epilogue, struct judgement *judgement)
{
	for (int i = 0; epilogue != NULL && i < CHAIN_STAGES_MAX; i++) {
		struct epilogue_runner *runner = &epilogue->runners[i];
		if (!runner->link.jail.enclosed)
			continue;
		contestant_link_denied(&runner->link, &judgement->denied);
		judgement_take_layers(judgement, true, runner->link.jail.layers);
		if (!runner->compiled.jailed)
			judgement->layers &= ~(unsigned)LAYER_COMPILER;
	}
}

void epilogue_close(struct epilogue *epilogue)
{
	if (epilogue == NULL)
		return;
	epilogue_renew(epilogue);
	for (int i = 0; i < CHAIN_STAGES_MAX; i++)
		compiled_free(&epilogue->runners[i].compiled);
	free(epilogue->header);
	free(epilogue);
}

bool epilogue_fits(const struct problem *problem, struct error *err)
{
	return problem_has_epilogue(problem) ||
		   error_set(err,
					 "%s has no epilogue: only products that are summed in f32 and stored as "
					 "floating-point numbers have one",
					 problem->name);
}

const char *epilogue_blamed(const struct epilogue *epilogue, const char *log)
{
	for (uint32_t i = 0; i < epilogue->chain.count; i++) {
		const char *path = epilogue->files.paths[i], *at = log;
		while ((at = strstr(at, path)) != NULL) {
			at += strlen(path);
			if (*at == '(' || *at == ':') /* "FILE(LINE): error", or the host compiler's form */
				return path;
		}
	}
	return NULL;
}

/* ---- stages that are computed here ------------------------------------------- */

/* The stage alone, its buffers numbered from 0. */
static struct chain chain_of_stage(const struct chain_stage *stage)
{
	struct chain chain = {.count = 1, .stages = {*stage}};
	for (uint32_t i = 0; i < stage->count; i++)
		if (stage->members[i].kind != CHAIN_ARGUMENT)
			chain.stages[0].members[i].buffer = chain.buffers++;
	return chain;
}

/* The run of one stage by itself. */
struct stage_run {
	struct epilogue *epilogue;
	uint32_t stage;
	struct referee_link *referee;
	const struct epilogue_check *check;
};

static struct epilogue_runner *runner_of(const struct stage_run *one)
{
	return &one->epilogue->runners[one->stage];
}

static bool runner_compile(const struct stage_run *one, struct error *err)
{
	struct epilogue *epilogue = one->epilogue;
	const struct epilogue_check *check = one->check;
	struct epilogue_runner *runner = runner_of(one);
	char source[PATHS_MAX], file[PATHS_MAX], element[64];
	if (!paths_source(source, err) || !paths_join(file, source, RUNNER, err))
		return false;
	snprintf(element, sizeof element, "-DEPILOGUE_ELEMENT=%s",
			 type_of(problem_part(check->problem, PART_RESULT)->type)->element);
	const char *flags[] = {element, NULL};
	char *header = chain_header(&epilogue->chain, &epilogue->files, one->stage, 1);
	if (header == NULL)
		return error_set(err, "out of memory");
	struct compile_options options = {.source = file,
									  .architecture = one->referee->facts.architecture,
									  .flags = flags,
									  .epilogue = header,
									  .stages = epilogue->stages,
									  .isolated = (check->required & LAYER_COMPILER) != 0,
									  .unjailed = (check->without & LAYER_COMPILER) != 0,
									  .seconds = check->compile_seconds};
	compiled_free(&runner->compiled);
	enum compile_status status = compile_solution(&options, &runner->compiled, err);
	free(header);
	if (status == COMPILE_OK)
		return true;
	char *why = status == COMPILE_ERROR
					? chain_refusal(&epilogue->chain, &epilogue->files, runner->compiled.log)
					: NULL;
	if (why != NULL)
		error_set(err, "%.*s", (int)strcspn(why, "\n"), why);
	else if (status == COMPILE_ERROR)
		error_set(err, "%s does not compile by itself: %s", epilogue->files.paths[one->stage],
				  runner->compiled.log);
	else if (status == COMPILE_STOPPED || status == COMPILE_FORBIDDEN)
		error_prefix(err, "%s", epilogue->files.paths[one->stage]);
	free(why);
	for (char *p = err->message; *p != '\0'; p++) /* one line */
		*p = *p == '\n' ? ' ' : *p;
	return false;
}

/* Compiled and in a process that lives. */
static bool runner_ready(const struct stage_run *one, struct outcome *outcome, struct error *err)
{
	const struct epilogue_check *check = one->check;
	struct epilogue_runner *runner = runner_of(one);
	if (runner->problem == check->problem && runner->link.child != NULL)
		return true;
	if (runner->problem != check->problem) {
		contestant_link_close(&runner->link);
		if (!runner_compile(one, err))
			return false;
		runner->problem = check->problem;
		runner->chain = chain_of_stage(&one->epilogue->chain.stages[one->stage]);
	}
	runner->setup = (struct contestant_setup){.device = &one->referee->device,
											  .library = runner->compiled.library,
											  .source = runner->compiled.source,
											  .problem = PROBLEM_STAGE,
											  .chain = &runner->chain,
											  .memory_limit = check->memory_limit,
											  .timeout = check->timeout,
											  .without = check->without,
											  .required = check->required};
	runner->link.setup = &runner->setup;
	*outcome = contestant_link_open(&runner->link);
	return contestant_link_holds(&runner->link, err);
}

static bool run_stage(const struct stage_run *one, const struct arena *arena, int fd,
					  struct outcome *outcome, struct error *err)
{
	const struct epilogue_check *check = one->check;
	const char *name = one->epilogue->chain.stages[one->stage].name;
	struct epilogue_runner *runner = runner_of(one);
	double seconds;
	struct test_case test = *check->test; /* the rows of all batches are one matrix */
	test.shape.size[SIZE_M] = (int32_t)shape_rows(&check->test->shape);
	test.shape.size[SIZE_BATCH] = 1;
	if (!runner_ready(one, outcome, err))
		return false;
	if (outcome->verdict == VERDICT_ACCEPTED)
		*outcome = contestant_link_case(&runner->link, arena, fd, &test);
	for (uint32_t set = 0; set < arena->sets && outcome->verdict == VERDICT_ACCEPTED; set++) {
		*outcome = contestant_link_run(&runner->link, set, check->timeout, &seconds);
		if (outcome->verdict == VERDICT_ACCEPTED) /* it probes nothing: an error is one */
			*outcome = runner->link.left;
	}
	if (outcome->verdict == VERDICT_ACCEPTED)
		return true;
	bool mixes = runner->link.facts.signal == SIGABRT; /* stage_runner.cu */
	contestant_link_close(&runner->link);
	if (mixes) {
		snprintf(
			outcome->detail, sizeof outcome->detail,
			"the stage %s makes other values of two neighbouring columns than of each alone: a "
			"kernel hands over as many at once as it likes, so that a stage must not mix them; "
			"one that needs pairs says 'static constexpr int columns = 2'",
			name);
		return true;
	}
	char why[sizeof outcome->detail];
	memcpy(why, outcome->detail, sizeof why);
	text_format(outcome->detail, sizeof outcome->detail, "the stage %s by itself: %s", name, why);
	return true;
}

/* What the referee has for the stage goes to it, and back. */
static bool run_pass(const struct stage_run *one, struct check_summary *reply,
					 struct outcome *outcome, struct error *err)
{
	struct arena arena;
	int fd;
	if (!referee_link_stage_open(one->referee, one->stage, &arena, &fd, err))
		return false;
	bool ran = run_stage(one, &arena, fd, outcome, err);
	if (fd >= 0)
		close(fd);
	if (!ran || outcome->verdict != VERDICT_ACCEPTED)
		return ran;
	return referee_link_stage_close(one->referee, one->stage, reply, err);
}

bool epilogue_run_custom(struct epilogue *epilogue, struct referee_link *referee,
						 const struct epilogue_check *check, struct check_summary *reply,
						 struct outcome *outcome, struct error *err)
{
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
	for (uint32_t stage = 0; stage < epilogue->chain.count; stage++) {
		if ((referee->custom_stages & 1u << stage) == 0)
			continue;
		const struct stage_run one = {epilogue, stage, referee, check};
		/* the second one is of its finish() */
		int passes = chain_finish(&epilogue->chain.stages[stage]) != NULL ? 2 : 1;
		for (int pass = 0; pass < passes && outcome->verdict == VERDICT_ACCEPTED; pass++)
			if (!run_pass(&one, reply, outcome, err))
				return false;
		if (outcome->verdict != VERDICT_ACCEPTED)
			return true;
	}
	return true;
}
