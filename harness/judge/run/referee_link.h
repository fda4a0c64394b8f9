/* The supervisor's end of the referee: one call a message of protocol.h. */
#ifndef GEMMJUDGE_JUDGE_RUN_REFEREE_LINK_H
#define GEMMJUDGE_JUDGE_RUN_REFEREE_LINK_H

#include "base/error.h"
#include "judge/run/timeline.h"
#include "process/child.h"
#include "process/protocol.h"

struct referee_link {
	struct child *child;
	const struct timeline_of *spends; /* whose time its requests are; or NULL */
	struct device_choice device;
	struct device_properties facts;
	int lent;           /* the channel of a referee that a batch lends us, which is opened first;
						   0: none. It lives on behind us, and others' files come after ours */
	bool used;          /* has had a case */
	struct arena arena; /* of the case at hand */
	int arena_fd;       /* its memfd, or -1; owned */
	uint32_t custom_stages; /* of its chain, bit by bit: to be run by themselves */
};

/* Starts BUILD/libexec/referee on the device. On failure nothing is left to
 * close and err says what is missing. */
bool referee_link_open(struct referee_link *link, const struct device_choice *device,
					   struct error *err);
void referee_link_close(struct referee_link *link);

/* Sees to it that nobody uses a referee that is lent after us. */
void referee_link_give_up(struct referee_link *link);

/* A referee that has had a case of a submission becomes as new (protocol.h, REFEREE_OPEN), for the
 * next one; every process that had its memory has to be gone. Where it does not, or where `afresh`,
 * it is ended and a new one takes its place on the same device. The facts stay. On failure the link
 * is closed. */
bool referee_link_renew(struct referee_link *link, bool afresh, struct error *err);

/* chain may be NULL: none.
 *
 * Each fails with err when the referee refuses or dies (it is then closed;
 * child == NULL, and referee_link_open starts a new one). */
bool referee_link_case(struct referee_link *link, const char *problem, const struct test_case *test,
					   const struct chain *chain, uint32_t sets, struct error *err);
/* Groups of sets, each shared by itself (protocol.h, "sealed calls"). */
struct referee_groups {
	uint32_t count, sets; /* `sets` of each */
};
/* A case in groups, and what shares one of them: *fd is the caller's. */
bool referee_link_sealed_case(struct referee_link *link, const char *problem,
							  const struct test_case *test, const struct chain *chain,
							  struct referee_groups groups, struct error *err);
bool referee_link_descriptor(struct referee_link *link, uint32_t group, int *fd, struct error *err);
bool referee_link_reset(struct referee_link *link, uint64_t fresh, struct error *err);
/* A result that is looked at. */
struct referee_result {
	uint32_t set;
	bool plain;    /* what a solution computes without an epilogue was computed, whatever the case's
					  chain */
	uint32_t rows; /* of a sealed case: so many are compared; 0: all */
	const struct digest *digests; /* of a sealed case: BUFFERS_MAX of them; else NULL */
};
/* Where the chain has custom stages the reply tells of what comes before them: protocol.h. */
bool referee_link_check(struct referee_link *link, const struct referee_result *result,
						const struct tolerance *tolerance, struct check_summary *found,
						struct error *err);

/* Other values for the result, then, after one more call, what both calls tell of the first:
 * protocol.h. */
bool referee_link_refill(struct referee_link *link, struct error *err);
bool referee_link_recheck(struct referee_link *link, struct check_summary *found,
						  struct error *err);

/* What the wrong elements of the last check have in common, before anything else is asked;
 * facts->wrong is 0 where nothing is known. */
bool referee_link_explain(struct referee_link *link, struct wrong_pattern *facts,
						  struct error *err);

/* The digest of what a set's result holds now. */
bool referee_link_digest(struct referee_link *link, uint32_t set, struct digest *out,
						 struct error *err);
/* A case in sets that are all alike, for calls whose bits are compared, and the comparison:
 * protocol.h. The heads of requests are filled in here. */
bool referee_link_alike(struct referee_link *link, const char *problem,
						const struct test_case *test, const struct chain *chain, uint32_t sets,
						struct error *err);
bool referee_link_arrange(struct referee_link *link, struct referee_arrange request,
						  struct error *err);
bool referee_link_bits(struct referee_link *link, struct referee_bits request,
					   struct bits_compared *found, struct error *err);

/* The memory in which the reference of a problem of a file computes a set's bounds (*fd is the
 * caller's; -1: they are known), and that it has. */
struct reference_pass {
	uint32_t set;
	bool faults;          /* the last check's result goes along, */
	uint64_t step_faults; /* and this comes back */
};
bool referee_link_reference_open(struct referee_link *link, const struct reference_pass *pass,
								 struct arena *arena, int *fd, struct error *err);
bool referee_link_reference_close(struct referee_link *link, struct reference_pass *pass,
								  struct error *err);

/* The memory of a custom stage (*fd is the caller's), and that it has been run. */
bool referee_link_stage_open(struct referee_link *link, uint32_t stage, struct arena *arena,
							 int *fd, struct error *err);
bool referee_link_stage_close(struct referee_link *link, uint32_t stage,
							  struct check_summary *found, struct error *err);

#endif
