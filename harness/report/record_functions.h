/* The functions that rows of record.def name: each MADE has record_write_SECTION_MEMBER(), each OWN
 * record_read_SECTION_MEMBER(), too. Internal to report/. */
#ifndef GEMMJUDGE_REPORT_RECORD_FUNCTIONS_H
#define GEMMJUDGE_REPORT_RECORD_FUNCTIONS_H

#include "report/document.h"
#include "report/record.h"

#define RECORD_PASTE(a, b, c, d) a##b##c##d
#define NAME_OF(verb, section, json) RECORD_PASTE(record_, verb##_, section, _##json)

#define VALUE(declaration, member, rule, json, column, unit, sentence)
#define VALUE_AT(member, rule, json, column, unit, sentence)
#define SIZE_AT(member, json, column, sentence)
#define SEED(declaration, member, rule, json, column, sentence)
#define SEED_AT(member, json, column, sentence)
#define NAMED(declaration, member, names, rule, json, column, sentence)
#define DIMENSIONS(declaration, member, json, sentence)
#define PART(declaration, member, section, rule, json, sentence)
#define SAME(declaration, member, section)
#define INSIDE(section, json, sentence)
#define LIST(declaration, member, count, section, rule, json, sentence)
#define ARRAY_AT(member, count, section, rule, json, sentence)
#define MADE(json, type, column, unit, sentence)                                                   \
	json_t *NAME_OF(write, SECTION, json)(const struct record_at *at);
#define OWN(json, type, column, unit, sentence)                                                    \
	json_t *NAME_OF(write, SECTION, json)(const struct record_at *at);                             \
	bool NAME_OF(read, SECTION, json)(const struct record_at *at, const json_t *value,             \
									  struct error *err);
#define STORED(declaration, member, column, sentence)
#define FIELD(declaration)
#define RECORD_ALL
#include "judgement/record.def"

#define WRITE(section, member) json_t *record_write_##section##_##member(const struct record_at *at)
#define READ(section, member)                                                                      \
	bool record_read_##section##_##member(const struct record_at *at, const json_t *value,         \
										  struct error *err)

/* ---- what they have in common ---------------------------------------------------------------- */

static inline const char *text_of(const json_t *value)
{
	return json_is_string(value) ? json_string_value(value) : "";
}

static inline int32_t whole_of(const json_t *value, int32_t least)
{
	const json_int_t whole = json_integer_value(value);
	return whole < least ? least : whole > INT32_MAX ? INT32_MAX : (int32_t)whole;
}

/* The record of this kind that it is in, or is itself. */
static inline const struct record_at *within(const struct record_at *at,
											 const struct record *record)
{
	while (at != NULL && at->record != record)
		at = at->parent;
	return at;
}

/* The problem's name, of the timing or of the judgement that it is in. */
static inline const char *problem_name(const struct record_at *at)
{
	const struct record_at *timing = within(at, &record_timing),
						   *result = within(at, &record_result);
	return timing != NULL   ? ((const struct timing_result *)timing->of)->problem
		   : result != NULL ? ((const struct judgement *)result->of)->problem
							: "";
}

#endif
