#include "judge/audit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/text.h"
#include "judge/audit_unit.h"
#include "judge/dispatch.h"
#include "judge/run/device.h"
#include "judge/run/emulated.h"
#include "judge/submission/compiling.h"
#include "judge/submission/submission.h"

#define REPEATS 2
#define SECONDS_GPU 10.0
#define SECONDS_THOROUGH 120.0 /* the first call of a shape enumerates algorithms */
#define SECONDS_EMULATED 60.0
#define MEMORY ((size_t)8 << 30)
#define SUBJECTS_MAX 64 /* files: problems times libraries */

/* Those that are known by a word. */
static const struct {
	const char *word, *file, *label;
} libraries[] = {{"cublas", "cublas.cu", "cuBLAS"}, {"cublaslt", "cublaslt.cu", "cuBLASLt"}};
#define LIBRARIES (sizeof libraries / sizeof *libraries)

/* A file that is audited, and its units: one for each version. */
struct subject {
	char file[PATHS_MAX], label[64];
	struct submission submission;
};

struct auditor {
	const struct audit_request *request;
	struct judge_options options;
	struct run run;
	struct audit *out;
	size_t subject_count, version_count;
	struct subject subjects[SUBJECTS_MAX];
	struct submission *submissions;      /* of the subjects, side by side, to be compiled; owned */
	const char *folders[AUDIT_VERSIONS]; /* NULL: the toolkit's libraries */
};

/* ---- what is audited ---------------------------------------------------------------- */

bool audit_is_word(const char *library)
{
	bool found = false;
	for (size_t i = 0; i < LIBRARIES; i++)
		found = found || strcmp(library, libraries[i].word) == 0;
	return found;
}

bool audit_is_file(const char *library)
{
	size_t length = strlen(library);
	return !audit_is_word(library) && length > 3 && strcmp(library + length - 3, ".cu") == 0;
}

static bool is_file(const struct audit_request *request)
{
	return request->library != NULL && audit_is_file(request->library);
}

/* A problem that nobody named is left out where the shapes or the suite do not suit it. */
static bool take_subject(struct auditor *self, const char *file, const char *label,
						 struct error *err)
{
	struct subject *subject = &self->subjects[self->subject_count];
	struct submission *s = &subject->submission;
	const bool named = self->options.problem != NULL || is_file(self->request);
	if (self->subject_count == SUBJECTS_MAX)
		return error_set(err, "more than %d libraries of problems", SUBJECTS_MAX);
	snprintf(subject->file, sizeof subject->file, "%s", file);
	text_format(subject->label, sizeof subject->label, "%s", label);
	submission_take(&self->run, subject->file, s);
	if (s->refused[0] == '\0') {
		self->subject_count++;
		return true;
	}
	error_set(err, "%s: %s", is_file(self->request) ? file : label, s->refused);
	if (!named && s->unfit) {
		char *unasked = self->out->unasked;
		size_t used = strlen(unasked);
		text_format(unasked + used, sizeof self->out->unasked - used, "%s%s by %s: %s",
					used > 0 ? "\n" : "", s->problem->name, label, s->refused);
	}
	submission_free(s);
	*s = (struct submission){0};
	return !named;
}

/* The known libraries that have the problem. */
static bool take_problem(struct auditor *self, const struct problem *problem, struct error *err)
{
	char source[PATHS_MAX], file[2 * PATHS_MAX];
	const char *wanted = self->request->library;
	if (!paths_source(source, err))
		return false;
	for (size_t i = 0; i < LIBRARIES; i++) {
		if (wanted != NULL && strcmp(wanted, libraries[i].word) != 0)
			continue;
		int length = snprintf(file, sizeof file, "%s/solutions/baselines/%s/%s", source,
							  problem->folder, libraries[i].file);
		if (length < PATHS_MAX && access(file, R_OK) == 0 &&
			!take_subject(self, file, libraries[i].label, err))
			return false;
	}
	return true;
}

static bool take_subjects(struct auditor *self, struct error *err)
{
	const struct problem *asked = self->options.problem;
	size_t count = 0;
	const struct problem *table = problem_table(&count);
	error_set(err, "no library has %s", asked != NULL ? asked->name : "a problem");
	if (is_file(self->request))
		return take_subject(self, self->request->library, submission_name(self->request->library),
							err);
	for (size_t i = 0; i < count; i++)
		if ((asked == NULL || asked == &table[i]) && !take_problem(self, &table[i], err))
			return false;
	return self->subject_count > 0;
}

