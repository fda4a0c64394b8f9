#include "report/record_functions.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/names.h"
#include "report/document.h"

#define ITEMS_MOST 1000000 /* of a list that is read */

/* ---- the tables --------------------------------------------------------------------------------
 */

static const struct record record_element, record_check, record_kernel, record_stats, record_steady,
	record_algorithm, record_seal, record_denied, record_use, record_difference, record_bits,
	record_compile;

static const struct record_member device_members[] = {
#define RECORD_DEVICE
#include "report/record_rows.h"
};
static const struct record_member run_members[] = {
#define RECORD_RUN
#include "report/record_rows.h"
};
static const struct record_member test_members[] = {
#define RECORD_TEST
#include "report/record_rows.h"
};
static const struct record_member element_members[] = {
#define RECORD_ELEMENT
#include "report/record_rows.h"
};
static const struct record_member check_members[] = {
#define RECORD_CHECK
#include "report/record_rows.h"
};
static const struct record_member case_members[] = {
#define RECORD_CASE
#include "report/record_rows.h"
};
static const struct record_member kernel_members[] = {
#define RECORD_KERNEL
#include "report/record_rows.h"
};
static const struct record_member stats_members[] = {
#define RECORD_STATS
#include "report/record_rows.h"
};
static const struct record_member algorithm_members[] = {
#define RECORD_ALGORITHM
#include "report/record_rows.h"
};
static const struct record_member steady_members[] = {
#define RECORD_STEADY
#include "report/record_rows.h"
};
static const struct record_member seal_members[] = {
#define RECORD_SEAL
#include "report/record_rows.h"
};
static const struct record_member entry_members[] = {
#define RECORD_ENTRY
#include "report/record_rows.h"
};
static const struct record_member timing_members[] = {
#define RECORD_TIMING
#include "report/record_rows.h"
};
static const struct record_member denied_members[] = {
#define RECORD_DENIED
#include "report/record_rows.h"
};
static const struct record_member use_members[] = {
#define RECORD_USE
#include "report/record_rows.h"
};
static const struct record_member compile_members[] = {
#define RECORD_COMPILE
#include "report/record_rows.h"
};
static const struct record_member difference_members[] = {
#define RECORD_DIFFERENCE
#include "report/record_rows.h"
};
static const struct record_member bits_members[] = {
#define RECORD_BITS
#include "report/record_rows.h"
};
static const struct record_member result_members[] = {
#define RECORD_RESULT
#include "report/record_rows.h"
};

#define RECORD_OF(type, rows)                                                                      \
	.size = sizeof(type), .count = sizeof(rows) / sizeof *(rows), .members = rows
const struct record record_device = {RECORD_OF(struct device_properties, device_members)};
const struct record record_run = {RECORD_OF(struct run_description, run_members),
								  .has_table = true};
const struct record record_test = {RECORD_OF(struct test_case, test_members)};
static const struct record record_element = {RECORD_OF(struct wrong_element, element_members)};
static const struct record record_check = {RECORD_OF(struct check_summary, check_members)};
const struct record record_case = {RECORD_OF(struct case_result, case_members), .has_table = true};
static const struct record record_kernel = {RECORD_OF(struct kernel_launch, kernel_members)};
static const struct record record_stats = {RECORD_OF(struct timing_stats, stats_members)};
static const struct record record_algorithm = {
	RECORD_OF(struct library_algorithm, algorithm_members)};
static const struct record record_steady = {RECORD_OF(struct timing_steady, steady_members)};
static const struct record record_seal = {RECORD_OF(struct timing_seal, seal_members)};
const struct record record_entry = {RECORD_OF(struct timing_entry, entry_members),
									.has_table = true};
const struct record record_timing = {RECORD_OF(struct timing_result, timing_members),
									 .has_table = true};
static const struct record record_denied = {RECORD_OF(struct denied_call, denied_members)};
static const struct record record_use = {RECORD_OF(struct kernel_use, use_members)};
static const struct record record_compile = {RECORD_OF(struct judgement, compile_members)};
static const struct record record_difference = {
	RECORD_OF(struct bits_difference, difference_members)};
static const struct record record_bits = {RECORD_OF(struct judged_bits, bits_members)};
const struct record record_result = {RECORD_OF(struct judgement, result_members),
									 .has_table = true};

/* ---- JSON out ----------------------------------------------------------------------------------
 */

static void *inside(const struct record_at *at, size_t offset)
{
	return (char *)at->of + offset;
}

/* Whether the member that the rule asks for is 0, false, NULL or an empty text. */
static bool is_empty(const struct record_member *member, const struct record_at *at)
{
	static const char zero[sizeof(uint64_t)];
	const bool text = member->when_size > sizeof zero;
	return memcmp(inside(at, member->when), zero, text ? 1 : member->when_size) == 0;
}

/* 64 bits do not fit the numbers of most JSON readers. */
static json_t *seed(uint64_t value)
{
	char digits[32];
	snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)value);
	return json_string(digits);
}

