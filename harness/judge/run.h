/* What the steps of one run share. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_H
#define GEMMJUDGE_JUDGE_RUN_H

#include "judge/epilogue.h"
#include "judge/judge.h"
#include "judge/referee_link.h"
#include "judge/tool.h"

struct run {
	const struct judge_options *options;
	const struct judge_progress *progress; /* may be NULL */
	struct referee_link referee;
	struct epilogue *epilogue; /* NULL: none */
	struct tool tool;          /* that solutions run under, if any */
	double timeout, time_budget;
	size_t memory_limit;
};

/* A compiled file that takes part. Strings are borrowed. */
struct entrant {
	const char *label;          /* for tables */
	const char *file;           /* for progress */
	const char *library;        /* the compiled .so; NULL: it did not compile */
	const char *problem_detail; /* why it did not */
	bool libraries_allowed;
	bool fused; /* compiled with the run's epilogue */
	enum timing_role role;
	bool is_yardstick; /* a baseline beside the files: measured even where its results leave
						  the bound, and the report says so */
};

/* The chain of the run, or NULL. */
const struct chain *run_chain(const struct run *run);

/* What the referee finds in one set after a call. *step tells when a stage's own
 * code failed; false with err when the referee cannot go on. */
bool check_outcome(struct run *run, const struct problem *problem, const struct test_case *test,
				   const struct entrant *entrant, uint32_t set, const struct tolerance *tolerance,
				   struct referee_check_reply *reply, struct step *step, struct error *err);

void run_progress(const struct run *run, const char *file, const char *what, size_t done,
				  size_t total);

/* "bound", "leetgpu" or "ATOL,RTOL". */
bool tolerance_parse(const char *text, const struct problem *problem, struct tolerance *out,
					 struct error *err);

/* Chooses and opens the device: "auto" (a GPU if there is one), "cuda",
 * "cuda:N", "emu", "emu:DIR". JUDGE_BAD_INPUT for other words, JUDGE_CANNOT_RUN
 * when it is not there. */
enum judge_status device_open(const char *text, struct referee_link *referee, struct error *err);

/* Runs the entrant over the cases (out->cases[i].test are filled), one result
 * each; fills the counts, the verdict and the detail of *out. False when the
 * referee cannot go on (err). */
bool check_cases(struct run *run, const struct problem *problem, const struct entrant *entrant,
				 struct judgement *out, struct error *err);

/* The verdict of a finished call from what the referee saw. `detail` gets one
 * line. */
enum verdict check_verdict(const struct problem *problem, const struct referee_check_reply *check,
						   char detail[1024]);

#endif
