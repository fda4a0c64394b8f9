/* How a submission is compiled, and why it is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compile/source_needs.h"
#include "judge/submission/arity.h"
#include "judge/submission/in_parts.h"
#include "judge/submission/submission.h"
#include "judge/submission/tensara.h"
#include "process/jail.h"

/* As the contestant says of what is found out in loading. */
#define SUBMISSION_NEEDS "the compiled solution needs something that is not allowed or not there: "

/* Whether an older GPU is emulated than the emulated one is without --emulate. */
static bool is_emulated_older(const struct run *run, const struct submission *s)
{
	return run->referee.device.kind == DEVICE_EMULATED &&
		   strcmp(s->machine, "sm_" EMULATED_ARCHITECTURE) != 0;
}

/* Whether that one has it: "sm_80 or higher", "sm_90a (Hopper)". */
static bool is_of_default(const struct source_needs_feature *feature)
{
	const char *digits = strpbrk(feature->needs, "0123456789");
	return digits != NULL && strtol(digits, NULL, 10) <= strtol(EMULATED_ARCHITECTURE, NULL, 10);
}

/* The line that says why there is no library. */
static void submission_explain(const struct run *run, struct submission *s, const char *why)
{
	struct source_needs_feature feature;
	char *reason =
		s->fused ? chain_refusal(&run->epilogue->chain, &run->epilogue->files, s->compiled.log)
				 : NULL;
	if (reason != NULL) { /* nvcc's lines are about code of ours */
		free(s->compiled.log);
		s->compiled.log = reason;
	}
	const char *stage = s->fused ? epilogue_blamed(run->epilogue, s->compiled.log) : NULL;
	s->stage_refused = stage != NULL && s->compiled.status == COMPILE_ERROR;
	if (s->by_stage)
		text_format(s->compile_detail, sizeof s->compile_detail,
					"not judged, as %s%.700s needs what is not allowed: %s",
					stage != NULL ? "the epilogue stage " : "the epilogue ",
					stage != NULL ? stage : run->options->epilogue, why);
	else if (s->compiled.status == COMPILE_FORBIDDEN)
		text_format(s->compile_detail, sizeof s->compile_detail, SUBMISSION_NEEDS "%s", why);
	else if (s->compiled.status == COMPILE_STOPPED)
		text_format(s->compile_detail, sizeof s->compile_detail, "%s", why);
	else if (source_needs_other_gpu(s->compiled.log, &feature)) {
		s->unsupported = !is_emulated_older(run, s) || !is_of_default(&feature);
		snprintf(s->compile_detail, sizeof s->compile_detail,
				 "'%s' needs %s, and this device is of %s", feature.name,
				 feature.needs[0] != '\0' ? feature.needs : "another architecture", s->machine);
	} else if (s->stage_refused)
		text_format(s->compile_detail, sizeof s->compile_detail,
					"not judged, as nvcc refused the epilogue stage %s", stage);
	else
		snprintf(s->compile_detail, sizeof s->compile_detail, "nvcc refused the file");
}

/* The emulated GPU takes PTX, and what its kernels take of a GPU ptxas says: it compiles them, too,
 * where that is asked for. What it refuses is compiled without it, so that no verdict changes; but
 * for what an older GPU has not, which ptxas alone knows of. */
static enum compile_status compile_emulated(const struct compile_options *options,
											const char *machine_code, bool older,
											struct compiled *out, struct error *err)
{
	struct compile_options own = *options;
	struct source_needs_feature feature;
	own.architecture = machine_code;
	enum compile_status status = compile_solution(&own, out, err);
	if (status != COMPILE_ERROR || strstr(out->log, "ptxas ") == NULL ||
		(older && source_needs_other_gpu(out->log, &feature)))
		return status;
	compiled_free(out);
	return compile_solution(options, out, err);
}

/* Whether that is asked for, or told by what it refuses. */
static bool needs_machine_code(const struct run *run, const struct submission *s)
{
	return is_emulated_older(run, s) ||
		   (run->referee.device.kind == DEVICE_EMULATED && run->options->emulation.uses);
}

static enum compile_status compile_once(const struct run *run, struct submission *s,
										const struct compile_options *options, struct error *err)
{
	return needs_machine_code(run, s)
			   ? compile_emulated(options, s->machine + strlen("sm_"), is_emulated_older(run, s),
								  &s->compiled, err)
			   : compile_solution(options, &s->compiled, err);
}