static json_t *dimensions(const uint32_t *size)
{
	json_t *json = json_array();
	for (int i = 0; i < 3; i++)
		json_array_append_new(json, json_integer(size[i]));
	return json;
}

static size_t count_of(const struct record_member *member, const struct record_at *at)
{
	const void *count = inside(at, member->count_at);
	return member->count_size == sizeof(uint32_t) ? *(const uint32_t *)count
												  : *(const size_t *)count;
}

/* Items of an array are in the struct, those of a list are where a pointer in it says. */
static char *items_of(const struct record_member *member, const struct record_at *at)
{
	char *place = inside(at, member->at);
	return member->kind == RECORD_LIST ? *(char **)place : place;
}

static json_t *items(const struct record_member *member, const struct record_at *at)
{
	json_t *json = json_array();
	for (size_t i = 0; i < count_of(member, at); i++) {
		const struct record_at item = {.record = member->record,
									   .of = items_of(member, at) + i * member->record->size,
									   .parent = at};
		json_array_append_new(json, record_write(&item));
	}
	return json;
}

json_t *record_member_write(const struct record_member *member, const struct record_at *at)
{
	const void *value = inside(at, member->at);
	const struct record_at part = {
		.record = member->record, .of = inside(at, member->at), .parent = at};
	if (member->rule != RECORD_ALWAYS && is_empty(member, at))
		return member->rule == RECORD_NULL ? json_null() : NULL;
	switch (member->kind) {
	case RECORD_TEXT: return document_text(value);
	case RECORD_STRING: return document_text(*(const char *const *)value);
	case RECORD_FLAG: return json_boolean(*(const bool *)value);
	case RECORD_INT:
	case RECORD_LENGTH: return json_integer(*(const int32_t *)value);
	case RECORD_UNSIGNED: return json_integer(*(const uint32_t *)value);
	case RECORD_LONG: return json_integer(*(const int64_t *)value);
	case RECORD_SIZE: return json_integer((json_int_t)(*(const uint64_t *)value));
	case RECORD_REAL: return document_real(*(const double *)value);
	case RECORD_SEED: return seed(*(const uint64_t *)value);
	case RECORD_NAME: return json_string(names_at(member->names, *(const uint32_t *)value));
	case RECORD_DIMENSIONS: return dimensions(value);
	case RECORD_PART:
	case RECORD_INSIDE:
	case RECORD_SAME: return record_write(&part);
	case RECORD_LIST:
	case RECORD_ARRAY: return items(member, at);
	case RECORD_OWN: return member->write(at);
	}
	return NULL;
}

/* json_object_set_new() takes a NULL value for a failure and lets go of it, so that a member that
 * is not there, or for which memory ran out, is left out and nothing else. */
json_t *record_write(const struct record_at *at)
{
	const struct record *record = at->record;
	json_t *json = json_object();
	for (size_t i = 0; i < record->count; i++) {
		const struct record_member *member = &record->members[i];
		if (member->json == NULL && member->kind != RECORD_SAME)
			continue;
		json_t *value = record_member_write(member, at);
		if (member->kind != RECORD_SAME)
			json_object_set_new(json, member->json, value);
		else if (value != NULL)
			json_object_update(json, value), json_decref(value);
	}
	return json;
}

/* Nothing is written through the pointer. */
static json_t *write_from(const struct record *record, const void *from,
						  const struct record_at *parent)
{
	const struct record_at at = {.record = record, .of = (void *)(uintptr_t)from, .parent = parent};
	return record_write(&at);
}

json_t *record_of_run(const struct run_description *facts)
{
	return write_from(&record_run, facts, NULL);
}

json_t *record_of_result(const struct judgement *judgement)
{
	return write_from(&record_result, judgement, NULL);
}

json_t *record_of_compile(const struct judgement *judgement)
{
	const struct record_at parent = {.record = &record_result, .of = (void *)(uintptr_t)judgement};
	return write_from(&record_compile, judgement, &parent);
}

json_t *record_of_case(const struct judgement *judgement, size_t number)
{
	const struct record_at parent = {.record = &record_result, .of = (void *)(uintptr_t)judgement};
	return write_from(&record_case, &judgement->cases[number], &parent);
}

json_t *record_of_timing(const struct timing_result *timing)
{
	return write_from(&record_timing, timing, NULL);
}

json_t *record_of_bench(const struct judgement_list *list)
{
	json_t *json = json_array();
	for (size_t i = 0; i < list->bench_count; i++)
		json_array_append_new(json, record_of_timing(&list->bench[i]));
	return json;
}

/* ---- JSON in -----------------------------------------------------------------------------------
 */

/* At least `least`, at most `most`. */
static int64_t bounded(const json_t *value, int64_t least, int64_t most)
{
	const json_int_t whole = json_integer_value(value);
	return whole < least ? least : whole > most ? most : whole;
}

