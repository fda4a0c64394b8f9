/* What the wrong elements are made by: the referee tried faults at them, and some fit. */
#include "judge/hints/explanation.h"

#include <stdio.h>
#include <string.h>

#include "judge/hints/integers.h"
#include "judge/hints/narrow_sums.h"

/* ---- sums that are too short --------------------------------------------------------- */

/* Whether each sum of the cases that fit ends at the last multiple of `tile`; tile 0: one product
 * before its end. */
static bool sums_end_at(const struct hint_context *facts, const struct explanation *explanation,
						int32_t tile)
{
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		int32_t k = result->test.shape.size[SIZE_K];
		if (explanation_has(result, explanation, FAULT_PRODUCTS_MISSING) &&
			result->wrong->summed != (tile == 0 ? k - 1 : k / tile * tile))
			return false;
	}
	return true;
}

/* Whether no product is missing there: the case is right, or the other one of two faults explains
 * it by itself. With alpha 0 it tells nothing. */
static bool sums_are_whole(const struct case_result *result, const struct explanation *explanation)
{
	bool other = explanation->count == 2 && explanation_holds(result, explanation) &&
				 !explanation_has(result, explanation, FAULT_PRODUCTS_MISSING);
	return hint_case_right(result) || (other && result->test.scalar[SCALAR_ALPHA] != 0);
}

/* Whether products are: of two faults, the case may have only the other one. */
static bool sums_are_short(const struct case_result *result, const struct explanation *explanation)
{
	return explanation->count == 2 ? explanation_has(result, explanation, FAULT_PRODUCTS_MISSING)
								   : hint_case_wrong(result);
}

/* Cases that speak against tiles of this size: their sums are whole though K is ragged, or short
 * though it is not. A tile of 0 stands for the last product, which every K has. */
static size_t against(const struct hint_context *facts, const struct explanation *explanation,
					  int32_t tile)
{
	size_t cases = 0;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		bool ragged = tile == 0 || result->test.shape.size[SIZE_K] % tile != 0;
		cases += ragged ? sums_are_whole(result, explanation) : sums_are_short(result, explanation);
	}
	return cases;
}

/* The most products of a sum that ends early, or of one that is `whole`. */
static int32_t longest_sum(const struct hint_context *facts, const struct explanation *explanation,
						   bool whole)
{
	int32_t longest = 0;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		int32_t k = 0;
		if (whole && sums_are_whole(result, explanation))
			k = result->test.shape.size[SIZE_K];
		else if (!whole && explanation_has(result, explanation, FAULT_PRODUCTS_MISSING))
			k = result->wrong->summed;
		longest = k > longest ? k : longest;
	}
	return longest;
}

/* The tile whose multiples the sums end at; of several the one that fewest cases speak against, and
 * of these the largest that some short sum has. One that is longer than every sum was never seen.
 * 0: there is none. */
static int32_t tile_of_sums(const struct hint_context *facts, const struct explanation *explanation)
{
	int32_t best = 0, longest = longest_sum(facts, explanation, false);
	int32_t whole = longest_sum(facts, explanation, true);
	for (int32_t tile = 2; tile <= 256 && (tile <= longest || tile <= whole); tile *= 2)
		if (sums_end_at(facts, explanation, tile) &&
			(best == 0 || against(facts, explanation, tile) < against(facts, explanation, best) ||
			 (against(facts, explanation, tile) == against(facts, explanation, best) &&
			  tile <= longest)))
			best = tile;
	return best;
}

static void say_missing(const struct hint_context *facts, const struct explanation *explanation,
						struct strbuf *out)
{
	const char *k = hint_size(facts, SIZE_K);
	const struct case_result *one = facts->judgement->cases;
	int32_t tile = tile_of_sums(facts, explanation);
	bool last = sums_end_at(facts, explanation, 0);
	bool or_tile = tile >= 8 ||
				   (tile > 0 && against(facts, explanation, tile) < against(facts, explanation, 0));
	if (last && !or_tile) {
		strbuf_addf(out, "sums without their last product: does the loop over k end at %s - 1?", k);
		return;
	}
	if (tile == 0 && longest_sum(facts, explanation, false) == 0) {
		strbuf_addf(out,
					"sums of no product at all: is there something in them when they are stored?");
		return;
	}
	while (!explanation_has(one, explanation, FAULT_PRODUCTS_MISSING))
		one++;
	strbuf_addf(out, "sums that end too early (%s: %d of %d)", one->test.name, one->wrong->summed,
				one->test.shape.size[SIZE_K]);
	if (last) {
		strbuf_addf(out, ": without their last product, or at the last multiple of %d in %s?", tile,
					k);
		return;
	}
	if (tile > 0)
		strbuf_addf(out, ", at the last multiple of %d in %s", tile, k);
	strbuf_addf(out, ": the loop over k has to take the rest, too");
}

