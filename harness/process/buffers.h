/* The buffers of a case, as one table: the problem's operands in the order of its own table,
 * then what the stages of its epilogue read and write. Guards, poison, comparison and messages
 * walk it. Where they lie in the arena follows from it (protocol.h). */
#ifndef GEMMJUDGE_PROCESS_BUFFERS_H
#define GEMMJUDGE_PROCESS_BUFFERS_H

#include "process/protocol.h"

#define BUFFERS_ALIGNMENT 256u
#define BUFFER_NAME_MAX (2 * CHAIN_NAME_MAX + 8)

struct buffer {
	char name[BUFFER_NAME_MAX]; /* "A"; "bias.bias" */
	enum role role;
	const struct type *type;
	struct value_spec spec; /* before a call */
	uint32_t stream;
	uint64_t elements, columns; /* of a row */
};

struct buffers {
	uint32_t count;
	struct buffer at[BUFFERS_MAX];
};

/* Of a case with this chain (NULL: none). Buffer i of the chain is number operands + i. */
void buffers_of_case(const struct problem *problem, const struct test_case *test,
					 const struct chain *chain, struct buffers *out);

/* Of a stage run by itself: X, C and Y of PROBLEM_STAGE, then what this stage reads and writes. */
void buffers_of_stage(const struct problem *problem, const struct test_case *test,
					  const struct chain_stage *stage, struct buffers *out);

/* What the reference of a problem of a file is called with: the case's operands, and in place of
 * the result a struct reference_bound for each of its elements. */
void buffers_of_reference(const struct problem *problem, const struct test_case *test,
						  struct buffers *out);

/* The name of buffer number `index` of a case. */
void buffers_name(const struct problem *problem, const struct chain *chain, uint32_t index,
				  char out[BUFFER_NAME_MAX]);

uint64_t buffer_bytes(const struct buffer *buffer);
uint64_t buffers_bytes(const struct buffers *buffers); /* of all of them, without bands */

/* What it holds before a call in the set that is drawn with `seed`. */
struct values buffer_values(const struct buffer *buffer, uint64_t seed);

/* Offsets, sizes and the stride of one set. Guard, buffer, guard, guard, buffer, guard, ...: each
 * has its own band on either side, and the gap up to the next multiple of 256 belongs to the band
 * behind it. */
void buffers_lay_out(const struct buffers *buffers, struct arena *arena);

#endif
