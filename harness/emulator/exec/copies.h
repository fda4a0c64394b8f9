/* Asynchronous copies under way: what each is, and the lists of them. cp.async's are a warp's
 * (ops/async.c), cp.async.bulk's a cluster's (ops/bulk.c). */
#ifndef EMULATOR_EXEC_COPIES_H
#define EMULATOR_EXEC_COPIES_H

#include "emulator/exec/cluster.h"
#include "emulator/exec/sub.h"
#include "emulator/tensor/map.h"

/* ---- cp.async ------------------------------------------------------------------- */

struct copy {
	uint64_t group; /* of its lane */
	const struct exec_instruction *in;
	const uint8_t *from;
	uint32_t offset; /* in the block's shared memory */
	uint8_t lane, bytes, from_bytes;
	bool undefined; /* nothing wrote some byte of the source */
	bool landed;
};

struct exec_copies {
	struct copy *entries;
	uint32_t count, capacity;
	uint64_t committed[EXEC_LANES]; /* groups closed so far */
};

/* A new one at the end of the warp's list, not filled; NULL without memory. */
struct copy *copies_add(struct warp *warp);
void exec_copies_clear(struct warp *warp);
void exec_copies_free(struct warp *warp);

/* ---- cp.async.bulk -------------------------------------------------------------- */

struct bulk {
	enum sub_bulk kind;
	bool tensor;
	struct exec_block *block; /* whose shared memory */
	uint64_t shared;          /* offset there */
	uint64_t global, bytes;   /* without a tensor map; or of another block's memory */
	uint64_t ignored_before, ignored_behind; /* of `bytes`: .ignore_oob */
	const uint8_t *source;                   /* of those between */
	struct exec_block *barrier_block;        /* loads */
	uint64_t barrier;
	struct warp *warp; /* stores */
	int lane;
	uint64_t group;
	struct tensor_map map;
	int32_t coordinates[TENSOR_MAP_RANK];
	const struct exec_instruction *in;
	bool undefined; /* loads: nothing wrote some byte of the source */
	bool moved;     /* its bytes were */
	bool completed; /* loads: on their mbarrier, in this phase */
	uint32_t phase;
};

struct groups { /* of bulk stores, by warp */
	struct warp *warp;
	uint64_t committed[EXEC_LANES];
};

struct exec_bulk {
	struct bulk *entries;
	uint32_t count, capacity;
	struct groups *groups;
	uint32_t group_count, group_capacity;
};

/* A new bulk copy of the warp's cluster; and the groups of stores of this warp. */
struct bulk *copies_add_bulk(struct warp *warp);
struct groups *copies_groups(struct warp *warp);
void exec_bulk_free(struct exec_cluster *cluster);

/* What it does with the bytes of shared memory that it is counted for. */
static inline enum exec_pending copies_kind(const struct bulk *bulk)
{
	return bulk->kind == BULK_LOAD ? EXEC_PENDING_WRITE : EXEC_PENDING_READ;
}

/* Remembers how a tensor load that has ended laid out what it brought; how the last one did
 * that brought this byte, or NULL. */
void copies_laid(const struct bulk *load);
const struct exec_layout *copies_layout(const struct exec_block *block, uint64_t offset);

/* ---- both ------------------------------------------------------------------------ */

/* Bytes, and what a copy does with them. */
struct exec_span {
	const struct exec_block *block;
	enum exec_pending kind;
	uint64_t offset;
	size_t bytes;
};

/* What was copied of global memory that nothing wrote is undefined in shared memory, too. */
void copies_undefine(struct exec_block *block, uint64_t offset, const uint8_t *from, size_t bytes);

/* The instruction that issued a pending copy of the span's kind to one of its bytes, or NULL.
 * `copy`, `bulk`: one that is about to begin, or NULL; others that bring the same do not count. */
const struct exec_instruction *copies_issuer(const struct exec_span *span, const struct copy *copy,
											 const struct bulk *bulk);

#endif
