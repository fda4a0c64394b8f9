#include "judge/run/reference.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/jail.h"
#include "testcases/problem_file.h"

#define RUNNER "harness/reference/runner.cu"
#define SECONDS 300.0 /* of one run: large cases on the host */
#define MEMORY ((size_t)64 << 30)
/* An output of fewer elements keeps a GPU busy only where a warp computes each. */
#define ELEMENTS_OF_THREADS 65536
/* Each of some thirty faults takes as many terms again, on the host. */
#define TERMS_OF_FAULTS 1e7

static bool compile(struct reference *reference, const struct referee_link *referee,
					const struct judge_options *options, struct error *err)
{
	const struct problem *problem = reference->problem;
	const struct operand *result = problem_part(problem, PART_RESULT);
	const char *stages[] = {problem->rules->reference, NULL};
	char source[PATHS_MAX], file[PATHS_MAX];
	bool emulated = referee->device.kind == DEVICE_EMULATED;
	bool few = operand_elements(result, &problem->large) < ELEMENTS_OF_THREADS;
	const char *flags[] = {emulated ? "-DREFERENCE_ON_HOST"
						   : few    ? "-DREFERENCE_LANES=32"
									: "-DREFERENCE_LANES=1",
						   "-O3", "-Xcompiler=-ffp-contract=off", NULL}; /* the same on all hosts */
	if (!paths_source(source, err) || !paths_join(file, source, RUNNER, err))
		return false;
	char *header = problem_reference_header(problem);
	if (header == NULL)
		return error_set(err, "out of memory");
	struct compile_options compile = {
		.source = file,
		.architecture = referee->facts.architecture,
		.flags = flags,
		.epilogue = header,
		.stages = stages,
		.seconds = options->compile.timeout > 0 ? options->compile.timeout : COMPILE_SECONDS};
	enum compile_status status = compile_solution(&compile, &reference->compiled, err);
	free(header);
	if (status == COMPILE_ERROR) {
		/* from the first message on; what nvcc says before is about templates */
		const char *first = strstr(reference->compiled.log, "error");
		const char *at = first != NULL ? first : reference->compiled.log;
		while (at > reference->compiled.log && at[-1] != '\n')
			at--;
		error_set(err, "%s does not compile: %.*s", problem->rules->reference,
				  (int)strcspn(at, "\n"), at);
	}
	return status == COMPILE_OK;
}

static bool ready(struct reference *reference, struct referee_link *referee,
				  const struct judge_options *options, const struct problem *problem,
				  struct error *err)
{
	if (reference->problem == problem && reference->link.child != NULL)
		return true;
	if (reference->problem != problem) {
		reference_close(reference);
		reference->problem = problem;
		if (!compile(reference, referee, options, err)) {
			reference_close(reference);
			return false;
		}
	}
	/* It is the problem's author's, as the judge is: nothing of it is jailed. */
	reference->setup = (struct contestant_setup){.device = &referee->device,
												 .library = reference->compiled.library,
												 .source = reference->compiled.source,
												 .problem = problem->name,
												 .memory_limit = MEMORY,
												 .timeout = SECONDS,
												 .libraries_allowed = true};
	reference->link.setup = &reference->setup;
	struct outcome outcome = contestant_link_open(&reference->link);
	return outcome.verdict == VERDICT_ACCEPTED ||
		   error_set(err, "the reference of %s: %s", problem->name, outcome.detail);
}

static bool call(struct reference *reference, const struct arena *arena, int fd,
				 const struct test_case *test, struct error *err)
{
	double seconds;
	struct outcome outcome = contestant_link_case(&reference->link, arena, fd, test);
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome = contestant_link_run(&reference->link, 0, SECONDS, &seconds);
	if (outcome.verdict == VERDICT_ACCEPTED)
		return true;
	char *said = contestant_link_output(&reference->link);
	contestant_link_close(&reference->link);
	error_set(err, "the reference of %s: %s%s%.*s", reference->problem->name, outcome.detail,
			  said != NULL ? ": " : "", said != NULL ? (int)strcspn(said, "\n") : 0,
			  said != NULL ? said : "");
	free(said);
	return false;
}

static bool run_pass(struct reference *reference, struct referee_link *referee,
					 const struct case_of_reference *of, struct reference_pass *pass,
					 struct error *err)
{
	struct arena arena;
	int fd;
	if (!referee_link_reference_open(referee, pass, &arena, &fd, err))
		return false;
	if (fd < 0) /* known */
		return true;
	bool ran = ready(reference, referee, of->options, of->problem, err) &&
			   call(reference, &arena, fd, of->test, err);
	close(fd);
	return ran && referee_link_reference_close(referee, pass, err);
}

bool reference_run(struct reference *reference, struct referee_link *referee,
				   const struct case_of_reference *of, uint32_t set, struct error *err)
{
	struct reference_pass pass = {.set = set};
	return of->problem->file == NULL || run_pass(reference, referee, of, &pass, err);
}

bool reference_explain(struct reference *reference, struct referee_link *referee,
					   const struct case_of_reference *of, uint64_t *step_faults, struct error *err)
{
	struct reference_pass pass = {.faults = true};
	*step_faults = 0;
	if (of->problem->file == NULL || shape_terms(&of->test->shape) > TERMS_OF_FAULTS)
		return true;
	if (!run_pass(reference, referee, of, &pass, err))
		return false;
	*step_faults = pass.step_faults;
	return true;
}

void reference_close(struct reference *reference)
{
	contestant_link_close(&reference->link);
	compiled_free(&reference->compiled);
	*reference = (struct reference){0};
}