/* ---- the cases ---------------------------------------------------------------------- */

/* Alpha and beta of each shape; more of them where all is wanted. A library has a path of its own
 * for beta = 0, and one for beta = 1. */
static const float factors[][2] = {{1, 0}, {1, 1}, {1.25f, 0.5f}, {1.25f, 0}, {1.25f, 1}, {1, -1}};
#define FACTORS 3
#define FACTORS_THOROUGH (sizeof factors / sizeof *factors)

static bool is_shape(const struct shape *a, const struct shape *b)
{
	bool same = true;
	for (size_t i = 0; i < SIZE_COUNT; i++)
		same = same && a->size[i] == b->size[i];
	return same;
}

/* The shape of a case of the submission that no case before it has; NULL: it is another's. */
static const struct shape *new_shape(const struct submission *s, size_t i)
{
	for (size_t before = 0; before < i; before++)
		if (is_shape(&s->cases[before].shape, &s->cases[i].shape))
			return NULL;
	return &s->cases[i].shape;
}

/* A case of uniform values, with the i-th factors; false: the problem has no such. */
static bool make_case(const struct problem *problem, const struct shape *shape, uint64_t seed,
					  size_t i, struct test_case *out)
{
	float scalars[SCALARS_MAX];
	const bool has_beta = problem_takes(problem, SCALAR_BETA);
	if (i > 0 && !has_beta)
		return false;
	for (size_t k = 0; k < problem_scalars(problem); k++) {
		enum scalar scalar = problem->scalars[k].is;
		scalars[k] = scalar == SCALAR_ALPHA  ? factors[i][0]
					 : scalar == SCALAR_BETA ? factors[i][1]
											 : problem->large_scalars[k];
	}
	*out = case_of_shape(problem, shape, scalars, seed);
	return true;
}

static bool make_cases(const struct auditor *self, const struct submission *s,
					   struct audit_unit *unit, struct error *err)
{
	const size_t most = self->request->thorough ? FACTORS_THOROUGH : FACTORS;
	unit->cases = calloc(s->case_count * most + 1, sizeof *unit->cases);
	if (unit->cases == NULL)
		return error_set(err, "out of memory for %zu cases", s->case_count * most);
	for (size_t i = 0; i < s->case_count; i++) {
		const struct shape *shape = new_shape(s, i);
		for (size_t k = 0; shape != NULL && k < most; k++) {
			struct test_case *test = &unit->cases[unit->case_count];
			if (!make_case(s->problem, shape, self->options.cases.seed + i, k, test))
				break;
			test->number = (uint32_t)unit->case_count++;
		}
	}
	return true;
}

/* Version by version, so that nothing but the library differs from one unit to the next. */
static bool make_units(struct auditor *self, struct error *err)
{
	struct audit *out = self->out;
	out->units = calloc(self->subject_count * self->version_count + 1, sizeof *out->units);
	if (out->units == NULL)
		return error_set(err, "out of memory");
	for (size_t i = 0; i < self->subject_count * self->version_count; i++) {
		const struct subject *subject = &self->subjects[i / self->version_count];
		struct audit_unit *unit = &out->units[out->unit_count++];
		unit->problem = subject->submission.problem;
		unit->version = i % self->version_count;
		memcpy(unit->label, subject->label, sizeof unit->label);
		if (self->folders[unit->version] != NULL)
			text_format(unit->folder, sizeof unit->folder, "%s", self->folders[unit->version]);
		text_format(unit->ended, sizeof unit->ended, "%s", RUN_ENDED);
		if (!make_cases(self, &subject->submission, unit, err))
			return false;
	}
	return true;
}

/* ---- the run ------------------------------------------------------------------------ */

/* Which libraries of NVIDIA's are loaded. One folder is compared with the toolkit's, where these
 * can run. */
static bool choose_versions(struct auditor *self, struct error *err)
{
	const struct audit_request *request = self->request;
	const bool emulated = self->run.referee.device.kind == DEVICE_EMULATED;
	if (request->folder_count == 0 && emulated && !is_file(request))
		return error_set(err,
						 "NVIDIA's cuBLAS needs a GPU, and this one is emulated: name a library "
						 "that runs there with --library FILE.cu or --cublas DIR");
	self->version_count = 0;
	if (request->folder_count == 0 || (request->folder_count == 1 && !emulated))
		self->folders[self->version_count++] = NULL;
	for (size_t i = 0; i < request->folder_count; i++)
		self->folders[self->version_count++] = request->folders[i];
	return true;
}

