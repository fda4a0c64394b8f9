/* Of which sizes the failing cases are, and the accepted ones are not: two sizes that differ, one
 * below another, no multiple of a tile, above all that are right. */
#include "judge/hints/explanation.h"
#include "judge/hints/sides.h"

#include <stdio.h>
#include <string.h>

/* Of so many ways to choose the failing cases among all, one is left to chance. */
#define WAYS_OF_EQUAL 10
#define WAYS_OF_ORDER 60

/* The sizes that are looked at, in this order: K, N and M, or of a problem of a file those by name.
 * SIZE_COUNT behind the last. */
static enum size size_at(const struct problem *problem, size_t i)
{
	static const enum size sizes[] = {SIZE_K, SIZE_N, SIZE_M, SIZE_COUNT};
	if (problem->file == NULL)
		return sizes[i];
	return problem->sizes[i].name == NULL ? SIZE_COUNT : (enum size)(SIZE_NAMED + i);
}
#define EACH_SIZE(one, problem, i)                                                                 \
	for (enum size one; (one = size_at(problem, i)) != SIZE_COUNT; i++)

/* In how many ways so many cases can be those that fail. */
static double ways(struct hint_sides sides)
{
	double out = 1;
	for (size_t i = 1; i <= sides.failing; i++)
		out *= (double)(sides.right + i) / (double)i;
	return out;
}

/* Whether there are two of each, and more ways than one would be left to chance. */
static bool are_enough(struct hint_sides sides, double least)
{
	return sides.failing >= 2 && sides.right >= 2 && ways(sides) >= least;
}

/* ---- two sizes ---------------------------------------------------------------------------- */

/* Numbers of traits of two sizes. */
static int32_t pair_of(enum size one, enum size other)
{
	return (int32_t)one * SIZE_COUNT + (int32_t)other;
}

static bool differ(const struct problem *problem, const struct test_case *test, int32_t pair)
{
	(void)problem;
	return test->shape.size[pair / SIZE_COUNT] != test->shape.size[pair % SIZE_COUNT];
}

static bool is_below(const struct problem *problem, const struct test_case *test, int32_t pair)
{
	(void)problem;
	return test->shape.size[pair / SIZE_COUNT] < test->shape.size[pair % SIZE_COUNT];
}

static bool not_square(const struct problem *problem, const struct test_case *test, int32_t number)
{
	(void)number;
	if (problem->file != NULL) /* no sizes belong together */
		return true;
	return differ(problem, test, pair_of(SIZE_M, SIZE_N)) ||
		   differ(problem, test, pair_of(SIZE_N, SIZE_K));
}

/* Whether the problem has both, as sizes of their own. */
static bool are_two(const struct problem *problem, enum size one, enum size other)
{
	const struct problem_size *a = problem_size_of(problem, one);
	const struct problem_size *b = problem_size_of(problem, other);
	return a != NULL && b != NULL && a != b;
}

/* Two sizes that differ in all failing cases and in no accepted one, though a fault may make a part
 * of what is wrong; where accepted ones have all three equal, it could be any two. */
static bool find_exchanged(const struct hint_context *facts, enum size *one, enum size *other)
{
	if (explanation_of(facts).count > 0 || hint_sides_of(facts, not_square, 0).right_with == 0)
		return false;
	size_t i = 0, j;
	EACH_SIZE(first, facts->problem, i)
	{
		j = i + 1;
		EACH_SIZE(second, facts->problem, j)
		{
			int32_t pair = pair_of(first, second);
			*one = first;
			*other = second;
			if (are_two(facts->problem, *one, *other) && hint_parts_all(facts, differ, pair) &&
				are_enough(hint_sides_of(facts, differ, pair), WAYS_OF_EQUAL))
				return true;
		}
	}
	return false;
}

/* "A is M x K, B is K x N, C is M x N" */
static void say_extents(const struct hint_context *facts, char out[EXPLANATION_TEXT])
{
	problem_explain(facts->problem, out);
	char *behind = strstr(out, ", row-major"); /* what is said of all operands, and more */
	if (behind != NULL)
		*behind = '\0';
}

