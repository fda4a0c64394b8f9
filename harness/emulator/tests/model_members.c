/* What names its member mask (vote, match, redux, shfl, elect), on random masks and values. PTX ISA
 * 9.7.13 vote.sync, match.sync, redux.sync, elect.sync, and 9.7.9 shfl.sync. The lanes of a warp
 * are dealt to groups with a mask each; some come late, and some have exited, which masks name all
 * the same. */
#include "model.h"

#include <stdio.h>

#define WARPS 2048 /* random inputs of each instruction */
#define THREADS (WARPS * 32)
#define BLOCK 256

struct input {
	uint32_t members, value, wide, by, clamp, flags;
};
enum { HOLDS = 1, LATE = 2, EXITS = 4 };

static const struct {
	const char *ptx; /* of members %r20, value %r21, %d5, by %r22, clamp %r23, predicate %p1 */
	bool predicate;  /* the result is %p2, else %r0 */
} table[] = {
	{"vote.sync.all.pred %p2, %p1, %r20;", true},
	{"vote.sync.any.pred %p2, %p1, %r20;", true},
	{"vote.sync.uni.pred %p2, %p1, %r20;", true},
	{"vote.sync.ballot.b32 %r0, %p1, %r20;", false},
	{"match.any.sync.b32 %r0, %r21, %r20;", false},
	{"match.any.sync.b64 %r0, %d5, %r20;", false},
	{"match.all.sync.b32 %r0|%p2, %r21, %r20;", false},
	{"match.all.sync.b64 %r0|%p2, %d5, %r20;", true},
	{"redux.sync.add.u32 %r0, %r21, %r20;", false},
	{"redux.sync.min.u32 %r0, %r21, %r20;", false},
	{"redux.sync.max.u32 %r0, %r21, %r20;", false},
	{"redux.sync.min.s32 %r0, %r21, %r20;", false},
	{"redux.sync.max.s32 %r0, %r21, %r20;", false},
	{"redux.sync.and.b32 %r0, %r21, %r20;", false},
	{"redux.sync.or.b32 %r0, %r21, %r20;", false},
	{"redux.sync.xor.b32 %r0, %r21, %r20;", false},
	{"shfl.sync.up.b32 %r0|%p2, %r21, %r22, %r23, %r20;", false},
	{"shfl.sync.up.b32 %r0|%p2, %r21, %r22, %r23, %r20;", true},
	{"shfl.sync.down.b32 %r0|%p2, %r21, %r22, %r23, %r20;", false},
	{"shfl.sync.down.b32 %r0|%p2, %r21, %r22, %r23, %r20;", true},
	{"shfl.sync.bfly.b32 %r0|%p2, %r21, %r22, %r23, %r20;", false},
	{"shfl.sync.bfly.b32 %r0|%p2, %r21, %r22, %r23, %r20;", true},
	{"shfl.sync.idx.b32 %r0|%p2, %r21, %r22, %r23, %r20;", false},
	{"shfl.sync.idx.b32 %r0|%p2, %r21, %r22, %r23, %r20;", true},
	{"elect.sync %r0|%p2, %r20;", true},
};
#define ROWS (sizeof table / sizeof table[0])
enum form {
	ALL,
	ANY,
	UNI,
	BALLOT,
	MATCH_ANY,
	MATCH_ANY_64,
	MATCH_ALL,
	MATCH_ALL_64,
	REDUX,
	SHFL = 16,
	ELECT = 24
};

