#include "judge/submission/submission.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/suggest.h"
#include "base/text.h"
#include "compile/source_needs.h"
#include "judge/submission/arity.h"
#include "judge/submission/file_kind.h"
#include "judge/submission/in_parts.h"
#include "judge/submission/ptxas.h"
#include "judge/submission/shapes.h"
#include "judge/submission/tensara.h"
#include "process/jail.h"
#include "testcases/suite.h"

const char *submission_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* Why it is no source file, without its name. */
static bool file_readable(const char *file, struct error *err)
{
	struct stat facts;
	if (lstat(file, &facts) == 0 && S_ISLNK(facts.st_mode) && stat(file, &facts) != 0)
		return error_set(err, "a link that leads nowhere: %s", strerror(errno));
	if (stat(file, &facts) != 0 || access(file, S_ISDIR(facts.st_mode) ? R_OK | X_OK : R_OK) != 0)
		return strncmp(file, "https://", 8) == 0 || strncmp(file, "http://", 7) == 0
				   ? error_set(err, "a URL; fetch it, and name the file that it is saved as")
				   : error_set(err, "%s", strerror(errno));
	if (S_ISDIR(facts.st_mode)) /* others were taken as their files before */
		return error_set(err, "no .cu file in this folder or below it");
	if (!S_ISREG(facts.st_mode))
		return error_set(err, "is no regular file ('-' reads stdin)");
	if (facts.st_size == 0)
		return error_set(err, "the file is empty");
	if (facts.st_size > COMPILE_SOURCE_BYTES)
		return error_set(err, "is larger than %d MiB, which no source is",
						 (int)(COMPILE_SOURCE_BYTES >> 20));
	return true;
}

/* The rule is about where the file lies, links resolved. */
static bool lies_in_baselines(const char *file)
{
	struct error ignored;
	char source[PATHS_MAX], folder[PATHS_MAX], real[PATH_MAX];
	if (!paths_source(source, &ignored) ||
		!paths_join(folder, source, "solutions/baselines/", &ignored) ||
		realpath(file, real) == NULL)
		return false;
	return strncmp(real, folder, strlen(folder)) == 0;
}

/* ---- its cases ---------------------------------------------------------------- */

static bool cases_allocate(struct submission *s, size_t count, struct error *err)
{
	s->cases = calloc(count, sizeof *s->cases);
	if (s->cases == NULL)
		return error_set(err, "out of memory for %zu cases", count);
	s->case_count = count;
	return true;
}

/* Correctness is judged on every case that is drawn; only those that multiply are timed. */
static bool cases_generate(const struct judge_options *options, struct submission *s,
						   struct error *err)
{
	const struct problem *problem = s->problem;
	int smallest = case_smallest(problem), largest = case_largest(problem);
	int max_dim = options->cases.max_dim > 0 ? options->cases.max_dim : largest;
	if (max_dim < smallest)
		return error_set(err, "--max-dim %d: %s has sizes from %d on", max_dim, problem->name,
						 smallest);
	int multiple = options->cases.multiple > 1 ? options->cases.multiple : 1;
	if (!case_has_multiple(problem, max_dim, multiple))
		return error_set(err, "--multiple-of %d: no size of %s from %d to %d is one", multiple,
						 problem->name, smallest, max_dim < largest ? max_dim : largest);
	if (!cases_allocate(s, options->cases.count, err))
		return false;
	size_t kept = 0;
	for (size_t i = 0; kept < s->case_count; i++) {
		s->cases[kept] =
			case_generate(problem, options->cases.seed, i, options->cases.sizes, max_dim, multiple);
		kept += options->mode == JUDGE_CHECKS || case_multiplies(&s->cases[kept]);
	}
	return true;
}

/* Every M, N and K that the problem has. */
static bool is_multiple(const struct problem *problem, const struct shape *shape, int multiple)
{
	static const enum size dimensions[] = {SIZE_M, SIZE_N, SIZE_K};
	bool all = true;
	for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions && multiple > 1; i++)
		all = all && (problem_size_of(problem, dimensions[i]) == NULL ||
					  shape->size[dimensions[i]] % multiple == 0);
	return all;
}

#define SUITES_LISTED 64

