/* The shapes of generated cases. */
#include "testcases/derive.h"
#include "testcases/draw.h"
#include "testcases/rules.h"

static int clamp(struct draw_limits limits, int size)
{
	return size < limits.low ? limits.low : size > limits.high ? limits.high : size;
}

/* Any size: half of the time uniform, half of the time one whose order of
 * magnitude is uniform, so that small sizes are as common as large ones. The
 * second kind picks a power of two and a place within its octave: integers only,
 * because pow() differs between C libraries. */
static int size_any(struct draws *draws, struct draw_limits limits)
{
	if (draw_below(draws, 2) == 0)
		return draw_between(draws, limits.low, limits.high);
	int octaves = 0;
	while (limits.low << (octaves + 1) <= limits.high)
		octaves++;
	int start = limits.low << draw_below(draws, octaves + 1);
	int end = 2 * start - 1 > limits.high ? limits.high : 2 * start - 1;
	return draw_between(draws, start, end);
}

static int size_of_multiple(struct draw_limits limits, int multiple, int size)
{
	struct draw_limits multiples = {(limits.low + multiple - 1) / multiple, limits.high / multiple};
	return clamp(multiples, (size + multiple / 2) / multiple) * multiple;
}

static bool is_prime(int n)
{
	if (n < 4)
		return n > 1;
	for (int d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return true;
}

static int size_prime(struct draws *draws, struct draw_limits limits)
{
	int size = size_any(draws, limits);
	for (int down = size; down >= limits.low; down--)
		if (is_prime(down))
			return down;
	return size;
}

static int size_aligned(struct draws *draws, struct draw_limits limits)
{
	static const int steps[] = {8, 16, 64, 128};
	int step = steps[draw_below(draws, 4)];
	int size = size_any(draws, limits) / step * step;
	while (size < limits.low)
		size += step;
	return clamp(limits, size);
}

static int size_one_off(struct draws *draws, struct draw_limits limits)
{
	int off = draw_below(draws, 2) == 0 ? -1 : 1;
	int size = size_aligned(draws, limits);
	return clamp(limits, size + off < limits.low ? size + 1 : size + off);
}

static int size_limit(struct draws *draws, struct draw_limits limits)
{
	return draw_below(draws, 2) == 0 ? limits.low : limits.high;
}

static int size_ragged(struct draws *draws, struct draw_limits limits)
{
	switch (draw_below(draws, 4)) {
	case 0: return size_prime(draws, limits);
	case 1: return size_one_off(draws, limits);
	default: return size_any(draws, limits);
	}
}

static int size_mixed(struct draws *draws, struct draw_limits limits)
{
	return draw_below(draws, 2) == 0 ? size_aligned(draws, limits) : size_ragged(draws, limits);
}

/* The small and the large sizes of a skinny case. */
static struct draw_limits limits_small(struct draw_limits limits)
{
	int high = limits.low + (limits.high - limits.low) / 16 + 16;
	return (struct draw_limits){limits.low, high < limits.high ? high : limits.high};
}

static struct draw_limits limits_large(struct draw_limits limits)
{
	return (struct draw_limits){limits.low + (limits.high - limits.low) / 2, limits.high};
}

enum family {
	FAMILY_SQUARE_ALIGNED,
	FAMILY_SQUARE_RAGGED,
	FAMILY_ALIGNED,
	FAMILY_RAGGED,
	FAMILY_ONE_OFF,
	FAMILY_PRIME,
	FAMILY_MIXED,
	FAMILY_LIMITS,
	FAMILY_LARGE_N,
	FAMILY_LARGE_K,
	FAMILY_FLAT,
};

/* Consecutive cases walk through this table from a place that the seed chooses,
 * so that a dozen cases hold every family. */
static const enum family families[DRAW_FAMILIES] = {
	FAMILY_RAGGED,  FAMILY_ALIGNED, FAMILY_LARGE_K, FAMILY_SQUARE_RAGGED,
	FAMILY_MIXED,   FAMILY_LIMITS,  FAMILY_ONE_OFF, FAMILY_SQUARE_ALIGNED,
	FAMILY_LARGE_N, FAMILY_RAGGED,  FAMILY_FLAT,    FAMILY_PRIME,
};

typedef int draw_size(struct draws *draws, struct draw_limits limits);

/* Each by its own function. */
static void draw_apart(struct draws *draws, const struct draw_all_limits *all, draw_size *draw,
					   int out[SIZES_MAX])
{
	for (int i = 0; i < all->count; i++)
		out[i] = draw(draws, all->of[i]);
}

static void draw_square(struct draws *draws, const struct draw_all_limits *all, draw_size *draw,
						int out[SIZES_MAX])
{
	int size = draw(draws, all->of[0]);
	for (int i = 0; i < all->count; i++)
		out[i] = clamp(all->of[i], size);
}

/* large[i]: the upper half of its limits, else the small sizes. */
static void draw_skinny(struct draws *draws, const struct draw_all_limits *all,
						const bool large[CASE_DIMENSIONS], int out[SIZES_MAX])
{
	for (int i = 0; i < all->count; i++)
		out[i] = size_mixed(draws, large[i % CASE_DIMENSIONS] ? limits_large(all->of[i])
															  : limits_small(all->of[i]));
}

static void draw_family(struct draws *draws, enum family family, const struct draw_all_limits *all,
						int out[SIZES_MAX])
{
	switch (family) {
	case FAMILY_SQUARE_ALIGNED: draw_square(draws, all, size_aligned, out); return;
	case FAMILY_SQUARE_RAGGED: draw_square(draws, all, size_ragged, out); return;
	case FAMILY_ALIGNED: draw_apart(draws, all, size_aligned, out); return;
	case FAMILY_RAGGED: draw_apart(draws, all, size_ragged, out); return;
	case FAMILY_ONE_OFF: draw_apart(draws, all, size_one_off, out); return;
	case FAMILY_PRIME: draw_apart(draws, all, size_prime, out); return;
	case FAMILY_MIXED: draw_apart(draws, all, size_mixed, out); return;
	case FAMILY_LIMITS: draw_apart(draws, all, size_limit, out); return;
	case FAMILY_LARGE_N: draw_skinny(draws, all, (bool[]){false, true, false}, out); return;
	case FAMILY_LARGE_K: draw_skinny(draws, all, (bool[]){false, false, true}, out); return;
	case FAMILY_FLAT: draw_skinny(draws, all, (bool[]){true, true, false}, out); return;
	}
}

/* ---- the first cases of a run: covering --------------------------------------------- */

/* What a covering case wants of one size. Solutions choose between code paths by multiples of 8,
 * 16, 32, 64 or 128, so that a multiple of 128 is one of all of them, and its neighbours of none.
 * In bytes, rows that are an odd multiple of 2, 4, 8 or 16 elements long have every alignment that
 * rows of a type can have.
 */
enum aim {
	AIM_ABOVE, /* the next size after a multiple of 128, */
	AIM_BELOW, /* and the one before */
	AIM_MULTIPLE,
	AIM_ODD,
	AIM_SMALLEST,
	AIM_LARGE, /* of any kind, in the last eighth of the limits */
	AIM_TWICE_ODD,
	AIM_4_TIMES_ODD,
	AIM_8_TIMES_ODD,
	AIM_16_TIMES_ODD,
};

/* In the order of turns (draw.h). */
static const enum aim coverings[DRAW_COVERINGS][CASE_DIMENSIONS] = {
	{AIM_ABOVE, AIM_ABOVE, AIM_ABOVE},
	{AIM_BELOW, AIM_BELOW, AIM_BELOW},
	{AIM_MULTIPLE, AIM_MULTIPLE, AIM_MULTIPLE},
	{AIM_MULTIPLE, AIM_ODD, AIM_ODD},
	{AIM_ODD, AIM_MULTIPLE, AIM_ODD},
	{AIM_ODD, AIM_ODD, AIM_MULTIPLE},
	{AIM_SMALLEST, AIM_LARGE, AIM_LARGE}, /* a row, or a column */
	{AIM_LARGE, AIM_LARGE, AIM_SMALLEST},
	{AIM_TWICE_ODD, AIM_TWICE_ODD, AIM_TWICE_ODD},
	{AIM_4_TIMES_ODD, AIM_4_TIMES_ODD, AIM_4_TIMES_ODD},
	{AIM_8_TIMES_ODD, AIM_8_TIMES_ODD, AIM_8_TIMES_ODD},
	{AIM_16_TIMES_ODD, AIM_16_TIMES_ODD, AIM_16_TIMES_ODD},
};

static int common_multiple(int a, int b)
{
	int multiple = a;
	while (multiple % b != 0)
		multiple += a;
	return multiple;
}

/* The sizes `off` beside multiples of `unit`, within limits. */
struct places {
	int first, count, unit;
};

static struct places places_beside(struct draw_limits limits, int unit, int off)
{
	int first = unit + off;
	if (first < limits.low)
		first += (limits.low - first + unit - 1) / unit * unit;
	int count = limits.high < first ? 0 : (limits.high - first) / unit + 1;
	return (struct places){first, count, unit};
}

#define UNIT_MOST 128

/* `off` beside multiples of the largest unit up to 128 that has `enough` places: `least` times a
 * power of two. */
static struct places places_of_largest(struct draw_limits limits, int least, int off, int enough)
{
	int unit = least;
	while (2 * unit <= UNIT_MOST)
		unit *= 2;
	while (unit > least && places_beside(limits, unit, off).count < enough)
		unit /= 2;
	return places_beside(limits, unit, off);
}

/* Odd multiples. Rows have to be longer than what is read of one at once (16 bytes are 32 codes of
 * 4 bits) for their alignment to matter. */
#define ROW_LONG 33
static struct places places_odd(struct draw_limits limits, int step, int low)
{
	struct draw_limits upper = {low > limits.low ? low : limits.low, limits.high};
	struct places places = places_beside(upper, 2 * step, -step);
	return places.count > 0 ? places : places_beside(limits, 2 * step, -step);
}

/* All sizes are multiples of `step`. */
static struct places places_aimed(enum aim aim, struct draw_limits limits, int step)
{
	switch (aim) {
	case AIM_ABOVE: return places_of_largest(limits, 2 * step, step, CASE_DIMENSIONS);
	case AIM_BELOW: return places_of_largest(limits, 2 * step, -step, CASE_DIMENSIONS);
	case AIM_MULTIPLE: return places_of_largest(limits, step, 0, 1);
	case AIM_ODD: return places_odd(limits, step, 1);
	case AIM_TWICE_ODD: return places_odd(limits, common_multiple(step, 2), ROW_LONG);
	case AIM_4_TIMES_ODD: return places_odd(limits, common_multiple(step, 4), ROW_LONG);
	case AIM_8_TIMES_ODD: return places_odd(limits, common_multiple(step, 8), ROW_LONG);
	case AIM_16_TIMES_ODD: return places_odd(limits, common_multiple(step, 16), ROW_LONG);
	case AIM_SMALLEST:
	case AIM_LARGE: break;
	}
	return (struct places){0};
}

/* The place next to any size, and none of `others` where there is another. */
static int size_at_place(struct draws *draws, struct draw_limits limits, struct places places,
						 const int *others, int other_count)
{
	struct draw_limits indices = {0, places.count - 1};
	int size = size_any(draws, limits) - places.first + places.unit / 2;
	int index = clamp(indices, size < 0 ? 0 : size / places.unit);
	for (int i = 0; i < other_count; i++)
		for (int j = 0; j < other_count; j++)
			if (others[j] == places.first + index * places.unit)
				index = (index + 1) % places.count;
	return places.first + index * places.unit;
}

/* `out` holds the sizes that were drawn before. */
static int size_aimed(struct draws *draws, enum aim aim, struct draw_limits limits, int step,
					  const int *out, int drawn)
{
	struct places places = places_aimed(aim, limits, step);
	if (places.count > 0)
		return size_at_place(draws, limits, places, out, aim == AIM_MULTIPLE ? 0 : drawn);
	if (aim != AIM_LARGE)
		return limits.low;
	limits.low = limits.high - (limits.high - limits.low) / 8;
	return size_mixed(draws, limits);
}

/* What sizes of this dimension are multiples of. */
static int step_of(const struct problem *problem, enum size size, int multiple)
{
	const struct problem_size *row = problem_size_of(problem, size);
	return row != NULL && row->multiple > 1 ? common_multiple(row->multiple, multiple) : multiple;
}

static void draw_covering(struct draws *draws, const struct problem *problem,
						  const enum aim aims[CASE_DIMENSIONS], const struct draw_all_limits *all,
						  int multiple, int out[SIZES_MAX])
{
	const struct problem_size *rows = problem_size_of(problem, all->size[0]);
	const struct problem_size *columns = problem_size_of(problem, all->size[1]);
	bool both = all->count > 1 && columns != NULL && columns != rows;
	bool exchanged = aims[0] == AIM_SMALLEST && both && draw_below(draws, 2) == 0;
	for (int i = 0; i < all->count; i++) {
		int part = i % CASE_DIMENSIONS, others = i < CASE_DIMENSIONS ? i : CASE_DIMENSIONS - 1;
		out[i] = size_aimed(draws, aims[exchanged && part < 2 ? 1 - part : part], all->of[i],
							step_of(problem, all->size[i], multiple), out + i - others, others);
	}
}

/* Mostly below the common size, of the problem or of a size by itself, where there is one. */
static struct draw_all_limits limits_common(struct draws *draws, const struct problem *problem,
											struct draw_all_limits all)
{
	int commons[SIZES_MAX], any = problem->common;
	for (int i = 0; i < all.count; i++) {
		commons[i] = problem->file == NULL ? problem->common
										   : problem->rules->sizes[all.size[i] - SIZE_NAMED].common;
		any |= commons[i];
	}
	bool rare = any == 0 || draw_below(draws, 8) == 0;
	for (int i = 0; i < all.count && !rare; i++)
		if (commons[i] > 0 && commons[i] < all.of[i].high)
			all.of[i].high = commons[i] > all.of[i].low ? commons[i] : all.of[i].low;
	return all;
}

/* One in two is small; all terms are no more than those of the largest product. */
static int draw_batch(struct draws *draws, const struct problem *problem, const struct shape *shape,
					  int max_dim)
{
	const struct problem_size *size = problem_size_of(problem, SIZE_BATCH);
	int largest = case_largest(problem);
	double side = max_dim < largest ? max_dim : largest;
	double room = side * side * side / shape_terms(shape);
	struct draw_limits limits = {size->min, size->max};
	if (room < limits.high)
		limits.high = room < limits.low ? limits.low : (int)room;
	return size_any(draws, limits);
}

/* A power of two, each as likely; K becomes a multiple of it, and stays one of `multiple`. */
static void draw_group(struct draws *draws, const struct problem *problem, struct shape *shape,
					   int multiple)
{
	const struct problem_size *size = problem_size_of(problem, SIZE_GROUP);
	int k = shape->size[SIZE_K], orders = 1;
	while (size->min << orders <= size->max)
		orders++;
	int group = size->min << draw_below(draws, orders);
	/* mostly two groups or more, as with one there is none to confuse it with */
	int most = draw_below(draws, 4) == 0 ? k : k / 2;
	while (group > most && group > size->min)
		group /= 2;
	if (common_multiple(group, multiple) > k)
		group = size->min;
	int step = common_multiple(group, multiple);
	shape->size[SIZE_GROUP] = group;
	shape->size[SIZE_K] = k < step ? step : k / step * step;
}

/* A power of two that divides K, which stays as it is. */
static void draw_dividing_group(struct draws *draws, const struct problem *problem,
								struct shape *shape)
{
	const struct problem_size *size = problem_size_of(problem, SIZE_GROUP);
	int k = shape->size[SIZE_K], powers = 0;
	while (size->min << (powers + 1) <= size->max && k % (size->min << (powers + 1)) == 0)
		powers++;
	shape->size[SIZE_GROUP] = size->min << draw_below(draws, powers + 1);
}

/* Sizes of M, N and K's kind, in the order of `all`. */
static void draw_sizes(struct draws *draws, const struct problem *problem, enum case_sizes sizes,
					   size_t turn, const struct draw_all_limits *all, int multiple,
					   int drawn[SIZES_MAX])
{
	const enum aim *covering = sizes == CASE_SIZES_MIXED && turn >= DRAW_FAMILIES
								   ? coverings[(turn - DRAW_FAMILIES) % DRAW_COVERINGS]
								   : NULL;
	if (sizes == CASE_SIZES_UNIFORM) {
		for (int i = 0; i < all->count; i++)
			drawn[i] = draw_between(draws, all->of[i].low, all->of[i].high);
	} else {
		struct draw_all_limits common = limits_common(draws, problem, *all);
		if (covering != NULL)
			draw_covering(draws, problem, covering, &common, multiple, drawn);
		else
			draw_family(draws, families[turn % DRAW_FAMILIES], &common, drawn);
	}
	for (int i = 0; i < all->count; i++) {
		bool own = covering != NULL || multiple <= 1 || problem->file != NULL;
		int step = own ? step_of(problem, all->size[i], multiple)
					   : multiple; /* the group brings what the problem wants */
		if (step > 1)
			drawn[i] = size_of_multiple(all->of[i], step, drawn[i]);
	}
}

/* ---- problems of files ------------------------------------------------------------------- */

/* Within what the sizes before it allow: those that others depend on come first in rounds. */
static void settle_named(const struct problem *problem, int32_t named[SIZES_MAX])
{
	for (int round = 0; round < SIZES_MAX; round++)
		for (int i = 0; i < SIZES_MAX && problem->sizes[i].name != NULL; i++) {
			const struct size_rules *rules = &problem->rules->sizes[i];
			int low = problem->sizes[i].min, step = problem->sizes[i].multiple;
			for (int j = 0; j < SIZE_LIMITS_MAX && rules->at_most[j] >= 0; j++)
				if (named[i] > named[rules->at_most[j]]) /* half, so that the two differ */
					named[i] = (named[rules->at_most[j]] + 1) / 2;
			if (rules->multiple_of >= 0)
				step = named[rules->multiple_of];
			if (step > 1)
				named[i] = named[i] / step * step;
			if (named[i] < low)
				named[i] = step > 1 ? (low + step - 1) / step * step : low;
		}
}

void draw_settle(const struct problem *problem, struct shape *shape)
{
	settle_named(problem, &shape->size[SIZE_NAMED]);
	shape_derive(problem, shape);
}

/* How far fit_work() may cut a size. Of one head of K, or of as many as of Q, nobody takes the
 * wrong one: where a draw has several, and several times as many, it keeps two and twice as many.
 */
static int32_t floor_of(const struct problem *problem, const int32_t named[SIZES_MAX], int size,
						int32_t low)
{
	const struct size_rules *rules = &problem->rules->sizes[size];
	int32_t telling = low;
	if (rules->uniform)
		telling = 2;
	else if (rules->multiple_of >= 0 && named[size] >= 2 * named[rules->multiple_of])
		telling = 2 * named[rules->multiple_of];
	return low > telling ? low : telling;
}

/* What a run has room for: the terms of the largest product. Where a draw has more, sizes that are
 * no extent are cut to half, then its largest extents, which leaves them of their kind of alignment
 * mostly. */
static void fit_work(const struct problem *problem, int max_dim, struct shape *shape)
{
	struct draw_all_limits all = draw_limits_of(problem, max_dim);
	double side = max_dim < DRAW_SIDE_MOST ? max_dim : DRAW_SIDE_MOST;
	int32_t *named = &shape->size[SIZE_NAMED];
	shape_derive(problem, shape);
	while (shape_terms(shape) > side * side * side) {
		int cut = -1;
		int32_t least = 0;
		for (int i = 0; i < SIZES_MAX && problem->sizes[i].name != NULL && cut < 0; i++)
			if (problem->rules->sizes[i].uniform) {
				least = floor_of(problem, named, i, problem->sizes[i].min);
				cut = named[i] > least ? i : -1;
			}
		bool extent = cut < 0;
		for (int i = 0; i < all.count && extent; i++) {
			int size = all.size[i] - SIZE_NAMED;
			int32_t low = floor_of(problem, named, size, all.of[i].low);
			if (named[size] > low && (cut < 0 || named[size] > named[cut])) {
				cut = size;
				least = low;
			}
		}
		if (cut < 0)
			return;
		int32_t before = named[cut], half = before / 2 | (extent ? before & 1 : 0);
		named[cut] = half > least ? half : least;
		int unit = problem->rules->sizes[cut].multiple_of;
		if (unit >= 0 && named[unit] > named[cut]) /* what it is a multiple of would raise it */
			named[unit] = named[cut];
		draw_settle(problem, shape);
		if (named[cut] >= before)
			return;
	}
}

static struct shape draw_named(struct draws *draws, const struct problem *problem,
							   enum case_sizes sizes, size_t turn, int max_dim, int multiple)
{
	struct draw_all_limits all = draw_limits_of(problem, max_dim);
	int drawn[SIZES_MAX] = {0};
	struct shape shape = SHAPE_OF_ONES;
	draw_sizes(draws, problem, sizes, turn, &all, multiple, drawn);
	for (int i = 0; i < all.count; i++)
		shape.size[all.size[i]] = drawn[i];
	for (int i = 0; problem->sizes[i].name != NULL; i++) {
		const struct size_rules *rules = &problem->rules->sizes[i];
		struct draw_limits limits = {problem->sizes[i].min, problem->sizes[i].max};
		for (int j = 0; j < SIZE_LIMITS_MAX && rules->at_most[j] >= 0; j++)
			if (shape.size[SIZE_NAMED + rules->at_most[j]] < limits.high)
				limits.high = shape.size[SIZE_NAMED + rules->at_most[j]];
		bool divides =
			rules->at_most[0] >= 0 && problem->rules->sizes[rules->at_most[0]].multiple_of == i;
		if (rules->uniform &&
			divides) { /* mostly a part: of one alone nobody takes the wrong one */
			int part = limits.high / draw_between(draws, 1, 8);
			shape.size[SIZE_NAMED + i] = part > limits.low ? part : limits.low;
		} else if (rules->uniform) {
			shape.size[SIZE_NAMED + i] = draw_between(draws, limits.low, limits.high);
		}
	}
	settle_named(problem, &shape.size[SIZE_NAMED]);
	fit_work(problem, max_dim, &shape);
	return shape;
}

struct shape draw_shape(struct draws *draws, const struct problem *problem, enum case_sizes sizes,
						size_t turn, int max_dim, int multiple)
{
	if (problem->file != NULL)
		return draw_named(draws, problem, sizes, turn, max_dim, multiple);
	int drawn[SIZES_MAX] = {0};
	struct draw_all_limits all = draw_limits_of(problem, max_dim);
	struct shape shape = SHAPE_OF_ONES;
	draw_sizes(draws, problem, sizes, turn, &all, multiple, drawn);
	for (int i = 0; i < CASE_DIMENSIONS; i++) {
		const struct problem_size *size = problem_size_of(problem, case_dimensions[i]);
		bool again = i > 0 && size == problem_size_of(problem, SIZE_M); /* one size is all three */
		if (size != NULL)
			shape.size[case_dimensions[i]] = again ? drawn[0] : drawn[i];
	}
	if (problem_size_of(problem, SIZE_BATCH) != NULL)
		shape.size[SIZE_BATCH] = draw_batch(draws, problem, &shape, max_dim);
	if (problem_size_of(problem, SIZE_GROUP) == NULL)
		return shape;
	if (sizes == CASE_SIZES_MIXED && turn >= DRAW_FAMILIES)
		draw_dividing_group(draws, problem, &shape);
	else
		draw_group(draws, problem, &shape, multiple);
	return shape;
}