/* ---- sentences ------------------------------------------------------------------------ */

/* "A[row * K + k]": where an operand's element is. */
static void say_place(const struct hint_context *facts, enum part part, bool other_way,
					  char out[64])
{
	static const char *const index[][2] = {[PART_LEFT] = {"row", "k"},
										   [PART_RIGHT] = {"k", "column"},
										   [PART_RESULT] = {"row", "column"}};
	static const enum size extent[][2] = {[PART_LEFT] = {SIZE_M, SIZE_K},
										  [PART_RIGHT] = {SIZE_K, SIZE_N},
										  [PART_RESULT] = {SIZE_M, SIZE_N}};
	const struct operand *operand = problem_part(facts->problem, part);
	int outer = operand->transposed != other_way ? 1 : 0;
	snprintf(out, 64, "%.20s[%s * %.10s + %s]", operand->name, index[part][outer],
			 hint_size(facts, extent[part][1 - outer]), index[part][1 - outer]);
}

static void say_transposed(const struct hint_context *facts, enum part part, struct strbuf *out)
{
	char right[64], wrong[64];
	say_place(facts, part, false, right);
	say_place(facts, part, true, wrong);
	strbuf_addf(out, "%s where %s belongs: %s is %s the other way around", wrong, right,
				hint_operand(facts, part), part == PART_RESULT ? "stored" : "read");
}

static void say_length(const struct hint_context *facts, enum part part, enum size size,
					   struct strbuf *out)
{
	char right[64];
	say_place(facts, part, false, right);
	strbuf_addf(out, "rows of %s that are taken to be %s long: it is %s", hint_operand(facts, part),
				hint_size(facts, size), right);
}

static void say_scalar(const struct hint_context *facts, enum scalar scalar, struct strbuf *out)
{
	const char *name = "";
	for (const struct problem_scalar *row = facts->problem->scalars; row->name != NULL; row++)
		name = row->is == scalar ? row->name : name;
	strbuf_addf(out, "taking %s for %g: is it left out?", name, (double)scalar_neutral(scalar));
}

/* Of which only the operands' names differ: %1$s is the left one, %2$s the right one, %3$s the
 * result. Of a family say_fault() has the sentence. */
static const char *const plain[FAULT_COUNT] = {
#define FAULT(name, choices, touches, add, sentence) [FAULT_##name] = sentence,
#include "judgement/faults.def"
};

/* Not by printf, whose format the compiler could not check. */
static void say_plain(const struct hint_context *facts, const char *text, struct strbuf *out)
{
	static const enum part parts[] = {PART_LEFT, PART_RIGHT, PART_RESULT};
	for (const char *next; *(next = text + strcspn(text, "%")) != '\0';
		 text = next + strlen("%1$s")) {
		strbuf_add_bytes(out, text, (size_t)(next - text));
		strbuf_add(out, hint_operand(facts, parts[next[1] - '1']));
	}
	strbuf_add(out, text);
}

/* How much speaks for this number of a fault: the cases in which it has a part with it. Of tiles,
 * which may be the smallest that come as far, larger ones say more; a scale for each row fits short
 * rows whatever it is. */
static size_t cases_with(const struct hint_context *facts, const struct explanation *explanation,
						 enum wrong_fault fault, int32_t number)
{
	size_t cases = 0;
	if (fault == FAULT_ROWS_RUN_ON)
		return (size_t)number;
	if (fault == FAULT_INPUTS_INT8 && number < WRONG_INT8_WHOLE)
		return 1;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		cases +=
			explanation_has(result, explanation, fault) && result->wrong->number[fault] == number;
	}
	return cases + (fault == FAULT_INPUTS_INT8);
}

/* The number of a fault for which most speaks. */
static int32_t number_of(const struct hint_context *facts, const struct explanation *explanation,
						 enum wrong_fault fault)
{
	int32_t number = 0;
	size_t most = 0;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		if (!explanation_has(result, explanation, fault))
			continue;
		int32_t here = result->wrong->number[fault];
		size_t cases = cases_with(facts, explanation, fault, here);
		number = cases > most ? here : number;
		most = cases > most ? cases : most;
	}
	return number;
}

