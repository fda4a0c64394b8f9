/* Two judgements beside each other: what diff says, as plain data. */
#ifndef GEMMJUDGE_STORE_PAIRS_H
#define GEMMJUDGE_STORE_PAIRS_H

#include "store/difference.h"

/* One shape that both were timed at. Borrowed of the two. */
struct pair_shape {
	const struct measured_time *a, *b;
	struct difference difference;
};

/* A counter of the emulated GPU that both have, and that is not the same. */
struct pair_counter {
	const struct measured_counter *a, *b;
};

#define PAIR_NOTES_MAX 14
#define PAIR_NOTE 320
struct pair {
	const struct measured *a, *b; /* borrowed */
	const char *names[2];         /* what notes call them: "A", "B" */
	bool worse, better;           /* b is not accepted where a is; the other way round */
	size_t shape_count, slower, faster;
	struct pair_shape *shapes; /* owned */
	double mean;               /* geometric, of all ratios; 0 without shapes */
	bool counted;              /* both have counters */
	size_t counter_count;
	struct pair_counter *counters; /* owned */
	size_t note_count;
	char notes[PAIR_NOTES_MAX][PAIR_NOTE]; /* what else differs between the two */
};

/* False with err where memory runs out. */
bool pair_make(const struct measured *a, const struct measured *b, struct pair *out,
			   struct error *err);
/* As pair_make(), with other words than A and B in the notes. */
bool pair_make_named(const struct measured *a, const struct measured *b, const char *name_a,
					 const char *name_b, struct pair *out, struct error *err);
void pair_free(struct pair *pair);

/* The last judgements of both that can be compared: of the same problem, on the same kind of device
 * where there are such, timed where there are such; not the same one twice. False where there are
 * none; with `one_device` also where they are of different devices. */
bool pair_choose(const struct measured_list *a, const struct measured_list *b, bool one_device,
				 const struct measured **chosen_a, const struct measured **chosen_b);

#endif
