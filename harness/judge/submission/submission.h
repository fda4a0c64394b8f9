/* A solution file in a run: what it is, what it is compiled to,
 * which cases it meets. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_SUBMISSION_H
#define GEMMJUDGE_JUDGE_SUBMISSION_SUBMISSION_H

#include "compile/compile.h"
#include "compile/in_parts.h"
#include "compile/tokens.h"
#include "judge/run/run.h"

struct submission {
	const char *file;   /* as it is shown; borrowed */
	const char *source; /* what is compiled: the same, but for stdin; borrowed */
	const struct problem *problem;
	const char *const *flags;       /* of nvcc, besides the judge's own; NULL-ended, or NULL */
	struct judge_schedule schedule; /* submission_tune() */
	const char *tuned[JUDGE_FLAGS_MAX + JUDGE_SCHEDULE_FLAGS + 1]; /* `flags` of such a one */
	bool fused;               /* to be compiled with the run's epilogue */
	bool own_epilogue;        /* which it may have written itself: entrant.own_epilogue */
	enum entry_order order;   /* in which its solution() gets its sizes, if it has one */
	bool is_baseline;         /* lies in solutions/baselines/: may use libraries */
	struct submission *plain; /* compare: the same file without the epilogue; borrowed */
	struct test_case *cases;  /* judge: to check it on; bench: to time it on; owned */
	size_t case_count;
	struct test_case timed; /* judge: to time it on */
	struct compiled compiled;
	bool in_parts; /* `compiled` has these parts only */
	struct parts parts;
	bool whole;                 /* it is to be compiled as a whole */
	char unasked[512];          /* why a solution in parts was compiled so: what became of
								   solution_part(); "" otherwise */
	char machine[24];           /* "sm_90a": whose machine code the library has, if any */
	char compile_detail[1024];  /* why there is no library, or none to be called */
	bool unsupported;           /* because the device's architecture lacks something */
	bool stage_refused;         /* because a stage of the epilogue does not compile */
	bool by_stage;              /* only with the epilogue it needs what is forbidden */
	bool miscounted;            /* because solve() takes another number of arguments */
	char *serialised;           /* serialised.h: kernels; NULL: none, or not asked; owned */
	bool ptxas_asked;           /* for these two */
	bool ptxas_refused;         /* it takes none of this file's PTX: neither is told */
	char *registers;            /* the same: "kernel=40,..."; owned */
	char content[CONTENT_TEXT]; /* the hash of what was compiled, or is to be */
	char tokens[CONTENT_TEXT];  /* that of its tokens */
	char refused[1024];         /* why it is not judged at all; "" where it is */
	bool unfit;                 /* what was asked for does not suit its problem */
};

/* Looks at the file, finds its problem and makes its cases: generated, of the suites, or
 * of the shapes. What keeps it from being judged goes to `refused`, without the file's name. */
void submission_take(const struct run *run, const char *file, struct submission *out);
/* Lets the case of that name be the first, and the others follow as they were; NULL: none is. */
void submission_put_first(struct submission *submission, const char *name);
void submission_free(struct submission *submission);

/* One of solutions/baselines/, which has no cases of its own. `file` is borrowed. */
struct submission submission_baseline(const struct problem *problem, const char *file, bool fused);

/* Whether the file is still there, just before it is compiled; else `refused` says why not. */
bool submission_holds(struct submission *submission);

/* Looks for the schedule that it is to be compiled with, where the run's options say so: that
 * for this case on the run's device. *changed: it needs other flags than those that it has. */
void submission_tune(const struct run *run, struct submission *submission,
					 const struct test_case *test, bool *changed);

/* Compiles it, under a control of its own or that of the run. That nvcc refuses the file is not a
 * failure (compiled.status tells); false with err when nothing can be compiled at all. */
bool submission_compile(const struct run *run, const struct child_control *control,
						struct submission *submission, struct error *err);

/* Of a submission in parts: sees to it that it has those that it needs for these cases. *changed:
 * it had not, and is another library now; that of the whole file, where these cannot be had. False
 * with err where that is not to be had, either. */
bool submission_supply(const struct run *run, struct submission *submission,
					   const struct test_case *tests, size_t count, bool *changed,
					   struct error *err);

/* Whether a submission in parts is to be judged once more, after this verdict, as a whole: where it
 * ran, a part that nobody asked for may have been missing. It is compiled so then; false with err
 * as above. */
bool submission_whole(const struct run *run, struct submission *submission, enum verdict verdict,
					  bool *again, struct error *err);

/* Copies the outcome of the compilation into the judgement. */
void submission_to_judgement(const struct submission *submission, struct judgement *out);

/* Copies it over another one that the judgement has: where the submission was compiled anew. */
void submission_to_judgement_again(const struct submission *submission, struct judgement *out);

struct entrant submission_entrant(const struct submission *submission, const char *label);

/* The last part of a path. */
const char *submission_name(const char *path);

#endif
