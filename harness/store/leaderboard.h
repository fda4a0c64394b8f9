/* The best of what the store knows, by problem, device and shape. */
#ifndef GEMMJUDGE_STORE_LEADERBOARD_H
#define GEMMJUDGE_STORE_LEADERBOARD_H

#include "store/measured.h"

/* The best run of one content; of what was submitted to a server, of one user. Borrowed of the
 * leaderboard's runs. */
struct leader {
	size_t rank; /* 1 is the best; those that differ by no more than noise from the first of their
					rank share it */
	const struct measured *run;
	const struct measured_time *time;
};

/* One problem, shape and epilogue on one kind of device. */
struct board {
	const struct measured *run;       /* has the problem, the device and the epilogue, */
	const struct measured_time *time; /* and this the shape */
	bool main;                        /* of all shapes the one with the most leaders */
	size_t count;
	struct leader *leaders; /* the fastest first; owned */
	size_t unconfirmed;     /* contents that would rank here, had sealed calls confirmed a time */
};

#define LEFT_OUT_RULE "broke a rule"
#define LEFT_OUT_PRACTICE "practice: judged with options of its own"
#define LEFT_OUT_USER "a better one of its user ranks"
#define LEFT_OUT_COPY "it differs from one that ranks in comments and white space alone"
#define LEFT_OUT_OTHERWISE "judged otherwise"

/* A content that ranks nowhere, by its last run; or a file that broke a rule or had a wrong answer,
 * also where a copy of it ranks. */
struct left_out {
	const struct measured *run;
	const char *why;
};

/* Where nobody has a time that counts, as on the emulated GPU: by correctness. Those with as many
 * right cases of all share a rank. */
struct standing {
	size_t rank;
	const struct measured *run;
};

struct leaderboard {
	struct measured_list runs; /* owned */
	bool *ranks;               /* of each run: it was judged as those are that rank (alike.h); NULL:
								  nobody asked; owned */
	size_t board_count;
	struct board *boards; /* owned; by problem, device, epilogue, then in the order of the store */
	size_t left_out_count;
	struct left_out *left_out; /* owned */
	size_t standing_count;
	struct standing
		*standings; /* of those that are left out; by problem, device, epilogue; owned */
};

/* Who ranks: each content's (of what was submitted to a server, each user's) fastest run that was
 * accepted within the bound of rounding, whose time sealed calls confirmed, or that then counts
 * with its host-side time; practice never does. Files
 * that differ in comments and white space alone are one, but of different users, who share a rank.
 * Where `alike`, only those rank whose cases were chosen alike, of each problem, device and
 * epilogue in one manner (alike.h); the runs have their case_names. A content does not rank by runs
 * on terms on which it broke a rule in any run, or had a wrong answer in generated cases on the
 * same device: random cases may miss what others found. The terms are the file's path, the problem,
 * the epilogue with what its stages' files held, and the nvcc flags, so that nobody takes another's
 * file off by judging a copy, or it with a stage or a flag that breaks a rule. Takes over `runs`.
 * False with err where memory runs out. */
bool leaderboard_make(struct measured_list *runs, bool alike, struct leaderboard *out,
					  struct error *err);

/* Why it ranks nowhere, in words. */
#define LEFT_OUT_WHY 400
void left_out_why(const struct left_out *one, char out[LEFT_OUT_WHY]);

/* Of what the leaders of a board may have several versions. */
enum board_version { BOARD_NVCC, BOARD_LIBRARY, BOARD_VERSION_KINDS };

/* Which leaders have which version, by their ids: "not all of one nvcc: 13.0.88 (#1, #3), 13.5.37
 * (#7)", "not all beside one library: ...". False where no two known versions differ. */
#define BOARD_VERSIONS 512
bool board_versions(const struct board *board, enum board_version kind, char out[BOARD_VERSIONS]);

/* Fills in the standings; part of leaderboard_make(). False: out of memory. */
bool standings_make(struct leaderboard *all);
void leaderboard_free(struct leaderboard *leaderboard);

#endif
