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
#include "judge/submission/file_kind.h"
#include "judge/submission/ptxas.h"
#include "judge/submission/shapes.h"
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
	const struct tolerance_request *asked = &run->options->tolerance;
	if (asked->leetgpu && s->problem->leetgpu_atol == 0 && s->problem->leetgpu_rtol == 0)
		return error_set(err, "--tolerance leetgpu: %s has no such tolerance; ATOL,RTOL says one",
						 s->problem->name);
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
	out->compile_objects = s->in_parts ? 1 + parts_count(&s->parts) : 0;
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

void submission_to_judgement_again(const struct submission *s, struct judgement *out)
{
	free(out->compile_log);
	free(out->uses);
	out->uses = NULL;
	out->use_count = 0;
	submission_to_judgement(s, out);
}