/* Whether the site's own tolerance takes all that is wrong. */
static bool leetgpu_takes_it(const struct hint_context *facts)
{
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		if (hint_case_wrong(result) && (result->wrong == NULL || result->wrong->wrong_leetgpu > 0))
			return false;
	}
	return facts->problem->leetgpu_atol > 0;
}

static void say_narrow_sum(const struct hint_context *facts, const char *type, struct strbuf *out)
{
	strbuf_addf(
		out,
		"a sum that is rounded to %s before alpha and beta: keep it in f32, and round once, "
		"when it is stored%s",
		type,
		leetgpu_takes_it(facts) ? " (--tolerance leetgpu, that site's own bound, takes it)" : "");
}

static const char *const integers[INTEGER_WAYS] = {
	[INTEGER_TOWARD_ZERO] =
		"rounding toward zero: round to nearest, half to even (rintf, __float2int_rn)",
	[INTEGER_DOWN] = "rounding down: round to nearest, half to even (rintf, __float2int_rn)",
	[INTEGER_UP] = "rounding up: round to nearest, half to even (rintf, __float2int_rn)",
	[INTEGER_CLAMPED_EARLY] = "clamping before the zero point is added: add it, then clamp",
	[INTEGER_CLAMPED_TWICE] = "clamping before the zero point is added: add it, then clamp",
	[INTEGER_WRAPPED] =
		"results that wrap around: clamp to -128..127 before the conversion to int8_t",
};

/* Which codes share a byte. */
static void say_pairs(const struct hint_context *facts, int32_t number, struct strbuf *out)
{
	const char *right = hint_operand(facts, PART_RIGHT);
	if (number == 0)
		strbuf_addf(out, "%s with both codes of each byte exchanged: the first is in the high half",
					right);
	else
		strbuf_addf(out,
					"%s in ggml's order, where a byte has the codes of k and k + 16: here it has "
					"those of an even k, in its high half, and of k + 1",
					right);
}

/* As which type codes are read. */
static void say_codes_read(const struct hint_context *facts, struct strbuf *out)
{
	const char *left = hint_operand(facts, PART_LEFT), *right = hint_operand(facts, PART_RIGHT);
	enum dtype type = problem_part(facts->problem, PART_RIGHT)->type;
	if (type == DTYPE_U4)
		strbuf_addf(
			out,
			"codes of %s that are read as two's complement: a code is 0 to 15, and stands for "
			"itself less 8",
			right);
	else if (type == DTYPE_S8)
		strbuf_addf(out, "codes of %s and %s that are read as unsigned: int8_t has a sign", left,
					right);
	else
		strbuf_addf(out, "%s and %s read as e5m2: their type is e4m3 (__nv_fp8_e4m3)", left, right);
}

#define CHUNK 8 /* elements of 16 bits that a swizzle moves together */

static void say_numbered(const struct hint_context *facts, enum wrong_fault fault, int32_t number,
						 struct strbuf *out)
{
	const char *left = hint_operand(facts, PART_LEFT), *right = hint_operand(facts, PART_RIGHT);
	const char *result = hint_operand(facts, PART_RESULT);
	if (fault == FAULT_ROWS_RUN_ON)
		strbuf_addf(out,
					"sums that go on to a multiple of %d, into the next row: where k is not below "
					"%s, take 0, wherever the buffer ends",
					number, hint_size(facts, SIZE_K));
	else if (fault == FAULT_BETA_PARTS)
		strbuf_addf(out,
					"beta * %s that is added %d times: only one part of a split sum may add it",
					result, number);
	else if (fault == FAULT_TRUNCATED)
		strbuf_addf(out, "%s", integers[number]);
	else if (fault == FAULT_GROUP && number == 0)
		strbuf_addf(out,
					"scales read as if all of one group lay beside each other: those of one row of "
					"%s do",
					right);
	else if (fault == FAULT_GROUP)
		strbuf_addf(out, "scales as if %s were %d: take it from the argument of solve()",
					hint_size(facts, SIZE_GROUP), number);
	else
		strbuf_addf(out,
					"products of %s at k and of %s at k %s %d: registers of mma's fragments, or "
					"the halves of one, are exchanged%s",
					left, right, "XOR", number,
					number >= CHUNK ? ", or one of the two is read by another swizzle" : "");
}