bool hint_may_be_exchanged(const struct hint_context *facts, enum size one, enum size other)
{
	struct hint_context asked = *facts;
	asked.claim = NULL;
	return are_two(facts->problem, one, other) && explanation_of(facts).count == 0 &&
		   hint_parts_all(&asked, differ, pair_of(one, other));
}

static bool is_proved(const struct hint_context *facts)
{
	return facts->judgement->exchanged[0] != facts->judgement->exchanged[1];
}

/* It was called so: cases/repeat.h. */
static bool right_exchanged(const struct hint_context *facts, struct strbuf *out)
{
	char explained[EXPLANATION_TEXT];
	const enum size *pair = facts->judgement->exchanged;
	if (!is_proved(facts))
		return false;
	say_extents(facts, explained);
	strbuf_setf(
		out,
		"solve() is right in the first failing case when it gets %s for %s and %s for %s: it "
		"takes the one for the other; here %s",
		hint_size(facts, pair[0]), hint_size(facts, pair[1]), hint_size(facts, pair[1]),
		hint_size(facts, pair[0]), explained);
	return true;
}

static bool exchanged(const struct hint_context *facts, struct strbuf *out)
{
	enum size one, other;
	char explained[EXPLANATION_TEXT];
	if (is_proved(facts) || !find_exchanged(facts, &one, &other))
		return false;
	struct hint_sides sides = hint_sides_of(facts, differ, pair_of(one, other));
	say_extents(facts, explained);
	strbuf_setf(
		out,
		"all %zu failing cases have %s other than %s, and none of the %zu accepted ones%s: is "
		"one of these two taken for the other, in an index, a loop or the grid? %s",
		sides.failing, hint_size(facts, one), hint_size(facts, other), sides.right, sides.aside,
		explained);
	return true;
}

static bool below(const struct hint_context *facts, struct strbuf *out)
{
	if (explanation_of(facts).count > 0 || is_proved(facts))
		return false;
	size_t i = 0, j;
	EACH_SIZE(first, facts->problem, i)
	{
		j = 0;
		EACH_SIZE(second, facts->problem, j)
		{
			int32_t pair = pair_of(first, second);
			struct hint_sides sides = hint_sides_of(facts, is_below, pair);
			if (i == j || !are_two(facts->problem, first, second) ||
				!are_enough(sides, WAYS_OF_ORDER) || !hint_parts_all(facts, is_below, pair))
				continue;
			const char *small = hint_size(facts, first), *great = hint_size(facts, second);
			strbuf_setf(
				out,
				"all %zu failing cases have %s below %s, and none of the %zu accepted ones%s: "
				"does a loop, a grid or a condition end at %s where %s is meant?",
				sides.failing, small, great, sides.right, sides.aside, small, great);
			return true;
		}
	}
	return false;
}

static bool only_not_square(const struct hint_context *facts, struct strbuf *out)
{
	char what[96];
	if (is_proved(facts) || !hint_parts(facts, not_square, 0))
		return false;
	snprintf(what, sizeof what, "a shape that is not square (%s, %s and %s are not all equal)",
			 hint_size(facts, SIZE_M), hint_size(facts, SIZE_N), hint_size(facts, SIZE_K));
	return hint_say_parts(facts, out, what);
}

/* Nothing is claimed by who only asks. */
bool hint_sizes_differ(const struct hint_context *facts)
{
	enum size one, other;
	struct hint_context asked = *facts;
	asked.claim = NULL;
	return is_proved(facts) || find_exchanged(&asked, &one, &other) ||
		   hint_parts(&asked, not_square, 0);
}

/* ---- multiples of a tile -----------------------------------------------------------------------
 */

#define TILE_MOST 256

/* Numbers of traits of a size and a tile. */
static int32_t tile_of(enum size size, int32_t tile)
{
	return tile * SIZE_COUNT + (int32_t)size;
}

static bool is_ragged(const struct problem *problem, const struct test_case *test, int32_t number)
{
	(void)problem;
	return test->shape.size[number % SIZE_COUNT] % (number / SIZE_COUNT) != 0;
}

