/* What the steps of one run share. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_RUN_H
#define GEMMJUDGE_JUDGE_RUN_RUN_H

#include <stdatomic.h>

#include "judge/options/options.h"
#include "judge/run/contestant_link.h"
#include "judge/run/epilogue.h"
#include "judge/run/lock.h"
#include "judge/run/referee_link.h"
#include "judge/run/reference.h"
#include "judge/run/tool.h"

#define RUN_INTERRUPTED "interrupted before its turn"
#define RUN_ENDED "the judge ended before its turn"

struct run {
	const struct judge_options *options;
	const struct judge_progress *progress; /* may be NULL */
	struct referee_link referee;
	struct timeline_of spends;         /* whose time the steps take */
	int lock;                          /* of the device, or -1 */
	bool company;                      /* others judge on the device, too: turn.h */
	int place;                         /* among those who share it (lock_place()); 0: none */
	bool turn_inside;                  /* no lock can be had: only our own threads are kept out */
	enum lock_mode turn;               /* in which the lock is held then */
	int timing_lock;                   /* timing_lock.h; or 0 */
	int kept;                          /* times of libraries, timing/kept.h; or 0 */
	struct epilogue *epilogue;         /* NULL: none */
	struct reference reference;        /* of a problem of a file */
	struct given_baselines *baselines; /* compare: those that the user names; NULL: none */
	struct tool tool;                  /* that solutions run under, if any */
	double timeout, time_budget;
	size_t rounds; /* of timing: no more passes of each entrant; 0: until times are certain */
	double until;  /* of clock_seconds(): the same, where starting processes took long; 0: any */
	/* Where all entrants are one author's: the folder of their libraries, from which a process may
	 * load one after the other (lane_take()); NULL: one a process. */
	const char *library_folder;
	struct calibration *calibration;        /* confirm_ahead(); NULL: none was started ahead */
	struct calibration_share *calibrations; /* of all runs on its device; NULL: it is alone there */
	uint32_t checked_rows; /* that timed calls' results are compared in, drawn; 0: all */
	size_t memory_limit;
	/* That files in parts (compile/in_parts.h) may still have, each besides its own, all runs
	 * together. NULL: files are compiled as a whole, whatever their cases */
	atomic_size_t *part_threads;
	bool outlived; /* a process of a file could not be ended, so that the next one gets memory that
					  it never had: a new referee's */
	struct ahead *ahead;                 /* that compiles the files, or NULL */
	const struct child_control *control; /* of the run's compilers, or NULL */
};

/* A compiled file that takes part. Strings are borrowed. */
struct entrant {
	const char *label;          /* for tables */
	const char *file;           /* for progress */
	const char *library;        /* the compiled .so; NULL: it did not compile */
	const char *source;         /* of struct compiled, or NULL */
	const char *text;           /* the solution file itself, which hints look at; never NULL */
	const char *problem_detail; /* why it did not */
	enum verdict refused;       /* it is not to be run for another reason, which stands there; else
								   ACCEPTED */
	bool libraries_allowed;
	enum entry_order order;        /* of its solution() */
	const char *serialised;        /* emulated: kernels whose wgmma ptxas serialises; NULL: none */
	const char *registers;         /* emulated: of kernels, by ptxas; NULL: it was not asked */
	struct submission *submission; /* that has more to be compiled for other cases than its own
									  (submission_supply()); NULL: it has not */
	bool fused;                    /* compiled with the run's epilogue */
	bool own_epilogue;    /* and need not include epilogue.cuh where its stages have no members */
	const char *schedule; /* the text of the one that it was compiled with, or NULL */
	enum timing_role role;
	bool is_reference;      /* a baseline beside the files: measured even where its results leave
							   the bound, and the report says so */
	enum library_mode mode; /* of a baseline */
	const struct entrant *by_default; /* LIBRARY_ACCURATE: the same library as it is by default. It
									  is measured only where the results of that leave the bound */
};

/* One case's run by one entrant: who judges, what is run where, and what its results are held to.
 * All is borrowed. */
struct case_run {
	struct run *run;
	const struct problem *problem;
	const struct entrant *entrant;
	struct contestant_link *contestant; /* the process that calls its solve() */
	const struct test_case *test;
	struct tolerance tolerance;
};

/* The chain of the run, or NULL. */
const struct chain *run_chain(const struct run *run);

/* To be called before a submission's process begins: a referee, and processes of its epilogue's
 * stages, that have served an earlier submission make room for new ones. False with err when there
 * is no new referee. */
bool run_renew(struct run *run, struct error *err);

/* Tells whoever looks on, if anybody does. */
void run_progress(const struct run *run, const char *file, const char *what, size_t done,
				  size_t total);

/* Of a process for the entrant's solution, as the run wants it. */
struct contestant_setup run_contestant(struct run *run, const struct problem *problem,
									   const struct entrant *entrant);

/* How long nvcc may take for a file. */
double run_compile_seconds(const struct judge_options *options);

/* A line about why nothing goes on. */
void run_note(const struct run *run, const char *line);

/* Hand on that a file was compiled or refused, and that its i-th case was judged. */
void run_compiled(const struct run *run, const struct judgement *item);
void run_judged_case(const struct run *run, const struct judgement *item, size_t i);

/* Hands on the verdict of list->items[i]. */
void run_verdict(const struct run *run, const struct judgement_list *list, size_t i);

/* Hands on what was judged until now. */
void run_judged(const struct run *run, struct judgement_list *list);

/* A file that the run did not get through, for this reason. */
void run_gave_up(struct judgement *judgement, const char *why);

/* Whether somebody wants no more cases. */
bool run_stopped(const struct run *run);

#endif