static void facts_fill(const struct auditor *self)
{
	const struct judge_options *options = &self->options;
	struct run_description *facts = &self->out->facts;
	char path[PATHS_MAX];
	struct error ignored;
	*facts = (struct run_description){
		.device = self->run.referee.facts,
		.device_kind = self->run.referee.device.kind,
		.devices = 1,
		.seed = options->cases.seed,
		.suites = options->cases.suite_count > 0 ? options->cases.suites : NULL,
		.max_dim = options->cases.max_dim};
	if (options->cases.suite_count == 0)
		snprintf(facts->sizes, sizeof facts->sizes, "%s",
				 options->shapes.count > 0 ? "given" : case_sizes_names[options->cases.sizes]);
	snprintf(facts->version, sizeof facts->version, "%s", GEMMJUDGE_VERSION);
	clock_date(facts->started);
	if (!compile_find_nvcc(path, facts->nvcc, &ignored))
		facts->nvcc[0] = '\0';
	snprintf(facts->tolerance, sizeof facts->tolerance, "%.60s",
			 options->tolerance.text != NULL ? options->tolerance.text : "bound");
}

static bool over(const void *run)
{
	return run_stopped(run);
}

static enum judge_status open_device(struct auditor *self, struct error *err)
{
	struct run *run = &self->run;
	const struct judge_options *options = &self->options;
	if (!emulated_options(options, err))
		return JUDGE_BAD_INPUT;
	if (!tool_none_around(err) || !device_open(&options->device, &run->referee, err))
		return JUDGE_CANNOT_RUN;
	if (!emulated_device(options, run->referee.device.kind, &run->referee.facts, err))
		return JUDGE_BAD_INPUT;
	const bool emulated = run->referee.device.kind == DEVICE_EMULATED;
	run->timeout = emulated ? SECONDS_EMULATED : SECONDS_GPU;
	if (self->request->thorough)
		run->timeout = SECONDS_THOROUGH;
	if (options->limits.timeout > 0.0)
		run->timeout = options->limits.timeout;
	run->memory_limit = options->limits.memory_mib > 0 ? options->limits.memory_mib << 20 : MEMORY;
	return choose_versions(self, err) ? JUDGE_DONE : JUDGE_CANNOT_RUN;
}

/* All of them, side by side, before anything is run. */
static bool compile_all(struct auditor *self, bool *stopped, struct error *err)
{
	self->submissions = calloc(self->subject_count + 1, sizeof *self->submissions);
	if (self->submissions == NULL)
		return error_set(err, "out of memory");
	for (size_t i = 0; i < self->subject_count; i++)
		self->submissions[i] = self->subjects[i].submission;
	struct compiling *compiling =
		compiling_open(&self->run, self->submissions, self->subject_count, false, err);
	bool ok = compiling != NULL;
	for (size_t i = 0; i < self->subject_count && ok && !*stopped; i++)
		ok = compiling_take(compiling, &self->run, i, stopped, err);
	compiling_close(compiling);
	for (size_t i = 0; i < self->subject_count; i++)
		self->subjects[i].submission = self->submissions[i];
	return ok;
}

/* What cannot be run at all is no finding: its unit says so. */
static bool run_unit(struct auditor *self, size_t i, double until, struct error *err)
{
	const struct subject *subject = &self->subjects[i / self->version_count];
	struct audit_unit *unit = &self->out->units[i];
	const struct submission *s = &subject->submission;
	const struct entrant entrant = submission_entrant(s, subject->label);
	unit->ended[0] = '\0';
	if (entrant.library == NULL) {
		unit->unusable = !run_stopped(&self->run);
		text_format(unit->ended, sizeof unit->ended, "%s",
					run_stopped(&self->run) ? RUN_INTERRUPTED
					: s->refused[0] != '\0' ? s->refused
											: s->compile_detail);
		return true;
	}
	const struct audit_turn turn = {.run = &self->run,
									.request = self->request,
									.entrant = &entrant,
									.folder = self->folders[unit->version],
									.until = until,
									.out = self->out,
									.unit = i};
	return audit_unit_run(&turn, err);
}