/* A name that is no suite of the source tree: say which one it looks like. */
static bool unknown_suite(const char *name, const char *folder, struct error *err)
{
	char names[SUITES_LISTED][64], phrase[160];
	const char *pointers[SUITES_LISTED];
	size_t count = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
		const char *dot = strrchr(entry->d_name, '.');
		if (dot == NULL || strcmp(dot, ".ini") != 0 || count == SUITES_LISTED)
			continue;
		snprintf(names[count], sizeof names[count], "%.*s", (int)(dot - entry->d_name),
				 entry->d_name);
		pointers[count] = names[count];
		count++;
	}
	if (dir != NULL)
		closedir(dir);
	suggest_phrase(phrase, name, pointers, count);
	return error_set(err, "unknown suite '%s'%s", name,
					 phrase[0] != '\0'
						 ? phrase
						 : "; 'gemmjudge list suites' shows them, and a file of your own "
						   "is named with its '.ini'");
}

/* Whether there is such a file, or such a name in the folder. */
static bool suite_exists(const char *name, const char *folder, struct error *err)
{
	char file[PATHS_MAX];
	size_t length = strlen(name);
	if (strchr(name, '/') != NULL || (length > 4 && strcmp(name + length - 4, ".ini") == 0))
		return file_readable(name, err) || error_prefix(err, "suite: %s", name);
	if (!paths_join(file, folder, name, err))
		return false;
	if (strlen(file) + 5 <= sizeof file && access(strcat(file, ".ini"), F_OK) == 0)
		return true;
	return unknown_suite(name, folder, err);
}

static bool suite_append(const struct judge_options *options, const char *name,
						 struct submission *s, struct error *err)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	struct suite suite;
	if (!paths_source(source, err) || !paths_join(folder, source, "testcases/suites", err) ||
		!suite_exists(name, folder, err) ||
		!suite_load(name, folder, s->problem, options->cases.seed, options->cases.max_dim, &suite,
					err))
		return false;
	struct test_case *more = realloc(s->cases, (s->case_count + suite.count + 1) * sizeof *more);
	if (more != NULL) {
		s->cases = more;
		for (size_t i = 0; i < suite.count; i++)
			if (is_multiple(s->problem, &suite.cases[i].shape, options->cases.multiple))
				more[s->case_count++] = suite.cases[i];
	}
	suite_free(&suite);
	return more != NULL || error_set(err, "out of memory for the suite %s", name);
}

static bool cases_of_suites(const struct judge_options *options, struct submission *s,
							struct error *err)
{
	for (size_t i = 0; i < options->cases.suite_count; i++)
		if (!suite_append(options, options->cases.suites[i], s, err))
			return false;
	return s->case_count > 0 ||
		   error_set(err, "%s leaves no case of the suite",
					 options->cases.multiple <= 1  ? "--max-dim"
					 : options->cases.max_dim == 0 ? "--multiple-of"
												   : "--max-dim with --multiple-of");
}

/* To be checked: `cases` of each shape. */
static bool cases_generate_at(const struct judge_options *options, struct submission *s,
							  struct error *err)
{
	bool ok = cases_allocate(s, options->shapes.count * options->cases.count, err);
	for (size_t i = 0; i < options->shapes.count && ok; i++) {
		struct shape shape;
		ok = shapes_fit(options, s->problem, &options->shapes.items[i], &shape, err);
		for (size_t c = i * options->cases.count; c < (i + 1) * options->cases.count && ok; c++)
			s->cases[c] = case_generate_at(s->problem, &shape, options->cases.seed, c);
	}
	return ok;
}

static bool cases_make(const struct judge_options *options, struct submission *s, struct error *err)
{
	const struct shape_text *timed = options->timing.shape.count > 0 ? &options->timing.shape
									 : options->shapes.count > 0     ? options->shapes.items
																	 : NULL;
	bool checks = options->mode == JUDGE_CHECKS;
	if (checks && !shapes_case(options, s->problem, timed, &s->timed, err))
		return false;
	if (options->cases.suite_count > 0)
		return cases_of_suites(options, s, err);
	if (checks && options->shapes.count > 0)
		return cases_generate_at(options, s, err);
	if (checks || options->cases.count > 0)
		return cases_generate(options, s, err);
	s->cases = shapes_cases(options, s->problem, &s->case_count, err);
	return s->cases != NULL;
}

/* ---- those that were named ----------------------------------------------------- */

static bool has_case(const struct submission *s, const char *name)
{
	size_t i = 0;
	while (i < s->case_count && strcmp(s->cases[i].name, name) != 0)
		i++;
	return i < s->case_count;
}

#define CASES_LISTED 1024