/* What the fault does, behind "what comes of". */
static void say_fault(const struct hint_context *facts, const struct explanation *explanation,
					  enum wrong_fault fault, struct strbuf *out)
{
	switch (fault) {
	case FAULT_PRODUCTS_MISSING: say_missing(facts, explanation, out); return;
	case FAULT_LEFT_TRANSPOSED: say_transposed(facts, PART_LEFT, out); return;
	case FAULT_RIGHT_TRANSPOSED: say_transposed(facts, PART_RIGHT, out); return;
	case FAULT_RESULT_TRANSPOSED: say_transposed(facts, PART_RESULT, out); return;
	case FAULT_SUM_F16: say_narrow_sum(facts, "f16", out); return;
	case FAULT_SUM_BF16: say_narrow_sum(facts, "bf16", out); return;
	case FAULT_PAIRS: say_pairs(facts, number_of(facts, explanation, fault), out); return;
	case FAULT_CODES_READ: say_codes_read(facts, out); return;
	case FAULT_INPUTS_INT8: hint_say_int8(facts, number_of(facts, explanation, fault), out); return;
	case FAULT_SUM_INT16: hint_say_int16(number_of(facts, explanation, fault), out); return;
	case FAULT_CUT: hint_say_cut(number_of(facts, explanation, fault), out); return;
	case FAULT_ROWS_RUN_ON:
	case FAULT_BETA_PARTS:
	case FAULT_GROUP:
	case FAULT_TRUNCATED:
	case FAULT_K_EXCHANGED:
		say_numbered(facts, fault, number_of(facts, explanation, fault), out);
		return;
	default: break;
	}
	if (fault >= FAULT_SCALAR)
		say_scalar(facts, (enum scalar)(fault - FAULT_SCALAR), out);
	else if (fault >= FAULT_RESULT_LENGTH)
		say_length(facts, PART_RESULT, SIZE_M + (fault - FAULT_RESULT_LENGTH), out);
	else if (fault >= FAULT_RIGHT_LENGTH)
		say_length(facts, PART_RIGHT, SIZE_M + (fault - FAULT_RIGHT_LENGTH), out);
	else if (fault >= FAULT_LEFT_LENGTH)
		say_length(facts, PART_LEFT, SIZE_M + (fault - FAULT_LEFT_LENGTH), out);
	else
		say_plain(facts, plain[fault], out);
}

static bool stage_is_known(const struct hint_context *facts)
{
	struct wrong_stage stage;
	size_t cases;
	return explanation_of_stage(facts, &stage, &cases);
}

static bool made_by(const struct hint_context *facts, struct strbuf *out)
{
	struct explanation explanation = explanation_of(facts);
	char cases[64];
	if (explanation.count == 0 || stage_is_known(facts) || hint_stored_beyond(facts))
		return false;
	strbuf_setf(out, "%s the wrong elements of %s are what comes of ",
				hint_in_cases(explanation.cases, hint_explained_cases(facts), cases),
				hint_operand(facts, PART_RESULT));
	if (explanation.count == 2)
		strbuf_addf(out, "two faults. One: ");
	say_fault(facts, &explanation, explanation.faults[0], out);
	return true;
}

static bool made_by_second(const struct hint_context *facts, struct strbuf *out)
{
	struct explanation explanation = explanation_of(facts);
	if (explanation.count < 2 || stage_is_known(facts) || hint_stored_beyond(facts))
		return false;
	strbuf_setf(out, "the other: ");
	say_fault(facts, &explanation, explanation.faults[1], out);
	return true;
}

/* ---- a part of the wrong elements ----------------------------------------------------------- */

static size_t count_held(const struct hint_context *facts, const struct explanation *explanation)
{
	size_t cases = 0;
	for (size_t i = 0; i < facts->judgement->count; i++)
		cases += explanation_holds(&facts->judgement->cases[i], explanation);
	return cases;
}

/* Where nothing explains all of them, as with a race: the fault that some have in most cases, and
 * in half of them at least. */
