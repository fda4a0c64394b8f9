/* One referee: a device, the arena of the current case, and what it answers to
 * the messages of process/protocol.h. Owns inputs, reference and verdict. */
#ifndef GEMMJUDGE_REFEREE_REFEREE_H
#define GEMMJUDGE_REFEREE_REFEREE_H

#include "device/referee_device.h"
#include "process/protocol.h"
#include "referee/elsewhere.h"

struct referee {
	const struct referee_device *device; /* NULL before OPEN */
	void *state;
	struct device_facts facts;
	unsigned threads; /* for comparing */

	bool has_case;
	const struct problem *problem;
	struct test_case test;
	struct chain chain;
	uint64_t seed; /* of set 0: the case's, or a later RESET's `fresh` */
	struct arena arena;
	void *output; /* C of a checked set, on the host, and what stages wrote */
	uint64_t output_capacity;
	const void *written[CHAIN_BUFFERS_MAX]; /* in there: output i of the chain */

	/* A check that waits for a stage that is computed elsewhere. */
	struct referee_check checked;
	struct referee_check_reply reply; /* what is known so far */
	void *carried;
	uint64_t carried_capacity;
	struct elsewhere elsewhere;

	/* The product is kept while the same set is checked again. */
	bool has_product;
	uint32_t product_set;
	struct device_product product;
	uint32_t spot_checks, spot_disagreements;
};

bool referee_open(struct referee *referee, const struct device_choice *choice, struct error *err);
/* *fd: the arena's descriptor, the referee's own, or -1. */
bool referee_case(struct referee *referee, const struct referee_case *request, int *fd,
				  struct error *err);
bool referee_reset(struct referee *referee, uint64_t fresh, struct error *err);
bool referee_check(struct referee *referee, const struct referee_check *request,
				   struct referee_check_reply *reply, int *fd, struct error *err);
/* The stage that the reply before said is pending has been computed. */
bool referee_stage(struct referee *referee, struct referee_check_reply *reply, int *fd,
				   struct error *err);
void referee_close(struct referee *referee);

#endif
