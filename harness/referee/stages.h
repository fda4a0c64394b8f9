/* The referee's own idea of the stages of an epilogue: what each makes of a
 * value, in f64, and how far a correct f32 computation of it may lie from that.
 * README.md in this folder derives the bound. */
#ifndef GEMMJUDGE_REFEREE_STAGES_H
#define GEMMJUDGE_REFEREE_STAGES_H

#include <stdbool.h>

#include "chain/chain.h"
#include "testcases/type.h"

/* A value on its way through the chain: the kernel's own lies within `error` of
 * x, and is x itself where every step so far was exact in f32. An infinite error:
 * nothing is known of it. Of the error, `known` is not a sum's rounding errors, and the standard
 * deviation of these is at most `deviation`; 0: nothing is known of it. `or_nan`: a NaN is right,
 * too. */
struct carried {
	double x;
	float error, known, deviation;
	bool exact, or_nan;
};

enum stage_accuracy {
	STAGE_MOVES,    /* chooses among values: no rounding */
	STAGE_ROUNDS,   /* one f32 operation */
	STAGE_SCALES,   /* two products and a sum */
	STAGE_FUNCTION, /* as its form says */
};

/* What stages know besides their own members. */
struct stage_coordinate {
	const struct type *type; /* of outputs */
	double alpha, beta;
	double c;             /* the result's element before the call; 0 where beta is 0 */
	double accumulation;  /* the relative error that a sum may add to what it begins with */
	uint32_t row, column; /* rows of all batches are counted through */
};

/* How far correct f32 code of a function f may be off, in whichever of the usual ways it is
 * written: 2^-24 (relative |f(x)| + of_x |x| + of_one), and what is flushed to 0. README.md derives
 * the numbers. */
struct stage_form {
	double relative, of_x, of_one;
	double
		approximate; /* share of |x| or 1 that tanh.approx adds, for outputs of 16 bits and less */
	double largest;  /* the largest number on the way to f(x), in multiples of f(x) */
	bool nan_at_end; /* at -inf it is 0, or the NaN that inf * 0 is */
};

/* Elements that go through a stage together: the stage's members at each, as of apply(). */
struct stage_elements {
	uint32_t count;
	const double (*members)[CHAIN_MEMBERS_MAX];
	const struct stage_coordinate *places;
};

struct stage_reference {
	const char *name;
	enum stage_accuracy accuracy;
	const struct stage_form *form; /* of a function, or of the gate */
	/* members: the stage's arguments, and the elements of its inputs at the place
	 * of x, in the order of their declarations. */
	double (*apply)(double x, const double *members, const struct stage_coordinate *place);
	void (*each)(const double *x, const struct stage_elements *elements, double *y); /* apply() */
	/* The value that the stage writes, of the one that it has made, by one f32 operation; NULL:
	 * that value. */
	double (*written)(double y, const double *members, const struct stage_coordinate *place);
	/* The value that the stage's finish() makes of what it has reduced, by one f32 operation. */
	double (*finished)(double x, const double *members, const struct stage_coordinate *place);
	/* It writes gate(x) * next, of what it gets at an even column and the next: the function of
	 * another stage, without members. */
	double (*gate)(double x, const double *members, const struct stage_coordinate *place);
};

/* NULL: no reference of our own; the stage is custom, and run by a kernel made from its file. */
const struct stage_reference *stage_find(const struct chain_stage *stage);

void stage_carry(const struct stage_reference *reference, const double *members,
				 const struct stage_coordinate *place, struct carried *value);

/* *value as the stage has made it, becomes what the stage writes. */
void stage_write(const struct stage_reference *reference, const double *members,
				 const struct stage_coordinate *place, struct carried *value);

/* *value, which the stage has reduced, as its finish() leaves it. */
void stage_finish(const struct stage_reference *reference, struct carried *value);

/* What a stage that takes two columns writes; both as it gets them. */
struct carried stage_pair(const struct stage_reference *reference,
						  const struct stage_coordinate *place, const struct carried *x,
						  const struct carried *next);

/* What a stage computed elsewhere, in f32, made of x, x - error and x + error. */
void stage_take(const float y[3], const struct type *type, struct carried *value);

/* A finite f64 value that an f32 register cannot hold becomes what it would. */
void stage_settle(struct carried *value);

/* A unit in the last place of the type at y. */
double stage_ulp(const struct type *type, double y);

#endif
