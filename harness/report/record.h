/* The rows of judgement/record.def as tables, and what is made of them: JSON, and a judgement out
 * of its JSON again. store/ makes its columns of the same tables. */
#ifndef GEMMJUDGE_REPORT_RECORD_H
#define GEMMJUDGE_REPORT_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "judgement/judgement.h"

/* Where a record is: `of` is its struct. `parent` is the record that holds it, up to the judgement
 * or the run, so that a case's functions know its problem. */
struct record_at {
	const struct record *record;
	void *of;
	const struct record_at *parent;
	const json_t *json; /* when it is read: its object */
	void *context;      /* when it is read: a struct report_read (read.h) */
};

enum record_kind {
	RECORD_TEXT,   /* char[], cut where it is too long */
	RECORD_STRING, /* char *, owned */
	RECORD_FLAG,   /* bool */
	RECORD_INT,    /* int32_t; numbers are never below 0 */
	RECORD_UNSIGNED,
	RECORD_LONG,
	RECORD_SIZE, /* uint64_t */
	RECORD_REAL, /* double; NaN and the infinities are texts */
	RECORD_LENGTH,
	RECORD_SEED,
	RECORD_NAME,
	RECORD_DIMENSIONS,
	RECORD_PART,
	RECORD_SAME,
	RECORD_INSIDE,
	RECORD_LIST,
	RECORD_ARRAY,
	RECORD_OWN, /* of functions */
};

enum record_rule { RECORD_ALWAYS, RECORD_NULL, RECORD_ABSENT };

struct record_member {
	const char *json;   /* NULL: not in JSON */
	const char *column; /* NULL: not in the store */
	bool column_is_real;
	enum record_kind kind;
	enum record_rule rule;
	size_t at, size;
	size_t when, when_size; /* the member that the rule asks for */
	const struct names *names;
	const struct record *record; /* of a part, or of an item */
	size_t count_at, count_size; /* of a list or an array */
	/* NULL from write() is a member that is not there. read() is NULL where nothing is read. */
	json_t *(*write)(const struct record_at *at);
	bool (*read)(const struct record_at *at, const json_t *value, struct error *err);
};

struct record {
	size_t size, count; /* of the struct; of members */
	const struct record_member *members;
	bool has_table; /* of its own in the store: its columns are no columns of what holds it */
};

extern const struct record record_run, record_device, record_result, record_case, record_timing,
	record_entry, record_test;

/* A new object with all members; memory running out leaves members out. */
json_t *record_write(const struct record_at *at);
json_t *record_of_run(const struct run_description *facts); /* what stands before the results */
json_t *record_of_result(const struct judgement *judgement);
json_t *record_of_compile(const struct judgement *judgement); /* `compile` of a result */
json_t *record_of_case(const struct judgement *judgement, size_t number);
json_t *record_of_timing(const struct timing_result *timing);
json_t *record_of_bench(const struct judgement_list *list); /* a list of timings */

/* One member as JSON; NULL where it is not there. */
json_t *record_member_write(const struct record_member *member, const struct record_at *at);

/* Fills at->of, which is all zero, from at->json. What is missing is as if nothing was known, and
 * what has another type, too: a stranger may have written it. False with err where a name is none
 * that this program knows, or memory runs out; what is owned may be freed then as otherwise. */
bool record_read(const struct record_at *at, struct error *err);

/* A number; NaN and the infinities are texts. */
double record_real(const json_t *value);

#endif