static void members_kernel(struct model_text *text)
{
	model_begin(text);
	model_say(
		text,
		"mul.wide.u32 %%d1, %%t, %zu; add.s64 %%d1, %%in, %%d1; mul.wide.u32 %%d2, %%t, 4;\n"
		"add.s64 %%d2, %%out, %%d2; ld.global.u32 %%r20, [%%d1]; ld.global.u32 %%r21, [%%d1+4];\n"
		"ld.global.u32 %%r2, [%%d1+8]; ld.global.u32 %%r22, [%%d1+12];\n"
		"ld.global.u32 %%r23, [%%d1+16]; ld.global.u32 %%r24, [%%d1+20];\n"
		"mov.b64 %%d5, {%%r21, %%r2}; and.b32 %%r3, %%r24, 1; setp.ne.u32 %%p1, %%r3, 0;\n"
		"and.b32 %%r3, %%r24, 2; setp.ne.u32 %%p3, %%r3, 0;\n"
		"and.b32 %%r3, %%r24, 4; setp.ne.u32 %%p4, %%r3, 0; @%%p4 exit;\n",
		sizeof(struct input));
	for (size_t row = 0; row < ROWS; row++)
		model_say(text, /* late lanes come back from further down */
				  "@%%p3 bra $late%zu;\n$on%zu: %s\n%s st.global.u32 [%%d2+%zu], %%r0;\n", row, row,
				  table[row].ptx, table[row].predicate ? "selp.u32 %r0, 1, 0, %p2;" : "",
				  row * THREADS * 4);
	model_say(text, "ret;\n");
	for (size_t row = 0; row < ROWS; row++)
		model_say(text, "$late%zu: bra $on%zu;\n", row, row);
	model_end(text);
}

/* One warp's lanes: groups, values that are often equal, predicates that often agree. */
static void draw(struct input *warp, uint64_t *state)
{
	uint64_t how = model_random(state);
	uint32_t groups = 1u << (how & 7) % 6, mine[32];
	for (int i = 0; i < 32; i++) {
		uint64_t random = model_random(state), more = model_random(state);
		mine[i] = (uint32_t)random % groups;
		warp[i].value =
			how & 64 ? (uint32_t)(random >> 32) : (uint32_t)(more & (how & 128 ? 3 : 0));
		warp[i].wide = how & 256 ? (uint32_t)(more >> 40 & 1) : 0;
		warp[i].by = (uint32_t)(more >> 8) & (how & 512 ? 31 : 3);
		warp[i].clamp = (uint32_t)(how & 1024 ? more >> 16 & 0x1f1f : how & 2048 ? 0x1f : 0x1807);
		bool holds = how & 4096 ? more >> 30 & 1 : how & 8192;
		bool late = how & 16384 && more >> 31 & 1, exits = how & 32768 && (more >> 32 & 7) == 0;
		warp[i].flags = (holds ? HOLDS : 0) | (late ? LATE : 0) | (exits ? EXITS : 0);
	}
	for (int i = 0; i < 32; i++) {
		warp[i].members = 0;
		for (int k = 0; k < 32; k++)
			warp[i].members |= (uint32_t)(mine[k] == mine[i]) << k;
	}
}

/* The non-exited threads of the lane's membermask. */
static uint32_t over(const struct input *warp, int lane)
{
	uint32_t lanes = 0;
	for (int k = 0; k < 32; k++)
		lanes |= (uint32_t)(warp[lane].members >> k & 1 && !(warp[k].flags & EXITS)) << k;
	return lanes;
}

static uint32_t same(const struct input *warp, int lane, bool wide)
{
	uint32_t lanes = 0;
	for (int k = 0; k < 32; k++)
		lanes |= (uint32_t)(warp[k].value == warp[lane].value &&
							(!wide || warp[k].wide == warp[lane].wide))
				 << k;
	return lanes;
}

static uint32_t reduced(const struct input *warp, uint32_t lanes, int operation)
{
	uint32_t sum = 0, all = UINT32_MAX, any = 0, parity = 0, least = UINT32_MAX, most = 0;
	int32_t low = INT32_MAX, high = INT32_MIN;
	for (int k = 0; k < 32; k++) {
		uint32_t value = warp[k].value;
		if (!(lanes >> k & 1))
			continue;
		sum += value;
		all &= value;
		any |= value;
		parity ^= value;
		least = value < least ? value : least;
		most = value > most ? value : most;
		low = (int32_t)value < low ? (int32_t)value : low;
		high = (int32_t)value > high ? (int32_t)value : high;
	}
	const uint32_t results[] = {sum, least, most, (uint32_t)low, (uint32_t)high, all, any, parity};
	return results[operation];
}

