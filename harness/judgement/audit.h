/* What an audit of libraries found: algorithm by algorithm, what their results are held against the
 * error bound. */
#ifndef GEMMJUDGE_JUDGEMENT_AUDIT_H
#define GEMMJUDGE_JUDGEMENT_AUDIT_H

#include "base/digest.h"
#include "judgement/judgement.h"
#include "judgement/library_cause.h"
#include "judgement/places.h"

#define AUDIT_VERSIONS 2 /* of a library, that are compared */
#define AUDIT_DETAIL 240

/* One algorithm on one case: a call, and more on the same inputs. */
struct audit_row {
	uint32_t unit, test; /* their places in the audit, and among the unit's cases */
	enum library_mode mode;
	int32_t index; /* of the algorithm; 0: what the library chooses by itself */
	struct library_algorithm algorithm;
	bool refused;         /* the library does not run it: there is no result */
	enum verdict verdict; /* of the first call that is not accepted, if any */
	char detail[AUDIT_DETAIL];
	uint64_t wrong, elements; /* of that call; else of the first */
	double worst_ratio;       /* the most of all calls */
	double share;             /* wrong ones, of the rows and columns that have any */
	char places[PLACES_TEXT]; /* where they lie; "" */
	char hint[AUDIT_DETAIL];  /* what they are made by, as judge says it; "" */
	struct digest result;     /* of the first call */
	uint32_t calls;           /* that gave a result */
	uint32_t same;            /* of them, those with the first one's bits */
	uint32_t wrong_call;      /* the first one that is not accepted, counted from 1; 0: none */
	unsigned causes;          /* enum library_cause */
	bool accurate_right;      /* of an own choice: the one of the accurate mode is right */
	char kernel[KERNEL_NAME_BYTES + 1]; /* the first of a call; "": not known */
	uint32_t kernels;                   /* of a call */
	double microseconds;                /* the median of a few calls; 0: not timed */
};

/* One problem by one library of one version. */
struct audit_unit {
	const struct problem *problem;
	char label[64];          /* "cuBLASLt"; of a file its name */
	char folder[4096];       /* that it was loaded from; "": as the toolkit has it */
	size_t version;          /* of several that are compared: 0, 1 */
	uint32_t number;         /* 130100: 13.1.0; 0: not known */
	struct test_case *cases; /* owned */
	size_t case_count;
	size_t audited;   /* cases, the first ones, of which all was run */
	size_t too_large; /* of them, left out for their size */
	bool has_modes;
	bool unusable;            /* it could not be loaded */
	char ended[AUDIT_DETAIL]; /* why the others were not audited; "" where all were */
};

struct audit {
	struct run_description facts;
	size_t unit_count, row_count, row_room;
	struct audit_unit *units; /* owned, as are the rows */
	struct audit_row *rows;
	char unasked[1024]; /* problems that were left out, and why; "" */
	size_t repeats;     /* calls behind the first, of each row */
	bool thorough;
	bool out_of_time;
	double seconds;
};

/* A new row at the end, all zero; NULL: out of memory. It moves with the next one. */
struct audit_row *audit_add(struct audit *audit);
void audit_free(struct audit *audit);

/* The row's own library's choice in its default mode: what a program gets that asks for nothing. */
bool audit_is_own_choice(const struct audit_row *row);
/* Whether there is no fault in it; what was refused and what the device lacks is none. */
bool audit_is_right(const struct audit_row *row);
/* Whether all calls gave the same bits. */
bool audit_is_repeatable(const struct audit_row *row);

/* What a unit came to; rows of own choices apart. */
struct audit_sum {
	size_t own, own_wrong;    /* of the default mode's first algorithm */
	size_t algorithms, wrong; /* of the default mode, own choices among them */
	size_t refused;           /* rows without a result, which count nowhere else */
	size_t accurate, accurate_wrong;
	size_t unrepeatable; /* of all */
	double worst_ratio;  /* of the default mode */
};
struct audit_sum audit_sum_of(const struct audit *audit, size_t unit);

/* Whether something that a library chooses by itself is wrong. */
bool audit_finds_wrong(const struct audit *audit);
/* Whether something that was to be audited was not. */
bool audit_is_cut(const struct audit *audit);

/* What a library chooses by itself on one case, by two versions. */
struct audit_change {
	const struct audit_row *before, *after;
	bool algorithm; /* another one, by what the library tells of it */
	bool verdict;   /* right and wrong */
	bool bits;
};
/* Those of two versions that differ in something, in each mode, of so many that both computed. */
struct audit_changes {
	size_t pairs, count;
	struct audit_change *items; /* owned; NULL where memory is short */
};
struct audit_changes audit_changes_of(const struct audit *audit);

#define AUDIT_VERSION_TEXT 32
const char *audit_version_print(uint32_t number, char out[AUDIT_VERSION_TEXT]); /* "13.1.0" */

#endif
