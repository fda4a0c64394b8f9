/* links: emulator_core */
/* What names its member mask (vote, match, redux, shfl, elect), on random masks and values, against
 * a model that is written after the PTX ISA: 9.7.13 vote.sync, match.sync, redux.sync, elect.sync,
 * and 9.7.9 shfl.sync. The lanes of a warp are dealt to groups with a mask each; some come late,
 * and some have exited, which masks name all the same. */
#include "exec_fixture.h"

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

static const char *kernel(char *ptx, size_t size)
{
	char body[8192];
	size_t used = (size_t)snprintf(
		body, sizeof body,
		"mov.u32 %%r1, %%ctaid.x; mad.lo.u32 %%r1, %%r1, %d, %%t; mul.wide.u32 %%d1, %%r1, %zu;\n"
		"add.s64 %%d1, %%in, %%d1; mul.wide.u32 %%d2, %%r1, 4; add.s64 %%d2, %%out, %%d2;\n"
		"ld.global.u32 %%r20, [%%d1]; ld.global.u32 %%r21, [%%d1+4]; ld.global.u32 %%r2, "
		"[%%d1+8];\n"
		"ld.global.u32 %%r22, [%%d1+12]; ld.global.u32 %%r23, [%%d1+16];\n"
		"ld.global.u32 %%r24, [%%d1+20]; mov.b64 %%d5, {%%r21, %%r2};\n"
		"and.b32 %%r3, %%r24, 1; setp.ne.u32 %%p1, %%r3, 0;\n"
		"and.b32 %%r3, %%r24, 2; setp.ne.u32 %%p3, %%r3, 0;\n"
		"and.b32 %%r3, %%r24, 4; setp.ne.u32 %%p4, %%r3, 0; @%%p4 exit;\n",
		BLOCK, sizeof(struct input));
	for (size_t row = 0; row < ROWS; row++)
		used += (size_t)snprintf(
			body + used, sizeof body - used,
			/* late lanes come back from further down */
			"@%%p3 bra $late%zu;\n$on%zu: %s\n%s st.global.u32 [%%d2+%zu], %%r0;\n", row, row,
			table[row].ptx, table[row].predicate ? "selp.u32 %r0, 1, 0, %p2;" : "",
			row * THREADS * 4);
	used += (size_t)snprintf(body + used, sizeof body - used, "ret;\n");
	for (size_t row = 0; row < ROWS; row++)
		used +=
			(size_t)snprintf(body + used, sizeof body - used, "$late%zu: bra $on%zu;\n", row, row);
	cr_assert(used < sizeof body);
	return fixture_kernel(ptx, size, body);
}

/* One warp's lanes: groups, values that are often equal, predicates that often agree. */
static void draw(struct input *warp, uint64_t *state)
{
	uint64_t how = fixture_random(state);
	uint32_t groups = 1u << (how & 7) % 6, mine[32];
	for (int i = 0; i < 32; i++) {
		uint64_t random = fixture_random(state), more = fixture_random(state);
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
	case ELECT: *result = lane == __builtin_ctz(lanes); break; /* ours: the ISA leaves open which */
	default: *result = reduced(warp, lanes, (int)row - REDUX); break;
	}
	return true;
}

static size_t compare(const struct input *in, const uint32_t *out)
{
	size_t compared = 0;
	for (size_t at = 0; at < ROWS * THREADS; at++) {
		size_t row = at / THREADS, thread = at % THREADS;
		const struct input *warp = in + thread / 32 * 32;
		int lane = (int)(thread % 32);
		uint32_t wanted;
		if (warp[lane].flags & EXITS || !expected(warp, lane, row, &wanted))
			continue;
		compared++;
		cr_assert_eq(out[at], wanted, "%s lane %d of warp %zu, members %x: %x, expected %x",
					 table[row].ptx, lane, thread / 32, warp[lane].members, out[at], wanted);
	}
	return compared;
}

Test(exec_members, random_masks_and_values)
{
	static struct input in[THREADS];
	static uint32_t out[ROWS * THREADS];
	char ptx[16384];
	uint64_t state = 44;
	for (int i = 0; i < WARPS; i++)
		draw(in + 32 * i, &state);
	struct fixture_launch how = {.blocks = THREADS / BLOCK, .threads = BLOCK};
	fixture_expect(kernel(ptx, sizeof ptx), how, in, sizeof in, out, sizeof out);
	cr_assert_gt(compare(in, out), ROWS * THREADS * 3 / 4);
}

/* ------------------------------------------------------------------------ */

#define STORE "mul.wide.u32 %d1, %t, 4; add.s64 %d1, %out, %d1; st.global.u32 [%d1], %r0;\n"

/* Lanes 0 to 7 meet by a mask of their own, while lane 9, of another mask, is not there yet: lane 8
 * must not pass with them. */
Test(exec_members, syncwarp_waits_for_the_members_of_each_lane)
{
	uint32_t out[32];
	fixture_expect(
		FIXTURE_KERNEL(".shared .b32 s; setp.eq.u32 %p1, %t, 9; setp.eq.u32 %p2, %t, 8;\n"
					   "setp.lt.u32 %p3, %t, 8; selp.u32 %r1, 0xff, 0xffffff00, %p3;\n"
					   "@%p2 st.shared.u32 [s], 1; bar.warp.sync -1; @%p1 bra $late;\n"
					   "$meet: bar.warp.sync %r1; ld.shared.u32 %r0, [s];\n" STORE "ret;\n"
					   "$late: st.shared.u32 [s], 2; bra $meet;\n"),
		(struct fixture_launch){0}, NULL, 0, out, sizeof out);
	cr_assert_eq(out[8], 2);
}

/* Shared memory that nothing wrote is read by lane 16, whose tile is not stored: the other tiles
 * vote without it. */
Test(exec_members, undefined_values_stay_in_their_tile)
{
	uint32_t out[32];
	static const char ptx[] = FIXTURE_KERNEL(
		".shared .b8 s[128]; mov.u32 %r9, s; shl.b32 %r8, %t, 2; add.u32 %r8, %r8, %r9;\n"
		"setp.ne.u32 %p1, %t, 16; @%p1 st.shared.u32 [%r8], %t; ld.shared.u32 %r5, [%r8];\n"
		"and.b32 %r1, %t, 24; shl.b32 %r1, 0xff, %r1; redux.sync.add.u32 %r0, %r5, %r1;\n"
		"and.b32 %r2, %t, 24; setp.eq.u32 %p2, %r2, 16; @%p2 bra $end;\n" STORE "$end:\n");
	fixture_expect(ptx, (struct fixture_launch){0}, NULL, 0, out, sizeof out);
	cr_assert_eq(out[3], 28);
	cr_assert_eq(out[31], 220);
	fixture_expect_fault(
		FIXTURE_KERNEL(
			".shared .b8 s[128]; mov.u32 %r9, s; shl.b32 %r8, %t, 2; add.u32 %r8, %r8, %r9;\n"
			"setp.ne.u32 %p1, %t, 16; @%p1 st.shared.u32 [%r8], %t; ld.shared.u32 %r5, [%r8];\n"
			"and.b32 %r1, %t, 24; shl.b32 %r1, 0xff, %r1; redux.sync.add.u32 %r0, %r5, "
			"%r1;\n" STORE),
		(struct fixture_launch){0}, FAULT_UNINITIALISED, "nothing wrote");
}