/* The source lane of shfl.sync, as the ISA's own pseudocode has it, and its predicate. */
static int source(const struct input *warp, int lane, int mode, bool *valid)
{
	int by = (int)(warp[lane].by & 31), clamp = (int)(warp[lane].clamp & 31);
	int segment = (int)(warp[lane].clamp >> 8 & 31);
	int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
	int from = mode == 0   ? lane - by
			   : mode == 1 ? lane + by
			   : mode == 2 ? lane ^ by
						   : (least | (by & ~segment));
	*valid = mode == 0 ? from >= most : from <= most;
	return *valid ? from : lane;
}

/* What the lane gets; false: the ISA leaves it open. */
static bool expected(const struct input *warp, int lane, size_t row, uint32_t *result)
{
	uint32_t lanes = over(warp, lane), holding = 0;
	for (int k = 0; k < 32; k++)
		holding |= (uint32_t)(lanes >> k & 1 && warp[k].flags & HOLDS) << k;
	bool valid, all = !(lanes & ~same(warp, lane, row == MATCH_ALL_64));
	if (row >= SHFL && row < ELECT) {
		int from = source(warp, lane, (int)(row - SHFL) / 2, &valid);
		*result = (row - SHFL) % 2 ? valid : warp[from & 31].value;
		return (row - SHFL) % 2 || lanes >> from & 1;
	}
	switch (row) {
	case ALL: *result = holding == lanes; break;
	case ANY: *result = holding != 0; break;
	case UNI: *result = holding == lanes || holding == 0; break;
	case BALLOT: *result = holding; break;
	case MATCH_ANY: *result = lanes & same(warp, lane, false); break;
	case MATCH_ANY_64: *result = lanes & same(warp, lane, true); break;
	case MATCH_ALL: *result = all ? lanes : 0; break;
	case MATCH_ALL_64: *result = all; break;
	default: *result = reduced(warp, lanes, (int)row - REDUX); break;
	}
	return true;
}

/* elect.sync: which lane is open; one of the group's. */
static void compare_elected(struct model_differences *all, const struct input *warp,
							const uint32_t *out, int lane)
{
	uint32_t lanes = over(warp, lane), elected = 0;
	for (int k = 0; k < 32; k++)
		elected += lanes >> k & 1 ? out[k] : 0;
	model_compare(all, elected == 1, "elect.sync of %x: %u lanes", lanes, elected);
}

static size_t members_differ(const void *from, const void *results, size_t *compared, char *said,
							 size_t size)
{
	const struct input *in = from;
	const uint32_t *out = results;
	struct model_differences all = {.said = said, .size = size};
	for (size_t at = 0; at < ROWS * THREADS; at++) {
		size_t row = at / THREADS, thread = at % THREADS;
		const struct input *warp = in + thread / 32 * 32;
		int lane = (int)(thread % 32);
		uint32_t wanted;
		if (warp[lane].flags & EXITS)
			continue;
		if (row == ELECT)
			compare_elected(&all, warp, out + at / 32 * 32, lane);
		else if (expected(warp, lane, row, &wanted))
			model_compare(&all, out[at] == wanted,
						  "%s lane %d of warp %zu, members %x: %x, expected %x", table[row].ptx,
						  lane, thread / 32, warp[lane].members, out[at], wanted);
	}
	*compared = all.compared;
	return all.differ;
}

static void members_draw(void *in)
{
	uint64_t state = 44;
	for (int i = 0; i < WARPS; i++)
		draw((struct input *)in + 32 * i, &state);
}

static size_t members_in(void)
{
	return THREADS * sizeof(struct input);
}

static size_t members_out(void)
{
	return ROWS * THREADS * sizeof(uint32_t);
}

const struct model_suite model_members = {"members",   THREADS / BLOCK, BLOCK,        members_in,
										  members_out, members_kernel,  members_draw, NULL,
										  NULL,        members_differ};