static bool unknown_case(const struct judge_options *options, const struct submission *s,
						 const char *name, struct error *err)
{
	const char *names[CASES_LISTED];
	char phrase[160];
	size_t count = s->case_count < CASES_LISTED ? s->case_count : CASES_LISTED;
	for (size_t i = 0; i < count; i++)
		names[i] = s->cases[i].name;
	suggest_phrase(phrase, name, names, count);
	if (options->cases.suite_count == 0)
		return error_set(err, "no case '%s': there are %s to %s (--cases N makes more)", name,
						 names[0], s->cases[s->case_count - 1].name);
	return error_set(err, "no case '%s' in the suite%s", name,
					 phrase[0] != '\0' ? phrase : " (--verbose shows their names)");
}

static void cases_number(struct submission *s)
{
	for (size_t i = 0; i < s->case_count; i++)
		s->cases[i].number = (uint32_t)i;
}

/* All cases of a name are kept: those of a suite may share it. */
static bool cases_choose(const struct judge_options *options, struct submission *s,
						 struct error *err)
{
	size_t kept = 0;
	for (size_t i = 0; i < options->cases.only_count; i++)
		if (!has_case(s, options->cases.only[i]))
			return unknown_case(options, s, options->cases.only[i], err);
	if (options->cases.only_count == 0)
		return true;
	for (size_t i = 0; i < s->case_count; i++)
		if (text_index(s->cases[i].name, options->cases.only, options->cases.only_count) <
			options->cases.only_count)
			s->cases[kept++] = s->cases[i];
	s->case_count = kept;
	return true;
}

/* ---- the whole of it ---------------------------------------------------------- */

static bool problem_suits(const struct run *run, struct submission *s, struct error *err)
{
	if ((s->fused && !epilogue_fits(s->problem, err)) || !cases_make(run->options, s, err))
		return false;
	cases_number(s);
	return cases_choose(run->options, s, err);
}

void submission_put_first(struct submission *submission, const char *name)
{
	struct test_case *cases = submission->cases;
	size_t at = 0;
	while (name != NULL && at < submission->case_count && strcmp(cases[at].name, name) != 0)
		at++;
	if (name == NULL || at == submission->case_count)
		return;
	struct test_case first = cases[at];
	memmove(cases + 1, cases, at * sizeof *cases);
	cases[0] = first;
}

void submission_take(const struct run *run, const char *file, struct submission *out)
{
	const struct judge_options *options = run->options;
	char real[PATH_MAX];
	struct error why = {{0}};
	bool is_input = strcmp(file, JUDGE_STDIN) == 0 && options->input != NULL;
	*out = (struct submission){.file = is_input ? JUDGE_STDIN_SHOWN : file,
							   .source = is_input ? options->input : file,
							   .problem = options->problem,
							   .flags = options->compile.nvcc_flags,
							   .fused = run->epilogue != NULL,
							   .is_baseline = lies_in_baselines(file)};
	if (out->problem == NULL)
		out->problem = problem_of_path(realpath(file, real) != NULL ? real : file);
	if (out->problem == NULL)
		error_set(&why, "its folder names no problem; say which with --problem (gemmjudge list "
						"shows them)");
	else
		out->unfit = !problem_suits(run, out, &why);
	submission_put_first(out, options->cases.first);
	snprintf(out->refused, sizeof out->refused, "%s", why.message);
	if (!out->unfit && submission_holds(out))
		tokens_and_content(out->source, out->content, out->tokens);
}

struct submission submission_baseline(const struct problem *problem, const char *file, bool fused)
{
	return (struct submission){
		.file = file, .source = file, .problem = problem, .fused = fused, .is_baseline = true};
}

bool submission_holds(struct submission *submission)
{
	struct error why;
	bool holds =
		file_readable(submission->source, &why) && !file_kind_other(submission->source, &why);
	if (!holds)
		snprintf(submission->refused, sizeof submission->refused, "%s", why.message);
	return holds;
}

void submission_free(struct submission *submission)
{
	compiled_free(&submission->compiled);
	free(submission->serialised);
	free(submission->registers);
	free(submission->cases);
}