/* Asks the compiler how many arguments solve() takes, where the file's text does not say it. */
static enum compile_status compile_asking(const struct run *run, struct submission *s,
										  struct compile_options *options, struct error *err)
{
	char question[ARITY_TEXT];
	options->appended = arity_question(s->problem, s->source, question) ? question : NULL;
	enum compile_status status = compile_once(run, s, options, err);
	enum arity_answer answer = options->appended != NULL && status == COMPILE_ERROR
								   ? arity_answer_of(s->problem, s->compiled.log, err)
								   : ARITY_NO_ANSWER;
	options->appended = NULL;
	s->miscounted = answer == ARITY_DIFFERS;
	if (answer == ARITY_NO_ANSWER)
		return status;
	compiled_free(&s->compiled); /* the messages are about code of ours */
	return answer == ARITY_UNKNOWN ? compile_once(run, s, options, err) : status;
}

/* Whether the file needs what is forbidden without the epilogue as well; err then names that. What
 * it needs only with it may be a stage's doing, which nothing in a linker's messages can rule out.
 */
static bool is_forbidden_alone(const struct run *run, struct submission *s,
							   const struct compile_options *options, struct error *err)
{
	struct compile_options alone = *options;
	struct compiled with_epilogue = s->compiled;
	struct error why;
	alone.epilogue = NULL;
	alone.stages = NULL;
	bool forbidden = compile_once(run, s, &alone, &why) == COMPILE_FORBIDDEN;
	if (forbidden)
		*err = why;
	compiled_free(&s->compiled);
	s->compiled = with_epilogue;
	return forbidden;
}

/* Whose machine code it was. */
static void name_machine_code(const struct run *run, char out[24])
{
	const char *name = run->referee.facts.architecture, *digits = strpbrk(name, "0123456789");
	snprintf(out, 24, "sm_%.16s", digits != NULL ? digits : EMULATED_ARCHITECTURE);
}

/* The header is what `solve_header` points to. */
static struct compile_options options_of(const struct run *run, const struct child_control *control,
										 const struct submission *s, char header[ENTRY_HEADER_TEXT])
{
	entry_header(s->problem, header);
	return (struct compile_options){
		.source = s->source,
		.solve_header = header,
		.stands_for = s->source != s->file ? s->file : NULL,
		.architecture = run->referee.facts.architecture,
		.flags = s->flags,
		.epilogue = s->fused ? run->epilogue->header : NULL,
		.stages = s->fused ? run->epilogue->stages : NULL,
		.libraries = s->is_baseline,
		.isolated = (run->options->limits.required & LAYER_COMPILER) != 0,
		.unjailed = (run->options->limits.without & LAYER_COMPILER) != 0,
		.in_place = run->options->compile.keep != NULL || run->options->tool.under != NULL ||
					run->options->tool.sanitize != NULL,
		.seconds = run_compile_seconds(run->options),
		.control = control};
}

bool submission_compile(const struct run *run, const struct child_control *control,
						struct submission *s, struct error *err)
{
	run_progress(run, s->file, "compiling", 0, 1);
	struct error why = {{0}};
	tokens_and_content(s->source, s->content, s->tokens);
	s->order = tensara_order(s->problem, s->source);
	s->unsupported = s->stage_refused = false;
	char header[ENTRY_HEADER_TEXT];
	struct compile_options options = options_of(run, control, s, header);
	name_machine_code(run, s->machine);
	s->in_parts = !s->whole && !is_emulated_older(run, s) && in_parts_make(run, s, &options);
	enum compile_status status = s->in_parts ? COMPILE_OK : compile_asking(run, s, &options, &why);
	s->by_stage =
		status == COMPILE_FORBIDDEN && s->fused && !is_forbidden_alone(run, s, &options, &why);
	if (status == COMPILE_NO_COMPILER || status == COMPILE_FAILED) {
		*err = why;
		return false;
	}
	if (status == COMPILE_OK)
		s->miscounted = !arity_fits(s->problem, s->source, &why);
	if (s->miscounted)
		snprintf(s->compile_detail, sizeof s->compile_detail, "%s", why.message);
	else if (status != COMPILE_OK)
		submission_explain(run, s, why.message);
	return true;
}

static bool compile_whole(const struct run *run, struct submission *s, struct error *err)
{
	s->whole = true;
	compiled_free(&s->compiled);
	s->compiled = (struct compiled){.status = COMPILE_FAILED};
	return submission_compile(run, run->control, s, err);
}

bool submission_supply(const struct run *run, struct submission *s, const struct test_case *tests,
					   size_t count, bool *changed, struct error *err)
{
	char header[ENTRY_HEADER_TEXT];
	struct compile_options options = options_of(run, run->control, s, header);
	if (in_parts_add(run, s, &options, tests, count, changed))
		return true;
	*changed = true;
	return compile_whole(run, s, err) &&
		   (s->compiled.status == COMPILE_OK || error_set(err, "%s", s->compile_detail));
}

bool submission_whole(const struct run *run, struct submission *s, enum verdict verdict,
					  bool *again, struct error *err)
{
	*again = s->in_parts && verdict != VERDICT_ACCEPTED && verdict != VERDICT_NOT_RUN &&
			 !run_stopped(run);
	return !*again || compile_whole(run, s, err);
}
