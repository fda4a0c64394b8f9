/* The supervisor's end of the contestant: what the solution did, as a verdict. */
#ifndef GEMMJUDGE_JUDGE_RUN_CONTESTANT_LINK_H
#define GEMMJUDGE_JUDGE_RUN_CONTESTANT_LINK_H

#include "base/error.h"
#include "compile/source_line.h"
#include "judge/run/timeline.h"
#include "judgement/judgement.h"
#include "process/child.h"
#include "process/denied.h"
#include "process/protocol.h"

/* What became of the submission in one step. ACCEPTED: nothing wrong so far. (That the harness
 * itself failed is another matter, and told by false and an error.) */
struct outcome {
	enum verdict verdict;
	char detail[1024]; /* one line */
	bool dead;         /* the process is gone or cannot go on: the next case needs a new one
						  (contestant_link_open) */
	bool refused;      /* it answered, that it cannot do what was asked; only to a pass of spans
						  that is no fault */
};

/* What is started, and how. Strings are borrowed. It belongs to whoever opens a link: the link only
 * reads it. */
struct contestant_setup {
	const struct device_choice *device;
	const struct timeline_of *spends; /* whose time it takes; or NULL */
	const char *library, *problem;
	const char *source;                  /* `source` of struct compiled; NULL or "" */
	enum entry_order order;              /* of solution() */
	const struct child_control *control; /* of the process; NULL: none */
	const char *const *environment;      /* more variables for it, as child_options has them */
	const char *const *settings; /* of the emulated GPU: more variables, NULL-ended; or NULL */
	struct judgement *counts;    /* gets what the emulated GPU counts; NULL: nobody */
	const struct chain *chain;   /* that the library was compiled with; NULL: none */
	bool unbound;                /* it need not let the chain be bound */
	const char *const *under;    /* the command of a tool that it runs under, or NULL. It
									then gets buffers of its own, so that the tool sees
									the bounds of each, and has time to end */
	bool libraries_allowed;
	bool timed; /* contestant_link_time() will be called */
	size_t memory_limit;
	bool *outlives;  /* set where a process could not be ended: it may have the memory of its cases
						still; or NULL */
	double timeout;  /* seconds for loading the solution, which runs its constructors */
	double together; /* seconds for all that the solution does, in whatever processes;
						0: any */
	int lent; /* the channel of a process that is lent to us, for our own code, and that process; it
				 lives on behind us. 0: none */
	pid_t lent_program;
	const char *library_folder; /* a folder: of libraries that contestant_link_load() will load;
								   NULL or "": none */
	unsigned without;           /* layers of the jail that are left open */
	unsigned required;          /* without which nothing is loaded */
};

/* How the process is closed, as contestant_link_open() found it. */
struct contestant_jail {
	bool enclosed;             /* the next two are known */
	unsigned layers;           /* that hold: none where libraries are allowed, or under a tool */
	char unavailable[512];     /* why others do not */
	struct denied *listener;   /* looks on at what is denied; NULL: nobody does */
	struct denied_list denied; /* what was, in processes that have ended */
	bool can_seal;             /* sealed calls can be made */
	char unsealed[400];        /* why they cannot */
};

struct contestant_link {
	const struct contestant_setup *setup;
	uint64_t launches; /* emulated_order() of the calls to come */
	uint64_t steps;    /* warp instructions that a launch of the next run may take on the emulated
						  GPU; 0: its own default */
	/* filled by these functions */
	struct child *child; /* NULL: not running */
	bool prepared;       /* it is closed, and waits for the solution */
	bool has_settings;
	int settings;  /* then: the file of settings.h */
	double waited; /* seconds of setup->together that are used */
	struct contestant_jail jail;
	enum entry_kind entry;          /* what is called, as the process says: for hints */
	struct call_report facts;       /* of the last run */
	struct source_line source_line; /* of the last allocation that a message was about */
	struct outcome left; /* of the last run or pass that went well: what a CUDA error that it left
							behind means where its result is wrong; ACCEPTED: there is none */
	char *said;          /* under a tool: what was printed in ending; the caller frees it */
};

/* Starts a process ahead and closes it: nobody's code runs in it before contestant_link_open(),
 * which then takes it. That it does not start is told there, by the next one. */
void contestant_link_prepare(struct contestant_link *link);

/* Stops the process that runs, if any, starts a new one, closes it and loads the solution; or loads
 * it in the one that is prepared. Where a layer that is required does not hold, the verdict is
 * NOT_RUN, and contestant_link_holds() tells. */
struct outcome contestant_link_open(struct contestant_link *link);

/* Loads link->setup->library, which is another one by now, into the process that runs, where it has
 * `library_folder`: of the same author, since one could disturb the other. What the last one has
 * allocated stays. Far faster than to start a process, most of which is making a context. */
struct outcome contestant_link_load(struct contestant_link *link);

/* Whether the layers that are required hold, after contestant_link_open(); else err names them. */
bool contestant_link_holds(const struct contestant_link *link, struct error *err);
void contestant_link_close(struct contestant_link *link);

/* Adds what the solution tried and the jail denied since the last call of this function. Works
 * after contestant_link_close(), too. */
void contestant_link_denied(struct contestant_link *link, struct denied_list *list);

/* Gives it the buffers of a case (arena_fd: the memfd, or -1). */
struct outcome contestant_link_case(struct contestant_link *link, const struct arena *arena,
									int arena_fd, const struct test_case *test);

/* What solution_part() says of the case. */
struct outcome contestant_link_part(struct contestant_link *link, const struct test_case *test,
									int *part);

/* One call of solve(), at most `timeout` seconds; *seconds is its wall time. */
struct outcome contestant_link_run(struct contestant_link *link, uint32_t set, double timeout,
								   double *seconds);

/* What the calls that follow use of a library, and what it tells of the last one; the head of
 * `request` is filled in here. */
struct outcome contestant_link_library(struct contestant_link *link,
									   struct contestant_library request,
									   struct contestant_library_reply *reply);

/* Several calls, as protocol.h has them, each in its own order, in that time altogether; the head
 * of `request` and the steps are filled in here. */
struct outcome contestant_link_runs(struct contestant_link *link, struct contestant_run request,
									double timeout, double *seconds);

/* A pass of timed calls; the head of `request` is filled in here. */
struct outcome contestant_link_time(struct contestant_link *link, struct contestant_time request,
									double timeout, struct contestant_time_reply *reply);

/* Back-to-back calls for asked.seconds; the head of `asked` is filled in here. A call takes at most
 * `timeout` seconds. */
struct outcome contestant_link_stream(struct contestant_link *link, struct contestant_stream asked,
									  double timeout, uint64_t *calls, double *seconds);

/* Sealed calls (protocol.h), where can_seal: of a case, without its seed, in groups of `group`
 * sets; `outputs` has a bit for each buffer that is digested. Then, for each group, its descriptor,
 * calls on its sets, and its end, which tells how they went. *seconds: how long the step took. */
struct outcome contestant_link_sealed(struct contestant_link *link, const struct arena *arena,
									  uint32_t group, const struct test_case *test,
									  uint64_t outputs);
struct outcome contestant_link_go(struct contestant_link *link, int fd, double *seconds);
struct outcome contestant_link_call(struct contestant_link *link, uint32_t set, double timeout,
									struct digest digests[BUFFERS_MAX], double *seconds);
struct outcome contestant_link_end(struct contestant_link *link);

/* What the process printed since the last call of this function; NULL when nothing;
 * caller frees. Works after a death, too, until the next open. */
char *contestant_link_output(struct contestant_link *link);

#endif
