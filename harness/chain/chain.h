/* A chain of epilogue stages, as --epilogue names it: "alpha_beta,bias,clamp:0:6,
 * ./my_stage.cuh:0.5". epilogues/epilogue_stage.cuh has the contract of stages; what
 * a stage takes is declared in the first comment of its file, and read from
 * there, so that a new stage is a new file and nothing else.
 *
 * `struct chain` is a plain value: it is sent to the children. Where the files
 * of its stages lie only the supervisor knows (`struct chain_files`). */
#ifndef GEMMJUDGE_CHAIN_CHAIN_H
#define GEMMJUDGE_CHAIN_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/paths.h"

#define CHAIN_STAGES_MAX 16 /* epilogue_bindings::STAGES_MAX */
#define CHAIN_BYTES_MAX 64  /* epilogue_bindings::BYTES_MAX */
#define CHAIN_MEMBERS_MAX 16
#define CHAIN_BUFFERS_MAX 32 /* of all stages together */
#define CHAIN_NAME_MAX 32
#define CHAIN_TEXT_MAX 1024

enum chain_member_kind {
	CHAIN_ARGUMENT, /* a float */
	CHAIN_INPUT,    /* a pointer to elements that the stage reads */
	CHAIN_OUTPUT,   /* a pointer to elements that it writes */
	CHAIN_SUM,      /* a pointer to floats that become sums of what it hands over */
	CHAIN_MAX,      /* likewise the largest, from 0 on */
	CHAIN_EXACT,    /* deterministic sums: behind them lies memory to make them in */
};

/* Of inputs and outputs: C's own, unless the declaration names another. */
enum chain_type {
	CHAIN_ELEMENT,
	CHAIN_FLOAT,
	CHAIN_HALF,
	CHAIN_BFLOAT16,
	CHAIN_INT8,
	CHAIN_E4M3,
	CHAIN_TYPES
};

struct chain_member {
	char name[CHAIN_NAME_MAX];
	uint32_t kind;          /* enum chain_member_kind */
	uint32_t type;          /* enum chain_type */
	uint32_t rows, columns; /* of C, that share one element; 0: all do. "M N/32": 1 and 32 */
	uint32_t finish;        /* reductions: the stage's finish() makes the result of them */
	uint32_t offset;        /* in the stage's members */
	uint32_t buffer;        /* pointers: number among those of the whole chain */
	float value;            /* arguments: as given, or the default */
};

struct chain_stage {
	char name[CHAIN_NAME_MAX]; /* "clamp" */
	uint32_t shipped;          /* named, not given as a file: lies in epilogues/ */
	uint32_t count;
	uint32_t bytes; /* that the members take */
	struct chain_member members[CHAIN_MEMBERS_MAX];
};

struct chain {
	uint32_t count; /* 0: no chain, which means alpha_beta */
	uint32_t buffers;
	struct chain_stage stages[CHAIN_STAGES_MAX];
};

struct chain_files {
	char text[CHAIN_TEXT_MAX]; /* the chain as it was written */
	char paths[CHAIN_STAGES_MAX][PATHS_MAX];
};

/* Reads the chain; names are looked up in `folder` (SOURCE/epilogues). err says
 * in one line what is wrong with which stage. */
bool chain_parse(const char *text, const char *folder, struct chain *out, struct chain_files *files,
				 struct error *err);

/* The file that the i-th stage of the chain names, as it is written; "" where that is a shipped
 * stage, false behind the last. Looks at no file. */
bool chain_stage_file(const char *text, size_t i, char out[PATHS_MAX]);

/* Whether a file of this name among the shipped stages is part of their contract, and no stage. */
bool chain_is_contract(const char *name);

/* The name of the stage that a file defines: the file's own, without folder and
 * ending. */
bool chain_stage_name(const char *path, char out[CHAIN_NAME_MAX], struct error *err);

/* Reads the declarations of one stage file into *out (with the defaults as
 * values, and buffers numbered from 0). */
bool chain_read_stage(const char *path, struct chain_stage *out, struct error *err);

/* Whether the chain is what a solution computes by itself: none, or exactly
 * alpha_beta. */
bool chain_is_plain(const struct chain *chain);

/* Whether a stage of it takes arguments; relu and stages like it take none. */
bool chain_has_members(const struct chain *chain);

/* The input or output with this number; *stage is its stage. NULL: no such. */
const struct chain_member *chain_buffer(const struct chain *chain, uint32_t buffer,
										const struct chain_stage **stage);

/* How many elements an input or output has, for an M x N matrix C; how many those of one row of C
 * lie apart; and which of them belongs to C[row][column]. */
uint64_t chain_elements(const struct chain_member *member, uint64_t m, uint64_t n);
/* With the memory behind deterministic sums: what is allocated. */
uint64_t chain_allocated(const struct chain_member *member, uint64_t m, uint64_t n);
uint64_t chain_width(const struct chain_member *member, uint64_t n);
uint64_t chain_index(const struct chain_member *member, uint64_t n, uint64_t row, uint64_t column);

/* As its declaration says it: "M/128 N/128". */
#define CHAIN_EXTENT_TEXT 32
void chain_extent_text(const struct chain_member *member, char out[CHAIN_EXTENT_TEXT]);

/* As declarations name it: "float", "int8"; "" for CHAIN_ELEMENT. */
const char *chain_type_name(uint32_t type);

static inline bool chain_is_reduction(const struct chain_member *member)
{
	return member->kind >= CHAIN_SUM;
}

/* Whether any stage hands over what becomes a sum or a maximum. */
bool chain_reduces(const struct chain *chain);

/* The reduction of the stage that its finish() completes; NULL: none. */
const struct chain_member *chain_finish(const struct chain_stage *stage);

/* How many neighbouring columns a stage has to see at once: it writes one element for so many. */
uint32_t chain_columns(const struct chain_stage *stage);

/* The members of a stage as the compiled stage expects them: what epilogue_bind()
 * takes. addresses[i] is where buffer i of the chain lies. */
void chain_serialise(const struct chain_stage *stage, void *const addresses[CHAIN_BUFFERS_MAX],
					 unsigned char out[CHAIN_BYTES_MAX]);

/* The header that EPILOGUE_CHAIN names: includes the files of the stages [first,
 * first + count) and defines epilogue_stages. Owned by the caller; NULL when
 * memory is short. */
char *chain_header(const struct chain *chain, const struct chain_files *files, uint32_t first,
				   uint32_t count);

/* Of that header the definition of epilogue_stages alone. */
void chain_write_stages(FILE *out, const struct chain *chain, uint32_t first, uint32_t count);

/* Why nvcc refused a chain whose header is that of chain_header(), from nvcc's log: one line for
 * each stage whose class, members or operator() are not those of the contract, "PATH(LINE): error:
 * what is there, and what is wanted". NULL: it is for no such reason, or memory is short. Owned by
 * the caller. */
char *chain_refusal(const struct chain *chain, const struct chain_files *files, const char *log);

#endif
