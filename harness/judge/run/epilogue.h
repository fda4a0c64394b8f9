/* The epilogue of a run: its chain, and the stages that are computed for the
 * referee because it has no reference for them. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_EPILOGUE_H
#define GEMMJUDGE_JUDGE_RUN_EPILOGUE_H

#include "chain/chain.h"
#include "compile/compile.h"
#include "compile/content.h"
#include "judge/run/contestant_link.h"
#include "judge/run/referee_link.h"
#include "testcases/problem.h"

/* One stage, compiled by itself for one problem, in a process of its own: its code
 * is the user's. */
struct epilogue_runner {
	const struct problem *problem; /* that it is compiled for; NULL: not yet */
	struct compiled compiled;
	struct chain chain;            /* only the stage */
	struct contestant_setup setup; /* of its process */
	struct contestant_link link;
};

struct epilogue {
	struct chain chain;
	struct chain_files files;
	char content[CONTENT_TEXT];               /* a hash of the stages' files */
	char *header;                             /* for compiling; owned */
	const char *stages[CHAIN_STAGES_MAX + 1]; /* the files that it includes, NULL-ended */
	struct epilogue_runner runners[CHAIN_STAGES_MAX];
};

/* Reads the chain; *out is NULL where there is none (text is NULL), or where it is what a solution
 * computes anyway. False with err, and *out NULL: it is faulty. */
bool epilogue_open(const char *text, struct epilogue **out, struct error *err);
void epilogue_close(struct epilogue *epilogue);

/* Ends the processes of stages that run by themselves, whose results count as the referee's: the
 * next check starts new ones. NULL has none. */
void epilogue_renew(struct epilogue *epilogue);

/* Whether the problem has an epilogue at all. */
bool epilogue_fits(const struct problem *problem, struct error *err);

/* The stage file that the compiler's messages are about, or NULL. */
const char *epilogue_blamed(const struct epilogue *epilogue, const char *log);

/* Takes from the judgement the layers of the jail that did not hold for a stage that has run by
 * itself since epilogue_renew(): what it computed counts in the verdict. Adds what such a stage
 * tried and was denied. NULL has none. */
void epilogue_take_layers(struct epilogue *epilogue, struct judgement *judgement);

/* What a check needs besides the referee. */
struct epilogue_check {
	const struct problem *problem;
	const struct test_case *test;
	double timeout, compile_seconds;
	size_t memory_limit;
	unsigned without;  /* layers of the jail that are left open */
	unsigned required; /* without which no stage's code runs */
};

/* Runs the stages that the referee has no reference for, one after the other, and lets it go on
 * with what they make. *outcome tells when a stage's own code failed; false with err when the
 * referee or nvcc did, or a required layer does not hold. */
bool epilogue_run_custom(struct epilogue *epilogue, struct referee_link *referee,
						 const struct epilogue_check *check, struct check_summary *reply,
						 struct outcome *outcome, struct error *err);

#endif
