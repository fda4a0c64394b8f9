/* One referee: a device, the arena of the current case, and what it answers to
 * the messages of process/protocol.h. Owns inputs, reference and verdict. */
#ifndef GEMMJUDGE_REFEREE_REFEREE_H
#define GEMMJUDGE_REFEREE_REFEREE_H

#include "device/referee_device.h"
#include "process/protocol.h"
#include "referee/bits.h"
#include "referee/stage_exchange.h"

struct referee {
	float seconds[PART_COUNT];           /* of the request at hand; for its reply */
	const struct referee_device *device; /* NULL before OPEN */
	void *state;
	struct device_choice choice;
	struct device_properties facts;
	unsigned threads; /* for comparing */

	bool has_case;
	uint32_t group; /* > 0: the case is sealed; behind its sets lies one more, for copies */
	const struct problem *problem;
	struct test_case test;
	struct chain chain;
	uint32_t custom; /* bit i: stage i is not one of ours */
	struct buffers buffers;
	uint64_t seed; /* of set 0: the case's, or a later RESET's `fresh` */
	struct arena arena;
	void *output; /* what a checked set's call wrote, on the host */
	uint64_t output_capacity;
	uint64_t rows[CHECK_ROWS_MAX];    /* that are compared, in ascending order */
	uint32_t row_count;               /* 0: all are */
	const void *outputs[BUFFERS_MAX]; /* in there, by buffer; NULL: an input */

	/* A check that has come to a custom stage. */
	struct referee_check checked;
	uint32_t next;              /* that stage; the end of the chain: none */
	struct check_summary reply; /* what is known so far */
	void *carried;
	uint64_t carried_capacity;
	struct stage_exchange stage_exchange;
	struct exchange_memory reference; /* of a problem of a file, while its bounds are computed */
	struct reference_bound *bounds;
	bool explainable; /* all of a check's result is here still, with its reference */
	void *second;     /* the result of one more call, after REFILL */
	uint64_t second_capacity;
	struct reduced *reduced; /* what the chain's reductions should be */
	uint64_t reduced_capacity;
	struct reduced *reduced_of[CHAIN_BUFFERS_MAX]; /* in it, as in struct check_input */
	uint32_t finishing; /* 1 + the stage whose finish() is to be run next, by itself; 0: none */
	bool has_second, adds, few_hold; /* as in struct check_input */

	/* Bits that later ones are compared with (bits.h). */
	uint32_t drawn; /* sets that are drawn: all, or the first one alone */
	bool arranged;  /* the operands are not what the case draws */
	struct bits_kept kept[BITS_SLOTS];

	/* The product is kept while the same set is checked again. */
	bool has_product;
	uint32_t product_set;
	struct device_product product;
	uint32_t spot_checks, spot_disagreements;
};

/* Of a referee that is open: it becomes as new (protocol.h). */
bool referee_open(struct referee *referee, const struct device_choice *choice, struct error *err);
/* *fd: the arena's descriptor, the referee's own, or -1. */
bool referee_case(struct referee *referee, const struct referee_case *request, int *fd,
				  struct error *err);
bool referee_reset(struct referee *referee, uint64_t fresh, struct error *err);
/* *fd: the referee's own. */
bool referee_descriptor(struct referee *referee, uint32_t group, int *fd, struct error *err);
bool referee_check(struct referee *referee, const struct referee_check *request,
				   struct check_summary *reply, struct error *err);
/* Another result for one more call, and what both calls tell of the first one's: protocol.h. */
bool referee_refill(struct referee *referee, struct error *err);
bool referee_recheck(struct referee *referee, struct check_summary *reply, struct error *err);
/* What the wrong elements of the last check have in common; facts->wrong is 0 where nothing is
 * known. */
bool referee_explain(struct referee *referee, struct wrong_pattern *facts, struct error *err);
/* Of what the result of a set holds now: protocol.h. */
bool referee_digest(struct referee *referee, uint32_t set, struct digest *out, struct error *err);
/* That of the call that is being checked, into its summary; of a call of several products none. */
bool referee_note_digest(struct referee *referee, struct error *err);
/* Operands for calls whose bits are compared, and the comparison: protocol.h. */
bool referee_arrange(struct referee *referee, const struct referee_arrange *request,
					 struct error *err);
bool referee_bits(struct referee *referee, const struct referee_bits *request,
				  struct bits_compared *found, struct error *err);
/* The reference of a problem of a file is to be run for a set, by the arena in the reply and *fd
 * (the referee's own; -1: it is known); then it has been. */
bool referee_reference_open(struct referee *referee, const struct referee_reference *request,
							struct referee_reference_reply *reply, int *fd, struct error *err);
bool referee_reference_close(struct referee *referee, const struct referee_reference *request,
							 uint64_t *step_faults, struct error *err);
/* Custom stage `stage` is to be run, by the arena in the reply and *fd (the referee's own); then
 * it has been. */
bool referee_stage_open(struct referee *referee, uint32_t stage, struct referee_stage_reply *reply,
						int *fd, struct error *err);
bool referee_stage_close(struct referee *referee, uint32_t stage, struct check_summary *reply,
						 struct error *err);
/* Whether the guard bands of the last case's first set are as they were made. */
bool referee_guards_hold(struct referee *referee, struct error *err);
void referee_close(struct referee *referee);

#endif
