#include "judgement/audit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct audit_row *audit_add(struct audit *audit)
{
	if (audit->row_count == audit->row_room) {
		size_t room = audit->row_room == 0 ? 64 : 2 * audit->row_room;
		struct audit_row *rows = realloc(audit->rows, room * sizeof *rows);
		if (rows == NULL)
			return NULL;
		audit->rows = rows;
		audit->row_room = room;
	}
	struct audit_row *row = &audit->rows[audit->row_count++];
	*row = (struct audit_row){0};
	return row;
}

void audit_free(struct audit *audit)
{
	for (size_t i = 0; audit->units != NULL && i < audit->unit_count; i++)
		free(audit->units[i].cases);
	free(audit->units);
	free(audit->rows);
	*audit = (struct audit){0};
}

bool audit_is_own_choice(const struct audit_row *row)
{
	return row->index == 0 && row->mode == LIBRARY_DEFAULT;
}

bool audit_is_right(const struct audit_row *row)
{
	return row->verdict == VERDICT_ACCEPTED || row->verdict == VERDICT_UNSUPPORTED ||
		   row->verdict == VERDICT_NOT_RUN;
}

bool audit_is_repeatable(const struct audit_row *row)
{
	return row->same == row->calls;
}

/* Whether it is known to be right or wrong. */
static bool gave_result(const struct audit_row *row)
{
	return !row->refused && row->verdict != VERDICT_UNSUPPORTED && row->verdict != VERDICT_NOT_RUN;
}

struct audit_sum audit_sum_of(const struct audit *audit, size_t unit)
{
	struct audit_sum sum = {0};
	for (size_t i = 0; i < audit->row_count; i++) {
		const struct audit_row *row = &audit->rows[i];
		const bool wrong = !audit_is_right(row);
		if (row->unit != unit)
			continue;
		if (!gave_result(row)) {
			sum.refused++;
			continue;
		}
		sum.unrepeatable += !audit_is_repeatable(row);
		if (row->mode == LIBRARY_ACCURATE) {
			sum.accurate++;
			sum.accurate_wrong += wrong;
			continue;
		}
		sum.own += row->index == 0;
		sum.own_wrong += row->index == 0 && wrong;
		sum.algorithms++;
		sum.wrong += wrong;
		sum.worst_ratio = fmax(sum.worst_ratio, row->worst_ratio);
	}
	return sum;
}

bool audit_finds_wrong(const struct audit *audit)
{
	bool found = false;
	for (size_t i = 0; i < audit->row_count && !found; i++)
		found = audit_is_own_choice(&audit->rows[i]) && !audit_is_right(&audit->rows[i]);
	return found;
}

bool audit_is_cut(const struct audit *audit)
{
	bool cut = false;
	for (size_t i = 0; i < audit->unit_count && !cut; i++)
		cut = audit->units[i].audited < audit->units[i].case_count;
	return cut;
}

/* ---- versions ----------------------------------------------------------------------------------
 */

/* The row of the other version that has the same problem, library, case, mode and index. */
static const struct audit_row *partner_of(const struct audit *audit, const struct audit_row *row)
{
	const struct audit_unit *own = &audit->units[row->unit];
	for (size_t u = 0; u < audit->unit_count; u++) {
		const struct audit_unit *unit = &audit->units[u];
		if (unit->version != 1 || unit->problem != own->problem ||
			strcmp(unit->label, own->label) != 0)
			continue;
		for (size_t i = 0; i < audit->row_count; i++) {
			const struct audit_row *other = &audit->rows[i];
			if (other->unit == u && other->test == row->test && other->mode == row->mode &&
				other->index == row->index)
				return other;
		}
	}
	return NULL;
}

static struct audit_change change_of(const struct audit_row *before, const struct audit_row *after)
{
	return (struct audit_change){
		.before = before,
		.after = after,
		.algorithm = memcmp(&before->algorithm, &after->algorithm, sizeof before->algorithm) != 0,
		.verdict = audit_is_right(before) != audit_is_right(after),
		.bits = memcmp(&before->result, &after->result, sizeof before->result) != 0};
}

struct audit_changes audit_changes_of(const struct audit *audit)
{
	struct audit_changes out = {0};
	out.items = calloc(audit->row_count + 1, sizeof *out.items);
	for (size_t i = 0; i < audit->row_count && out.items != NULL; i++) {
		const struct audit_row *row = &audit->rows[i], *other;
		if (row->index != 0 || audit->units[row->unit].version != 0 ||
			(other = partner_of(audit, row)) == NULL)
			continue;
		out.pairs++;
		struct audit_change change = change_of(row, other);
		if (change.algorithm || change.verdict || change.bits)
			out.items[out.count++] = change;
	}
	return out;
}

const char *audit_version_print(uint32_t number, char out[AUDIT_VERSION_TEXT])
{
	if (number == 0)
		snprintf(out, AUDIT_VERSION_TEXT, "of unknown version");
	else
		snprintf(out, AUDIT_VERSION_TEXT, "%u.%u.%u", number / 10000, number / 100 % 100,
				 number % 100);
	return out;
}
