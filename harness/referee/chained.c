#include "referee/chained.h"

#include "referee/reduced.h"
#include "referee/rule.h"
#include "testcases/values.h"

/* Where an element lies. */
struct place {
	uint64_t index; /* in C */
	struct stage_coordinate coordinate;
};

/* Elements of a buffer of the chain, of the member at these places. */
static void load_input(struct check_share *share, const struct chain_member *member,
					   const struct stage_coordinate *places, uint32_t count, double *out)
{
	uint64_t columns = shape_columns(&share->input->test->shape);
	uint32_t buffer = share_extra(share, member);
	for (uint32_t k = 0; k < count; k++)
		out[k * CHAIN_MEMBERS_MAX] = share_number_before(
			share, buffer, chain_index(member, columns, places[k].row, places[k].column));
}

/* Arguments and elements of the stage at these places. */
static void load_members(struct check_share *share, const struct chain_stage *stage,
						 const struct stage_coordinate *places, uint32_t count,
						 double (*members)[CHAIN_MEMBERS_MAX])
{
	for (uint32_t i = 0; i < stage->count; i++) {
		const struct chain_member *member = &stage->members[i];
		double argument = member->kind == CHAIN_ARGUMENT ? (double)member->value : 0;
		if (member->kind == CHAIN_INPUT)
			load_input(share, member, places, count, &members[0][i]);
		for (uint32_t k = 0; k < count && member->kind != CHAIN_INPUT; k++)
			members[k][i] = argument;
	}
}

static struct stage_coordinate coordinate_of(struct check_share *share, uint64_t row,
											 uint64_t column)
{
	uint64_t columns = shape_columns(&share->input->test->shape);
	return (struct stage_coordinate){.type = share->rule.type,
									 .alpha = (double)share->input->test->scalar[SCALAR_ALPHA],
									 .beta = share->rule.beta,
									 .c = share_c(share, row * columns + column),
									 .accumulation = share->rule.accumulation,
									 .row = (uint32_t)row,
									 .column = (uint32_t)column};
}

static struct place place_of(struct check_share *share, uint64_t index)
{
	uint64_t columns = shape_columns(&share->input->test->shape);
	return (struct place){index, coordinate_of(share, index / columns, index % columns)};
}

/* What a stage hands over for C's element `index`: it is compared now, or when all are known. */
static void take_written(struct check_share *share, const struct chain_member *member,
						 uint64_t index, const struct carried *value)
{
	struct reduced *reduced = share->input->reduced[member->buffer];
	if (!chain_is_reduction(member))
		share_note_extra(share, member, index, value);
	else if (reduced != NULL)
		reduced_add(&reduced[share_member_index(share, member, index)], value);
}

static void carry(struct check_share *share, uint32_t stage, const struct place *place,
				  struct carried *value)
{
	double members[1][CHAIN_MEMBERS_MAX];
	const struct chain_stage *of = &share->input->chain->stages[stage];
	load_members(share, of, &place->coordinate, 1, members);
	stage_carry(share->stages[stage], members[0], &place->coordinate, value);
}

/* `next`: what the stage gets of the next column; only where it takes two. */
static void run_stage(struct check_share *share, uint32_t number, const struct place *place,
					  struct carried *value, const struct carried *next)
{
	double own[1][CHAIN_MEMBERS_MAX], *members = own[0];
	const struct chain_stage *stage = &share->input->chain->stages[number];
	const struct stage_coordinate *coordinate = &place->coordinate;
	const struct stage_reference *reference = share->stages[number];
	struct carried before_stage = *value;
	load_members(share, stage, coordinate, 1, own);
	stage_carry(reference, members, coordinate, value);
	struct carried written = *value;
	stage_write(reference, members, coordinate, &written);
	if (reference->gate != NULL && coordinate->column % 2 == 0)
		written = stage_pair(reference, coordinate, &before_stage, next);
	for (uint32_t i = 0; i < stage->count; i++)
		if (stage->members[i].kind > CHAIN_INPUT &&
			(reference->gate == NULL || coordinate->column % 2 == 0))
			take_written(share, &stage->members[i], place->index, &written);
}

/* What the stage that was computed elsewhere made of the value. */
static void take_computed(const struct check_share *share, uint64_t index, struct carried *value)
{
	float y[STAGE_SETS];
	for (int set = 0; set < STAGE_SETS; set++)
		y[set] = share->input->computed->values[set][index];
	stage_take(y, share->rule.type, value);
}

/* And what it wrote. */
static void take_stage(struct check_share *share, const struct chain_stage *stage, uint64_t index,
					   struct carried *value)
{
	const struct check_stage *computed = share->input->computed;
	uint64_t columns = shape_columns(&share->input->test->shape);
	for (uint32_t i = 0; i < stage->count; i++) {
		const struct chain_member *member = &stage->members[i];
		if (member->kind <= CHAIN_INPUT || (member->columns > 1 && member->kind == CHAIN_OUTPUT &&
											index % columns % member->columns != 0))
			continue;
		struct carried written = *value;
		const struct type *type = share->buffers->at[share_extra(share, member)].type;
		uint64_t at = chain_is_reduction(member) ? index : share_member_index(share, member, index);
		float y[STAGE_SETS];
		for (int set = 0; set < STAGE_SETS; set++)
			y[set] = (float)values_to_double(
				&type->format, values_load(&type->format, computed->written[set][i], at));
		stage_take(y, type, &written);
		take_written(share, member, index, &written);
	}
	take_computed(share, index, value);
}