void submission_tune(const struct run *run, struct submission *s, const struct test_case *test,
					 bool *changed)
{
	const struct judge_options *options = run->options;
	struct judge_schedule schedule = {0};
	*changed = false;
	if (options->compile.schedules == NULL || s->problem == NULL)
		return;
	const struct judge_question question = {.source = s->source,
											.content = s->content,
											.problem = s->problem,
											.test = test,
											.epilogue = s->fused ? options->epilogue : NULL,
											.kind = run->referee.device.kind,
											.facts = &run->referee.facts};
	options->compile.schedules->find(options->compile.schedules->context, &question, &schedule);
	*changed = s->flags != s->tuned || schedule.count != s->schedule.count ||
			   memcmp(schedule.flags, s->schedule.flags, sizeof schedule.flags) != 0;
	s->schedule = schedule;
	size_t count = options->compile.nvcc_flag_count;
	for (size_t i = 0; i < count; i++)
		s->tuned[i] = options->compile.nvcc_flags[i];
	for (size_t i = 0; i < schedule.count; i++)
		s->tuned[count++] = s->schedule.flags[i];
	s->tuned[count] = NULL;
	s->flags = s->tuned;
}

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
	s->in_parts = !s->whole && in_parts_make(run, s, &options);
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

bool submission_supply(const struct run *run, struct submission *s, const struct test_case *tests,
					   size_t count, bool *changed, struct error *err)
{
	char header[ENTRY_HEADER_TEXT];
	struct compile_options options = options_of(run, run->control, s, header);
	return in_parts_add(run, s, &options, tests, count, changed, err);
}

bool submission_whole(const struct run *run, struct submission *s, enum verdict verdict,
					  bool *again, struct error *err)
{
	*again = s->in_parts && verdict != VERDICT_ACCEPTED && verdict != VERDICT_NOT_RUN &&
			 !run_stopped(run);
	if (!*again)
		return true;
	s->whole = true;
	compiled_free(&s->compiled);
	s->compiled = (struct compiled){.status = COMPILE_FAILED};
	return submission_compile(run, run->control, s, err);
}

/* Whether there is something to call. */
static bool is_callable(const struct submission *s)
{
	return s->compiled.status == COMPILE_OK && !s->miscounted;
}

struct entrant submission_entrant(const struct submission *s, const char *label)
{
	return (struct entrant){.label = label,
							.file = s->file,
							.library = is_callable(s) ? s->compiled.library : NULL,
							.source = s->compiled.source,
							.text = s->source,
							.problem_detail = s->compile_detail,
							.libraries_allowed = s->is_baseline,
							.order = s->order,
							.serialised = s->serialised,
							.registers = s->registers,
							.fused = s->fused,
							.own_epilogue = s->own_epilogue,
							.schedule = s->schedule.text};
}

/* Whether the user has asked for ptxas's lines, which then stay in the log. */
static bool asks_ptxas(const char *const *flags)
{
	for (; flags != NULL && *flags != NULL; flags++) {
		size_t length = strlen(*flags);
		if (length >= 2 && strcmp(*flags + length - 2, "-v") == 0)
			return true;
	}
	return false;
}

/* nvcc's messages, and what ptxas says among them. */
static void take_log(const struct submission *s, struct judgement *out)
{
	out->compile_log = s->compiled.log != NULL ? strdup(s->compiled.log) : NULL;
	char *copy = asks_ptxas(s->flags) && out->compile_log != NULL ? strdup(out->compile_log) : NULL;
	ptxas_take(copy != NULL ? copy : out->compile_log, out);
	free(copy);
	snprintf(out->uses_of, sizeof out->uses_of, "%s", s->machine);
}

void submission_to_judgement(const struct submission *s, struct judgement *out)
{
	snprintf(out->content, sizeof out->content, "%s", s->content);
	snprintf(out->tokens, sizeof out->tokens, "%s", s->tokens);
	snprintf(out->schedule, sizeof out->schedule, "%s", s->schedule.text);
	take_log(s, out);
	out->compile_seconds = s->compiled.seconds;
	out->compile_parts = s->in_parts ? parts_count(&s->parts) : 0;
	out->compile_cached = s->compiled.cached;
	out->cxx20 = s->compiled.cxx20;
	if (s->compiled.jailed)
		out->layers |= LAYER_COMPILER;
	if (is_callable(s))
		return;
	bool of_epilogue = s->by_stage || s->stage_refused;
	bool forbidden = s->compiled.status == COMPILE_FORBIDDEN;
	out->verdict = of_epilogue      ? VERDICT_NOT_RUN
				   : forbidden      ? VERDICT_RULE_VIOLATION
				   : s->unsupported ? VERDICT_UNSUPPORTED
									: VERDICT_COMPILE_ERROR;
	snprintf(out->detail, sizeof out->detail, "%s", s->compile_detail);
}
