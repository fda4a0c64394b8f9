/* Lines that say what to do about a verdict (`hint: ...`), at most HINTS_MAX a file. Each is true
 * of this very run: it says what was found, and where a cause is likely, that it is. README.md in
 * this folder says how one is added.
 *
 * Facts of results come only from the referee. What a solution's process says of itself may be
 * a lie: a hint may show it, and no verdict may rest on it. */
#ifndef GEMMJUDGE_JUDGE_HINTS_HINTS_H
#define GEMMJUDGE_JUDGE_HINTS_HINTS_H

#include "base/strbuf.h"
#include "judgement/judgement.h"
#include "process/protocol.h"

struct hint_claim; /* claims.h */

/* All that a hint may look at. */
struct hint_context {
	struct hint_claim *claim; /* takes what the sentence that is made claims; NULL: nobody asks */
	const struct judgement *judgement;
	const char *source;            /* where the file's text is; of stdin no name tells it */
	const struct problem *problem; /* NULL: unknown, and there are no hints */
	const struct chain *chain;     /* the epilogue; NULL: none */
	enum device_kind device;
	uint64_t memory_bytes; /* of the device */
	bool isolated;         /* nothing beside the file could be read */
};

/* How much a hint says; the first ones are shown. */
enum hint_rank {
	HINT_NOTE,  /* what the judge made of the file that it did not have to; also where accepted */
	HINT_CAUSE, /* what is wrong */
	HINT_PLACE, /* where, or in which cases */
	HINT_KIND,  /* of what kind it is, or how to find out more */
};

struct hint_row {
	const char *name; /* for tests */
	enum hint_rank rank;
	/* Whether it holds, and then its sentence: no capital at its start, no full stop at its end.
	 * *out is empty before, and may be written either way. */
	bool (*says)(const struct hint_context *facts, struct strbuf *out);
};

/* Families, a file each: rows, of which the first of equal rank are shown first. `name` NULL ends a
 * family. */
extern const struct hint_row hints_of_products[];  /* what wrong elements are made by */
extern const struct hint_row hints_of_unwritten[]; /* what was never written */
extern const struct hint_row hints_of_steps[];     /* which step of a reference explains them */
extern const struct hint_row hints_of_paths[];     /* which paths of a graph were not seen */
extern const struct hint_row hints_of_batches[];   /* what was stored over the next row or matrix */
extern const struct hint_row hints_of_stages[];    /* which stage of an epilogue makes them */
extern const struct hint_row hints_of_places[];    /* where they lie */
extern const struct hint_row hints_of_cases[];     /* which cases fail */
extern const struct hint_row hints_of_sizes[];     /* of which sizes these are */
extern const struct hint_row hints_of_repeats[];   /* what a second run gives */
extern const struct hint_row hints_of_calls[];     /* what the process and its device say */
extern const struct hint_row hints_of_signature[]; /* how the file declares solve() */
extern const struct hint_row hints_of_compiling[]; /* what nvcc says */
extern const struct hint_row hints_of_entry[];     /* what the file was taken for */

/* Fills the hints of a file; of an accepted one, its notes. */
void hints_find(const struct hint_context *facts, struct judgement *out);

/* Whether solve() of the file has the problem's parameters in another order, by their names. Fills
 * what it would have to be called with for these: `test` with its sizes and scalars exchanged, and
 * `arena` with its buffers. */
bool hint_other_order(const struct hint_context *facts, struct test_case *test,
					  struct arena *arena);

/* ---- what rows share ------------------------------------------------------------- */

/* The name of the operand that the reference takes for this part: "C". */
const char *hint_operand(const struct hint_context *facts, enum part part);

/* As solve() calls it; "1" where the problem has it not. */
const char *hint_size(const struct hint_context *facts, enum size size);

/* Whether it is known how the wrong elements are made: a row of hints_of_products or of
 * hints_of_stages holds. */
bool hint_fault_known(const struct hint_context *facts);

/* Whether the same is known of all wrong elements of the case that were written. */
bool hint_case_explained(const struct hint_context *facts, const struct case_result *result);

/* Whether its result was compared and is wrong; whether it was compared and is right. With alpha 0
 * it is right whatever the product is, and counts as neither. */
bool hint_case_wrong(const struct case_result *result);
bool hint_case_right(const struct case_result *result);

/* Whether it was run and not accepted, for whatever reason. */
bool hint_case_failed(const struct case_result *result);

/* Whether what parts failing from accepted cases is that sizes differ: a row of hints_of_sizes
 * holds that says so. */
bool hint_sizes_differ(const struct hint_context *facts);

/* Whether the one may be taken for the other: they differ in all failing cases and in no right one,
 * and nothing else explains the wrong elements. */
bool hint_may_be_exchanged(const struct hint_context *facts, enum size one, enum size other);

/* Whether rows of the result overlap, as they are taken to be as long as another size. */
bool hint_rows_overlap(const struct hint_context *facts);

/* Whether an unexplained failing case is right by itself, so that something was kept from before.
 */
bool hint_is_kept(const struct hint_context *facts);

/* Whether the wrong elements are those that a tile reaches beyond its row, or its matrix of a
 * batch.
 */
bool hint_stored_beyond(const struct hint_context *facts);

/* How many cases have wrong results that were looked at (`wrong` is there). */
size_t hint_explained_cases(const struct hint_context *facts);

/* "in the failing case", "in both failing cases", "in 3 of 5 failing cases": holds in `held` of the
 * cases that were looked at. */
const char *hint_in_cases(size_t held, size_t explained, char out[64]);

/* As hint_in_cases() for what holds in all of them. */
const char *hint_in_all(const struct hint_context *facts, char out[64]);

/* Walks the cases that were looked at; NULL behind the last. */
const struct case_result *hint_next_explained(const struct hint_context *facts, size_t *at);

/* Whether there are such cases, and it holds in all of them. */
bool hint_all_explained(const struct hint_context *facts,
						bool (*holds)(const struct case_result *result));

int32_t hint_case_size(const struct case_result *result, enum size size);

/* Whether it is known why elements were never written: a row of hints_of_unwritten holds that says
 * more than that. */
bool hint_unwritten_known(const struct hint_context *facts);

#endif