static struct carried value_begin(const struct check_share *share, uint64_t i, uint64_t at)
{
	const struct check_input *input = share->input;
	return input->from > 0 || input->computed != NULL
			   ? input->carried[i]
			   : rule_begin(&share->rule, share_element(&input->product, at));
}

/* What stage `stage` gets at the column after element i; behind the row's end, 0. */
static struct carried value_next(struct check_share *share, uint64_t i, uint64_t at, uint32_t stage)
{
	const struct check_input *input = share->input;
	uint64_t columns = shape_columns(&input->test->shape);
	if (i % columns + 1 == columns)
		return (struct carried){.exact = true};
	struct carried value = value_begin(share, i + 1, at + 1);
	struct place place = place_of(share, i + 1);
	uint32_t next = input->from;
	if (input->computed != NULL) {
		take_computed(share, i + 1, &value);
		next++;
	}
	for (; next < stage; next++)
		carry(share, next, &place, &value);
	return value;
}

void chained_element(struct check_share *share, uint64_t i, uint64_t at)
{
	const struct check_input *input = share->input;
	const struct chain *chain = input->chain;
	struct carried value = value_begin(share, i, at), after = {.exact = true};
	struct place place = place_of(share, i);
	uint32_t next = input->from;
	if (input->computed != NULL)
		take_stage(share, &chain->stages[next++], i, &value);
	for (; next < input->to; next++) {
		if (chain_columns(&chain->stages[next]) > 1)
			after = value_next(share, i, at, next);
		run_stage(share, next, &place, &value, &after);
	}
	if (input->to < chain->count) {
		input->carried[i] = value;
		return;
	}
	const struct number_format *format = &share->rule.type->format;
	uint32_t bits = values_load(format, input->out, i);
	double out = values_to_double(format, bits);
	struct check_finding finding = rule_finish(&share->rule, out, &value);
	share_note(share, i, bits, out, &finding);
}

/* ---- a block of elements ------------------------------------------------------------ */

bool chained_in_blocks(const struct check_share *share)
{
	const struct check_input *input = share->input;
	const struct chain *chain = input->chain;
	bool ordinary = input->from == 0 && input->to == chain->count && input->computed == NULL;
	for (uint32_t s = 0; ordinary && s < chain->count; s++) {
		ordinary = share->stages[s] != NULL && share->stages[s]->gate == NULL;
		for (uint32_t i = 0; i < chain->stages[s].count; i++)
			ordinary = ordinary && chain->stages[s].members[i].kind <= CHAIN_INPUT;
	}
	return ordinary;
}

struct block_sums chained_block(struct check_share *share, uint64_t i, uint32_t count,
								struct block *block)
{
	const struct chain *chain = share->input->chain;
	struct stage_coordinate places[BLOCK_ELEMENTS];
	double members[BLOCK_ELEMENTS][CHAIN_MEMBERS_MAX];
	struct block_values values;
	uint64_t columns = shape_columns(&share->input->test->shape);
	uint64_t row = i / columns, column = i % columns;
	for (uint32_t k = 0; k < count; k++) {
		places[k] = coordinate_of(share, row, column);
		row += ++column == columns;
		column = column == columns ? 0 : column;
	}
	share->functions->begin(&share->rule, block, &values);
	for (uint32_t s = 0; s < chain->count; s++) {
		load_members(share, &chain->stages[s], places, count, members);
		struct stage_elements elements = {count, (const double(*)[CHAIN_MEMBERS_MAX])members,
										  places};
		share->functions->carry(share->stages[s], &elements, &values);
	}
	return share->functions->finish(&share->rule, &values, block, &share->found.spread);
}

/* ---- what stages have reduced --------------------------------------------------------- */

void chained_note_reduced(struct check_share *share, const struct chain_member *member, uint64_t at,
						  const struct carried *value)
{
	uint64_t columns = shape_columns(&share->input->test->shape);
	uint64_t width = chain_width(member, columns);
	uint64_t row = at / width * member->rows, column = at % width * member->columns;
	share_note_extra(share, member, row * columns + column, value);
}

void chained_reduced(struct check_share *share)
{
	const struct check_input *input = share->input;
	const struct shape *shape = &input->test->shape;
	uint32_t end = input->chain != NULL ? input->to : 0;
	for (uint32_t s = input->from; s < end; s++)
		for (uint32_t i = 0; i < input->chain->stages[s].count; i++) {
			const struct chain_member *member = &input->chain->stages[s].members[i];
			const struct stage_reference *reference = share->stages[s];
			bool elsewhere = member->finish && reference == NULL; /* check_finished() */
			if (!chain_is_reduction(member) || elsewhere || input->reduced[member->buffer] == NULL)
				continue;
			uint64_t count = chain_elements(member, shape_rows(shape), shape_columns(shape));
			for (uint64_t at = 0; at < count; at++) {
				struct carried value =
					reduced_value(&input->reduced[member->buffer][at], member->kind);
				if (member->finish)
					stage_finish(reference, &value);
				chained_note_reduced(share, member, at, &value);
			}
		}
}