/* Each unit has its share of the time that is left, so that an audit which is cut short has some of
 * each. */
static bool run_units(struct auditor *self, double begun, struct error *err)
{
	struct audit *out = self->out;
	const double seconds = self->request->seconds;
	for (size_t i = 0; i < out->unit_count; i++) {
		const double now = clock_seconds(), left = begun + seconds - now;
		const double until = seconds > 0.0 ? now + left / (double)(out->unit_count - i) : 0.0;
		if (!run_unit(self, i, until, err))
			return false;
		out->out_of_time = out->out_of_time || (until > 0.0 && clock_seconds() > until &&
												out->units[i].audited < out->units[i].case_count);
	}
	return true;
}

/* The compiler's first error, of a file that is the only one. */
static enum judge_status say_refused(const struct submission *s, struct error *err)
{
	size_t length = 0;
	const char *line =
		s->compiled.log != NULL ? text_line_with(s->compiled.log, "error", &length) : NULL;
	error_set(err, "%s: %s%s%.*s", s->file, s->compile_detail, line != NULL ? ": " : "",
			  (int)length, line != NULL ? line : "");
	return JUDGE_BAD_INPUT;
}

/* Not where a library could not be loaded, or where there was none, or no case. */
static bool all_ran(const struct auditor *self, struct error *err)
{
	const struct audit *out = self->out;
	const char *what = out->row_count > 0 ? "one could not be audited" : "nothing could be audited";
	for (size_t i = 0; i < out->unit_count; i++)
		if (out->units[i].unusable)
			return error_set(err, "%s: %s by %s: %s", what, out->units[i].problem->name,
							 out->units[i].label, out->units[i].ended);
	return out->row_count > 0 || out->out_of_time || run_stopped(&self->run) ||
		   error_set(err, "%s: all cases are too large for the emulated GPU (--shape, --max-dim)",
					 what);
}

/* The exit status of an audit that is not whole. A file that cannot be loaded is a wrong one. */
static enum judge_status cut_short(const struct auditor *self)
{
	if (self->out->row_count > 0)
		return JUDGE_CUT_SHORT;
	return is_file(self->request) && self->out->units[0].unusable ? JUDGE_BAD_INPUT
																  : JUDGE_CANNOT_RUN;
}

/* With the device open. */
static enum judge_status audit_all(struct auditor *self, double begun, struct error *err)
{
	struct audit *out = self->out;
	bool stopped = false;
	if (!make_units(self, err) || !compile_all(self, &stopped, err))
		return JUDGE_CANNOT_RUN;
	const struct submission *first = &self->subjects[0].submission;
	if (!stopped && is_file(self->request) && first->compiled.status != COMPILE_OK)
		return say_refused(first, err);
	dispatch_lock(&self->run, over, &self->run);
	const bool ok = run_units(self, begun, err) && all_ran(self, err);
	out->facts.interrupted = run_stopped(&self->run) || !ok;
	out->seconds = clock_seconds() - begun;
	return ok ? JUDGE_DONE : cut_short(self);
}

enum judge_status audit_run(const struct audit_request *request,
							const struct judge_progress *progress, struct audit *out,
							struct error *err)
{
	const double begun = clock_seconds();
	struct auditor *self = calloc(1, sizeof *self);
	*out = (struct audit){.repeats = REPEATS, .thorough = request->thorough};
	if (self == NULL) {
		error_set(err, "out of memory");
		return JUDGE_CANNOT_RUN;
	}
	self->request = request;
	self->out = out;
	self->options = *request->options;
	self->options.mode = JUDGE_TIMES;
	self->run = (struct run){
		.options = &self->options, .progress = progress, .referee.arena_fd = -1, .lock = -1};
	enum judge_status status = JUDGE_BAD_INPUT;
	if (take_subjects(self, err))
		status = open_device(self, err);
	if (status == JUDGE_DONE) {
		facts_fill(self);
		status = audit_all(self, begun, err);
	}
	for (size_t i = 0; i < self->subject_count; i++)
		submission_free(&self->subjects[i].submission);
	reference_close(&self->run.reference);
	referee_link_close(&self->run.referee);
	if (self->run.lock >= 0)
		close(self->run.lock);
	free(self->submissions);
	free(self);
	return status;
}