/* The largest power of two of which every accepted case is a multiple. */
static int32_t tile_of_right(const struct hint_context *facts, enum size size)
{
	int32_t tile = 2;
	while (tile < TILE_MOST &&
		   hint_sides_of(facts, is_ragged, tile_of(size, tile * 2)).right_with == 0)
		tile *= 2;
	return tile;
}

/* "an odd K", "an M that is no multiple of 8" */
static void say_ragged(const char *name, int32_t tile, char out[96])
{
	if (tile == 2)
		snprintf(out, 96, "an odd %.40s", name);
	else
		snprintf(out, 96, "%s %.40s that is no multiple of %d",
				 name[0] == 'M' || name[0] == 'N' ? "an" : "a", name, tile);
}

/* How a sentence goes on of a size: elements beyond K are summed, unless they are 0. */
static const char *beyond_of(enum size size)
{
	return size == SIZE_K ? ": is what a tile holds beyond it set to 0, in both operands?" : "";
}

static bool ragged_of(const struct hint_context *facts, enum size size, int32_t tile,
					  struct strbuf *out)
{
	char what[96];
	const char *name = hint_size(facts, size);
	if (!hint_parts(facts, is_ragged, tile_of(size, tile)))
		return false;
	struct hint_sides sides = hint_sides_of(facts, is_ragged, tile_of(size, tile));
	int32_t right = tile_of_right(facts, size);
	say_ragged(name, tile, what);
	if (right > tile)
		strbuf_setf(out,
					"all %zu failing cases have %s, and all %zu accepted ones%s a multiple of %d%s",
					sides.failing, what, sides.right, sides.aside, right, beyond_of(size));
	else
		strbuf_setf(out, "all %zu failing cases have %s, and none of the %zu accepted ones%s%s",
					sides.failing, what, sides.right, sides.aside, beyond_of(size));
	return true;
}

static bool ragged(const struct hint_context *facts, struct strbuf *out)
{
	for (int32_t tile = 2; tile <= TILE_MOST; tile *= 2) {
		size_t i = 0;
		EACH_SIZE(size, facts->problem, i)
		{
			if (ragged_of(facts, size, tile, out))
				return true;
		}
	}
	return false;
}

/* ---- large ones --------------------------------------------------------------------------- */

/* The largest of all right cases, and the smallest of all failing ones. */
static void limits_of(const struct hint_context *facts, enum size size, int32_t *right_most,
					  int32_t *failing_least)
{
	*right_most = 0;
	*failing_least = INT32_MAX;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		int32_t here = result->test.shape.size[size];
		if (hint_case_right(result) && here > *right_most)
			*right_most = here;
		if (hint_case_failed(result) && here < *failing_least)
			*failing_least = here;
	}
}

static bool is_above(const struct problem *problem, const struct test_case *test, int32_t number)
{
	(void)problem;
	return test->shape.size[number % SIZE_COUNT] > number / SIZE_COUNT;
}

static bool large(const struct hint_context *facts, struct strbuf *out)
{
	size_t i = 0;
	EACH_SIZE(size, facts->problem, i)
	{
		int32_t right_most, failing_least;
		limits_of(facts, size, &right_most, &failing_least);
		if (failing_least <= right_most || !hint_parts(facts, is_above, tile_of(size, right_most)))
			continue;
		struct hint_sides sides = hint_sides_of(facts, is_above, tile_of(size, right_most));
		strbuf_setf(
			out,
			"all %zu failing cases have %s at %d or above, and all %zu accepted ones%s at %d or "
			"below",
			sides.failing, hint_size(facts, size), failing_least, sides.right, sides.aside,
			right_most);
		return true;
	}
	return false;
}

const struct hint_row hints_of_sizes[] = {
	{"right-exchanged", HINT_CAUSE, right_exchanged},
	{"exchanged", HINT_CAUSE, exchanged},
	{"ragged", HINT_PLACE, ragged},
	{"below", HINT_PLACE, below},
	{"large", HINT_PLACE, large},
	{"not-square", HINT_PLACE, only_not_square},
	{0},
};