/* What the rule asks for is said, where it is a flag. */
static void is_there(const struct record_member *member, const struct record_at *at)
{
	if (member->rule != RECORD_ALWAYS && member->when_size == sizeof(bool))
		*(bool *)inside(at, member->when) = true;
}

static bool name_read(const struct record_member *member, const struct record_at *at,
					  const json_t *value, struct error *err)
{
	if (member->rule != RECORD_ALWAYS && !json_is_string(value))
		return true;
	is_there(member, at);
	return names_find(member->names, text_of(value), inside(at, member->at)) ||
		   error_set(err, "no %s has the name '%.40s'", member->names->what, text_of(value));
}

static void dimensions_read(const json_t *value, uint32_t *out)
{
	for (size_t axis = 0; axis < 3; axis++)
		out[axis] = (uint32_t)bounded(json_array_get(value, axis), 0, UINT32_MAX);
}

static bool part_read(const struct record_member *member, const struct record_at *at,
					  const json_t *value, struct error *err)
{
	const struct record_at part = {.record = member->record,
								   .of = inside(at, member->at),
								   .parent = at,
								   .json = member->kind == RECORD_SAME ? at->json : value,
								   .context = at->context};
	if (member->rule != RECORD_ALWAYS && !json_is_object(value))
		return true;
	is_there(member, at);
	return record_read(&part, err);
}

static void count_set(const struct record_member *member, const struct record_at *at, size_t count)
{
	void *into = inside(at, member->count_at);
	if (member->count_size == sizeof(uint32_t))
		*(uint32_t *)into = (uint32_t)count;
	else
		*(size_t *)into = count;
}

/* The count goes up with the items, so that what was read is freed where a later one fails. */
static bool items_read(const struct record_member *member, const struct record_at *at,
					   const json_t *list, struct error *err)
{
	const size_t size = member->record->size, fit = member->size / size;
	size_t count = json_array_size(list);
	if (member->kind == RECORD_ARRAY && count > fit)
		count = fit;
	if (json_is_array(list))
		is_there(member, at);
	if (member->kind == RECORD_LIST && count > 0) {
		char *made = count <= ITEMS_MOST ? calloc(count, size) : NULL;
		if (made == NULL)
			return error_set(err, "out of memory: %s has %zu items", member->json, count);
		*(char **)inside(at, member->at) = made;
	}
	for (size_t i = 0; i < count; i++) {
		const struct record_at item = {.record = member->record,
									   .of = items_of(member, at) + i * size,
									   .parent = at,
									   .json = json_array_get(list, i),
									   .context = at->context};
		count_set(member, at, i + 1);
		if (!record_read(&item, err))
			return false;
	}
	return true;
}

static bool member_read(const struct record_member *member, const struct record_at *at,
						const json_t *value, struct error *err)
{
	void *out = inside(at, member->at);
	switch (member->kind) {
	case RECORD_TEXT: snprintf(out, member->size, "%s", text_of(value)); return true;
	case RECORD_STRING:
		*(char **)out = json_is_string(value) ? strdup(text_of(value)) : NULL;
		return true;
	case RECORD_FLAG: *(bool *)out = json_is_true(value); return true;
	case RECORD_INT: *(int32_t *)out = (int32_t)bounded(value, 0, INT32_MAX); return true;
	case RECORD_LENGTH: *(int32_t *)out = (int32_t)bounded(value, 1, INT32_MAX); return true;
	case RECORD_UNSIGNED: *(uint32_t *)out = (uint32_t)bounded(value, 0, UINT32_MAX); return true;
	case RECORD_LONG: *(int64_t *)out = bounded(value, 0, INT64_MAX); return true;
	case RECORD_SIZE: *(uint64_t *)out = (uint64_t)bounded(value, 0, INT64_MAX); return true;
	case RECORD_REAL: *(double *)out = record_real(value); return true;
	case RECORD_SEED: *(uint64_t *)out = strtoull(text_of(value), NULL, 0); return true;
	case RECORD_NAME: return name_read(member, at, value, err);
	case RECORD_DIMENSIONS: dimensions_read(value, out); return true;
	case RECORD_PART:
	case RECORD_SAME:
	case RECORD_INSIDE: return part_read(member, at, value, err);
	case RECORD_LIST:
	case RECORD_ARRAY: return items_read(member, at, value, err);
	case RECORD_OWN: return member->read == NULL || member->read(at, value, err);
	}
	return true;
}

double record_real(const json_t *value)
{
	const char *text = json_string_value(value);
	return text != NULL ? strtod(text, NULL) : json_number_value(value);
}

bool record_read(const struct record_at *at, struct error *err)
{
	const struct record *record = at->record;
	for (size_t i = 0; i < record->count; i++) {
		const struct record_member *member = &record->members[i];
		if ((member->json != NULL || member->kind == RECORD_SAME) &&
			!member_read(member, at, json_object_get(at->json, member->json), err))
			return false;
	}
	return true;
}
