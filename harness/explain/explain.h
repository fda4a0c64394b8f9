/* What bounds a solution at a shape on a GPU: counted on an emulated GPU, predicted by the model,
 * told in sentences, and shown. */
#ifndef GEMMJUDGE_EXPLAIN_EXPLAIN_H
#define GEMMJUDGE_EXPLAIN_EXPLAIN_H

#include <stdio.h>

#include "judge/count.h"
#include "judge/plan.h"
#include "schedules/counted.h"
#include "schedules/model.h"

/* A kernel of the call. */
struct explained_kernel {
	const struct kernel_counters *raw;
	struct counted_kernel counted;
	const struct kernel_resources *resources; /* NULL: no machine code */
	struct demand demand;
	bool fits; /* a block of it fits the GPU; else only time.occupancy is known */
	struct demand_time time;
	enum demand_part
		gain;       /* the part without which, but for what the problem itself needs of it, */
	double without; /* the fewest seconds would remain: these */
};

/* The least that the shape takes on the GPU, in seconds. */
struct explain_bounds {
	double operations, bytes; /* of the problem: each operand once */
	enum tune_unit unit;      /* that its types allow */
	/* Operations that the file makes of them on tensor cores, which multiply narrower numbers than
	 * the problem's f32: several for each. `unit` is then where it makes most. 0: it does not. */
	double narrower;
	double arithmetic, memory, launch;
	double least; /* the longest of them */
};

struct explained {
	const struct judge_options *judge;
	const char *file;
	struct plan plan;
	const struct test_case *test; /* the plan's */
	struct tune_gpu gpu;          /* the caller's to set, */
	bool at_hand;                 /* and whether it is here: it is `measured` then */
	const char *emulated;         /* that counted: "h200" */
	const char *architecture;     /* that was compiled for: "90a" */
	struct explain_bounds bounds;
	struct counted counted;
	struct resources resources;
	size_t count;
	struct explained_kernel *kernels; /* the longest first; owned */
	bool predicted;                   /* all kernels fit: `total` */
	struct demand_time total;
	double measured; /* seconds; 0: not measured */
	char unmeasured[512];
};

/* Reads what is asked of judge->files[0], which is borrowed; then the caller chooses the GPU. False
 * with err. To be freed in any case. */
bool explain_open(struct explained *explained, const struct judge_options *judge,
				  struct error *err);
void explain_free(struct explained *explained);

/* Counts on the emulated GPU; JUDGE_DONE, or why the judge cannot go on. Then the times that follow
 * from that, and, where the GPU is at hand, the one that is measured; false with err. A call that
 * went wrong or that does not fit the GPU is no error: nothing is `predicted`. */
enum judge_status explain_count(struct explained *explained, const struct judge_progress *progress,
								struct error *err);
bool explain_predict(struct explained *explained, struct error *err);

/* As text; without `verbose` kernels that take little have a line each. As JSON and as a page:
 * report_any_writers. */
void explain_show(const struct explained *explained, bool verbose, FILE *out);
void explain_json(const void *explained, FILE *out);
void explain_html(const void *explained, FILE *out);

/* ---- parts of these ---------------------------------------------------------------------------
 */

/* The parts that take a hundredth of the time or more, the longest first. */
struct explain_part {
	enum demand_part which;
	double seconds;
};
size_t explain_parts(const struct demand_time *time, struct explain_part out[DEMAND_PARTS]);

/* What bounds a kernel, in a sentence. */
#define EXPLAIN_WORDS 512
void explain_bottleneck(const struct explained *explained, const struct explained_kernel *kernel,
						enum demand_part part, char out[EXPLAIN_WORDS]);

/* The lines of the source that cause most of it, the most first: their numbers in
 * kernel->raw->lines and the share of each; how many (at most `most`). */
struct explain_line {
	const struct line_counters *line;
	double share; /* of the kernel's, 0 to 1 */
};
size_t explain_lines(const struct explained_kernel *kernel, enum demand_part part,
					 struct explain_line *out, size_t most);

/* "2.81 ms" */
#define EXPLAIN_NUMBER 32
const char *explain_time(double seconds, char out[EXPLAIN_NUMBER]);

/* Sentences without a capital and a full stop. Those that return false have nothing to say. */
#define EXPLAIN_TEXT 1024
void explain_say_shape(const struct explained *explained, char out[EXPLAIN_TEXT]);
void explain_say_bounds(const struct explained *explained, char out[EXPLAIN_TEXT]);
void explain_say_launch(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT]);
void explain_say_registers(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT]);
void explain_say_occupancy(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT]);
void explain_say_waves(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT]);
void explain_say_instructions(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT]);
void explain_say_global(const struct explained *explained, const struct explained_kernel *kernel,
						char out[EXPLAIN_TEXT]);
bool explain_say_shared(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT]);
/* What takes longest, and, where that is something else, what costs most beyond the problem's own
 * needs: what a next step would better. */
void explain_say_bound(const struct explained *explained, const struct explained_kernel *kernel,
					   char out[EXPLAIN_TEXT]);
bool explain_say_gain(const struct explained *explained, const struct explained_kernel *kernel,
					  char out[EXPLAIN_TEXT]);
void explain_say_prediction(const struct explained *explained, char out[EXPLAIN_TEXT]);
bool explain_say_measured(const struct explained *explained, char out[EXPLAIN_TEXT]);
void explain_say_failure(const struct explained *explained, char out[EXPLAIN_TEXT]);

/* The text of a line of the file, or of a header beside it ("tile.cuh:17"), without blanks around
 * it; "" where it is not there. */
void explain_source(const char *file, const char *place, char out[EXPLAIN_TEXT]);

#endif