static bool made_in_part(const struct hint_context *facts, struct strbuf *out)
{
	struct explanation part = {.count = 0};
	size_t most = 0;
	if (explanation_of(facts).count > 0)
		return false;
	for (enum wrong_fault fault = 0; fault < FAULT_COUNT; fault++) {
		struct explanation one = {.count = 1, .faults = {fault}, .partly = true};
		size_t cases = count_held(facts, &one);
		if (cases <= most)
			continue;
		most = cases;
		part = one;
	}
	if (most == 0 || most * 2 < hint_explained_cases(facts))
		return false;
	char cases[64];
	strbuf_setf(out, "%s some of the wrong elements of %s are what comes of ",
				hint_in_cases(most, hint_explained_cases(facts), cases),
				hint_operand(facts, PART_RESULT));
	say_fault(facts, &part, part.faults[0], out);
	return true;
}

/* ---- numbers of a kind ---------------------------------------------------------------------- */

/* Whether all wrong elements are 0 where subnormal numbers belong, in each case that was looked at.
 */
static bool are_flushed(const struct hint_context *facts)
{
	size_t flushed = 0;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct wrong_pattern *wrong = facts->judgement->cases[i].wrong;
		if (wrong != NULL && (wrong->flushed < wrong->compared || wrong->compared == 0))
			return false;
		flushed += wrong != NULL;
	}
	return flushed > 0;
}

static bool flushes(const struct hint_context *facts, struct strbuf *out)
{
	char cases[64];
	size_t explained = hint_explained_cases(facts);
	if (!are_flushed(facts))
		return false;
	strbuf_setf(out,
				"%s every wrong element of %s is 0 where a number below 2^-126 belongs: a build "
				"with --use_fast_math or -ftz=true takes these for 0",
				hint_in_cases(explained, explained, cases), hint_operand(facts, PART_RESULT));
	return true;
}

static bool zeros(const struct hint_context *facts, struct strbuf *out)
{
	char cases[64];
	size_t explained = hint_explained_cases(facts);
	if (!explanation_zeros(facts) || are_flushed(facts) || stage_is_known(facts) ||
		hint_stored_beyond(facts))
		return false;
	strbuf_setf(
		out,
		"%s every wrong element of %s is 0: is it the sum that is stored, with += and not = "
		"in the loop, and over tiles that are not whole, too?",
		hint_in_cases(explained, explained, cases), hint_operand(facts, PART_RESULT));
	return true;
}

/* Of integers: all that is wrong lies in the middle of two, and became the odd one. */
#define TIES_LEAST 16 /* fewer come of much else that is a little off */

static bool half_not_to_even(const struct hint_context *facts, struct strbuf *out)
{
	uint64_t ties = 0;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct wrong_pattern *wrong = facts->judgement->cases[i].wrong;
		if (wrong != NULL && (wrong->ties < wrong->compared || wrong->compared == 0))
			return false;
		ties += wrong != NULL ? wrong->ties : 0;
	}
	strbuf_setf(
		out,
		"every wrong element of %s lies in the middle of two integers and became the odd one: "
		"round to nearest, half to even (rintf, __float2int_rn), then add the zero point, "
		"then clamp",
		hint_operand(facts, PART_RESULT));
	return ties >= TIES_LEAST && explanation_of(facts).count == 0;
}

const struct hint_row hints_of_products[] = {
	{"flushes", HINT_CAUSE, flushes},
	{"zeros", HINT_CAUSE, zeros},
	{"made-by", HINT_CAUSE, made_by},
	{"made-by-second", HINT_CAUSE, made_by_second},
	{"made-in-part", HINT_CAUSE, made_in_part},
	{"narrow-atomics", HINT_CAUSE, hint_narrow_atomics},
	{"narrow-sums", HINT_CAUSE, hint_narrow_sums},
	{"all-together", HINT_CAUSE, hint_all_together},
	{"half-not-to-even", HINT_CAUSE, half_not_to_even},
	{0},
};

bool hint_fault_known(const struct hint_context *facts)
{
	struct strbuf ignored = {0};
	bool known = stage_is_known(facts) || hint_stored_beyond(facts);
	for (const struct hint_row *row = hints_of_products; row->name != NULL && !known; row++)
		known = row->says(facts, &ignored);
	strbuf_release(&ignored);
	return known;
}

bool hint_case_explained(const struct hint_context *facts, const struct case_result *result)
{
	struct explanation explanation = explanation_of(facts);
	return explanation_zeros(facts) || explanation_holds(result, &explanation) ||
		   (stage_is_known(facts) && result->wrong != NULL && result->wrong->stage_count > 0);
}
