/* The messages between the supervisor and its two kinds of children: plain
 * structs, one a packet, sent within one machine by programs built together.
 * Every message starts with `struct message`. A child answers each request with
 * one reply; a reply with ok == false carries an error line and nothing else. */
#ifndef GEMMJUDGE_PROCESS_PROTOCOL_H
#define GEMMJUDGE_PROCESS_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/paths.h"
#include "chain/chain.h"
#include "judgement/bits.h"
#include "judgement/check.h"
#include "judgement/device.h"
#include "judgement/timing.h"
#include "judgement/wrong.h"
#include "testcases/case.h"
#include "testcases/entry.h"

enum message_type {
	/* to the referee */
	MESSAGE_REFEREE_OPEN = 1,
	MESSAGE_REFEREE_CASE,
	MESSAGE_REFEREE_RESET,
	MESSAGE_REFEREE_DESCRIPTOR,
	MESSAGE_REFEREE_CHECK,
	MESSAGE_REFEREE_REFILL,
	MESSAGE_REFEREE_RECHECK,
	MESSAGE_REFEREE_EXPLAIN,
	MESSAGE_REFEREE_DIGEST,
	MESSAGE_REFEREE_ARRANGE,
	MESSAGE_REFEREE_BITS,
	MESSAGE_REFEREE_STAGE_OPEN,
	MESSAGE_REFEREE_STAGE_CLOSE,
	MESSAGE_REFEREE_REFERENCE_OPEN,
	MESSAGE_REFEREE_REFERENCE_CLOSE,
	/* to the contestant */
	MESSAGE_CONTESTANT_OPEN = 100,
	MESSAGE_CONTESTANT_LOAD,
	MESSAGE_CONTESTANT_CASE,
	MESSAGE_CONTESTANT_RUN,
	MESSAGE_CONTESTANT_TIME,
	MESSAGE_CONTESTANT_SEALED,
	MESSAGE_CONTESTANT_GO,
	MESSAGE_CONTESTANT_CALL,
	MESSAGE_CONTESTANT_END,
	MESSAGE_CONTESTANT_LIBRARY,
	MESSAGE_CONTESTANT_STREAM,
	MESSAGE_CONTESTANT_PART,
};

/* Steps within a request that a reply tells the seconds of. */
enum message_part { PART_CONTEXT, PART_LIBRARY, PART_JAIL, PART_REFERENCE, PART_COUNT };

struct message {
	uint32_t type;
	uint32_t ok; /* replies: 0 means failure, `error` says why */
	char error[1008];
	float seconds[PART_COUNT]; /* replies */
};

struct device_choice {
	enum device_kind kind;
	int ordinal;              /* CUDA device number */
	char runtime_folder[512]; /* DEVICE_EMULATED: folder with the libcudart.so.13 to load */
};

/* ---- buffers ---------------------------------------------------------- */

/* One arena holds `sets` copies of a case's buffers, set i at byte
 * i * set_stride; the offsets are within a set, each a multiple of 256, with a
 * guard band before and after every buffer (GUARD_BYTES of GUARD_PATTERN). Which
 * buffer is which buffers.h says.
 *
 * DEVICE_CUDA: the arena is device memory of the referee, opened with
 * cudaIpcOpenMemHandle(ipc_handle). DEVICE_EMULATED: it is a memfd sent along
 * with the message; the contestant copies it to and from memory that it
 * allocates itself, each buffer an allocation of exactly its size, so that the
 * emulated GPU sees every access outside of it. A contestant on a GPU that gets a
 * memfd does the same. */
struct arena_buffer {
	uint64_t offset, bytes;
};
struct arena {
	uint8_t ipc_handle[64];
	uint64_t bytes;
	uint64_t set_stride;
	uint32_t sets;
	uint32_t count; /* of buffers */
	struct arena_buffer buffers[BUFFERS_MAX];
};

#define GUARD_BYTES 4096u
#define GUARD_PATTERN 0xA5u

/* ---- referee ---------------------------------------------------------- */

/* Opens the device. A referee that has it open already becomes as new: what it knows of cases is
 * gone, and the memory that they had is wiped. It is refused where something has written to that
 * memory since the last call was checked; the referee is then to be replaced. Every process that
 * had a case's memory has to be gone by then. */
struct referee_open {
	struct message head;
	struct device_choice device;
};
struct referee_open_reply {
	struct message head;
	struct device_properties facts;
};

/* Makes the buffers of a case, in `sets` copies, at least one. Every buffer holds
 * what its row in the table says; set i draws with seed + i. */
struct referee_case {
	struct message head;
	char problem[32];
	char problem_file[PATHS_MAX]; /* its folder, where it is a file's; "": a row of the table */
	struct test_case test;
	struct chain chain;
	uint32_t sets;
	uint32_t group; /* > 0, a sealed case: so many sets each are memory of their own, shared by a
					   descriptor of its own; at most GROUP_MAX, and a divisor of `sets` */
	uint32_t first; /* only set 0 is drawn: ARRANGE will copy it into the others */
};
struct referee_case_reply {
	struct message head;
	struct arena arena;     /* DEVICE_EMULATED: the memfd comes with this reply */
	uint32_t custom_stages; /* bit i: the referee has no reference for stage i of the chain, which
								is therefore run by itself whenever a check comes to it */
};

/* Draws again whatever a call may have written, in every set, restores the guard bands, and
 * sweeps the L2 cache, so that the pass that follows finds nothing in it. With fresh != 0, all
 * buffers of all sets are drawn anew with that seed. */
struct referee_reset {
	struct message head;
	uint64_t fresh;
};

/* What shares a group of sets of a sealed case; it comes with the reply, a struct message. Whoever
 * has it sees them, then and later. */
#define GROUP_MAX 1024u
struct referee_descriptor {
	struct message head;
	uint32_t group;
};

enum tolerance_kind { TOLERANCE_BOUND, TOLERANCE_FLAT };

struct tolerance {
	enum tolerance_kind kind;
	double atol, rtol; /* TOLERANCE_FLAT: |out - ref| <= atol + rtol*|ref| */
	double beyond;     /* the share of the elements that may be beyond it; 0: none */
};

/* Compares the result of one set, and what stages of the chain have written, with the
 * reference, and looks at guards and inputs.
 *
 * Of a sealed case a copy is compared that nobody else can reach, and told whether it has the
 * digests that the call was ended with. With rows > 0 only so many rows are compared, all of one
 * batch, drawn when nobody can do anything about it any more; where only all rows can be compared
 * (a closure, a device without rows_alone, custom stages) they are.
 *
 * Custom stages are the supervisor's to run: the reply then tells of what comes before the first
 * of them. For each in turn, STAGE_OPEN brings an arena of STAGE_SETS sets in a memfd, laid out by
 * buffers_of_stage(): X holds what the stage gets (set 0), the least that it may be (1) and the
 * most (2). When every set has been through PROBLEM_STAGE's call, STAGE_CLOSE takes the results
 * and goes on to the next custom stage or to the end; its reply is a referee_check_reply. A stage
 * with a finish() is opened and closed a second time, with what it reduced in X. */
struct referee_check {
	struct message head;
	uint32_t set;
	uint32_t plain; /* the call computed what a solution computes without an epilogue, whatever the
					   chain of the case */
	struct tolerance tolerance;
	uint32_t rows;
	struct digest digests[BUFFERS_MAX]; /* of the outputs, at their places among the buffers */
};
#define CHECK_ROWS_MAX 64

#define STAGE_SETS 3
struct referee_stage {
	struct message head;
	uint32_t stage; /* of the chain */
};
struct referee_stage_reply { /* to STAGE_OPEN */
	struct message head;
	struct arena arena;
};

struct referee_check_reply {
	struct message head;
	struct check_summary found;
};

/* What an element of the result should be, of a problem of a file: its value, how far from it an
 * honest one may be before it is rounded to its type, and the standard deviation that its error has
 * at most. harness/reference/README.md derives both. */
struct reference_bound {
	double value, error, deviation;
};

/* A problem of a file: its reference is the supervisor's to run before the CHECK of a set. OPEN
 * brings an arena of one set in a memfd, laid out by buffers_of_reference(), with the inputs that
 * the set was drawn with; `known` says that this has been done already, and there is none. When the
 * reference's solve() has been called on it, CLOSE takes the bounds.
 *
 * With `faults` what the last CHECK found wrong goes along instead, and the reply to CLOSE tells by
 * which faults of the reference's steps it would be as it is (judgement/wrong.h, step_faults). */
struct referee_reference { /* OPEN, CLOSE */
	struct message head;
	uint32_t set, faults;
};
struct referee_reference_reply {
	struct message head;
	struct arena arena; /* to OPEN */
	uint32_t known;
	uint64_t step_faults; /* to CLOSE */
};

/* After a CHECK that found suspect elements, of a case that is not sealed and has no custom
 * stages: an element that no call has written, and one that was made of what it held, may look the
 * same. REFILL gives the result other values, different in every element; the reply is a struct
 * message. Then comes one more call on the set that was checked, and RECHECK looks at what it left
 * in the result. It answers as CHECK did, of the first call, with `untouched`, `read` and
 * `mended` as both calls tell: unwritten is what holds its old bits after both. */
struct referee_again { /* REFILL, RECHECK */
	struct message head;
};

/* What the wrong elements of the last CHECK have in common, and since then nothing was asked but
 * REFILL and RECHECK. The result that was checked is looked at once more, not what its buffers hold
 * by now. Costs as much
 * as the comparison, and at most EXPLAIN_TERMS products for each fault that is tried, of operands
 * of at most as many elements. */
#define EXPLAIN_TERMS (1u << 22)
struct referee_explain {
	struct message head;
};
struct referee_explain_reply {
	struct message head;
	struct wrong_pattern facts;
};

/* The digest of what a set's result holds now, of a case that is not sealed: whether calls give the
 * same bits costs far less than to compare them with the reference. */
struct referee_digest {
	struct message head;
	uint32_t set;
};
struct referee_digest_reply {
	struct message head;
	struct digest result;
};

/* Arranges the operands of set 0 for calls whose bits are compared, and copies all buffers of set 0
 * to the others. It is for cases that are not sealed; CHECK is refused until the next CASE, as the
 * reference knows nothing of it. The reply is a struct message.
 *
 * With `cancels`, the second half of each sum has the products of the first half with the other
 * sign: what is left is rounding alone, so that nearly every element shows in which order it was
 * summed. Operands of integers and other algebras stay as they are: their order shows nowhere.
 *
 * With rows > 0 the first so many rows of the left operand and of the result, of the first batch,
 * stand in the rows from `to` on, too. */
struct referee_arrange {
	struct message head;
	uint32_t cancels;
	uint32_t rows, to;
};

/* Compares bits that calls have left in `sets` sets with those of an earlier call, be it of another
 * case with rows of the same length. With `keep` it is those of the first set that later ones are
 * compared with, in this slot, and the reply says nothing. With rows == 0 all outputs are compared;
 * else so many rows of the result, from `first` on, with the first ones that were kept. */
#define BITS_SLOTS 2
struct referee_bits {
	struct message head;
	uint32_t set, sets;
	uint32_t slot, keep;
	uint32_t rows, first;
};
struct referee_bits_reply {
	struct message head;
	struct bits_compared found;
};

/* ---- contestant ------------------------------------------------------- */

/* First: makes the context, then closes the process (jail.h). No code of a submission has run when
 * it answers. For the emulated GPU a file comes along (settings.h), with what it is set to and room
 * for what it counts. */
struct contestant_open {
	struct message head;
	struct device_choice device;
	char solution[4096];          /* path of the compiled solution (.so), which stays readable */
	char library_folder[4096];    /* a folder from which more solutions of the same author will be
								 loaded; it stays readable. "": none */
	char problem_file[PATHS_MAX]; /* as in struct referee_case: read before the process is closed */
	uint32_t layers;              /* to be closed; 0: none, for our own code and under a tool */
	uint32_t counts;              /* the emulated GPU writes its counters to that file */
	uint32_t timed;               /* TIME will follow */
	uint32_t libraries_allowed;   /* a baseline: may use cuBLAS and its like */
	uint32_t under_tool;          /* one looks on: operands are copies in allocations of their
									 size, on a GPU too, and the process ends with exit() */
	uint32_t tells;               /* of what the jail denies, where that can be had */
	uint32_t lent; /* our own code, which several use one after the other: who opens it as
					  the one before did, and loads the same, gets the same answers */
};
struct contestant_open_reply { /* with the descriptor for denied_listen(), where `tells` */
	struct message head;
	uint32_t layers;       /* that hold */
	char unavailable[512]; /* why others do not; "" where all do */
	uint32_t tells;        /* what the jail denies; nobody in this process has the descriptor */
	char untold[160];      /* why it does not */
	uint32_t sealed;       /* sealed calls can be made */
	char unsealed[400];    /* why they cannot */
};

/* Then: loads the solution; or, where OPEN has said so, another one in place of the last. What that
 * one has allocated stays. */
struct contestant_load {
	struct message head;
	char solution[4096];   /* as in OPEN */
	char problem[32];      /* whose call it has; PROBLEM_STAGE: a stage by itself */
	uint32_t has_epilogue; /* was compiled with a chain, and has to let it be bound */
	uint32_t order;        /* enum entry_order: how solution() gets its sizes, where there is no
							  solve() */
};

struct contestant_case {
	struct message head;
	struct arena arena; /* DEVICE_EMULATED: the memfd comes along */
	struct test_case test;
	struct chain chain; /* that the solution was compiled with; count 0: none */
};

/* Which part of a solution in parts (compile/in_parts.h) solve() would run for the case. */
struct contestant_part {
	struct message head;
	struct test_case test;
};

struct contestant_part_reply {
	struct message head;
	int32_t part; /* what solution_part() says */
};

/* One call of solve() on one set, then a device synchronisation; `more` such calls follow on the
 * sets behind it, up to the first that fails. The reply tells of the last one. */
#define RUN_CALLS_MAX 16
struct contestant_run {
	struct message head;
	uint32_t set, more;
	/* DEVICE_EMULATED: of each call, draws the order of what CUDA leaves unordered. */
	uint64_t orders[RUN_CALLS_MAX];
	uint64_t steps; /* emulated: warp instructions that a launch may take; 0: the device's own */
};
/* Why a call failed, when it did; the reply itself is still ok. */
enum run_status {
	RUN_OK,
	RUN_DEVICE_ERROR,      /* a CUDA error: error_code, error_name, error_text */
	RUN_UNSUPPORTED,       /* the device lacks what the solution needs (no kernel image, an
							  instruction that the emulator does not know): error_text */
	RUN_TIME_LIMIT,        /* a kernel did not end: the device stopped it */
	RUN_NO_SOLVE,          /* the solution defines no extern "C" solve, nor what is taken for one */
	RUN_UNLOADABLE,        /* dlopen refused it: an undefined symbol, usually of a library */
	RUN_FORBIDDEN_LIBRARY, /* it loaded a GEMM library: error_text names it */
	RUN_NO_EPILOGUE,       /* compiled with a chain, and does not include epilogue.cuh */
};
/* How details say RUN_NO_SOLVE. */
#define RUN_NO_SOLVE_TEXT "the file defines no extern \"C\" solve()"
/* Beginnings of what the process says on stderr of its own end (contestant/fault.h). */
#define FAULT_TOUCHED "host code touched "
#define FAULT_OF_DEVICE ", which is memory of the device"
#define FAULT_OF_NULL ", a null pointer"
#define FAULT_IN_SOLVE "solve() has not returned"
#define FAULT_ON_DEVICE "solve() has returned, and the device is at work"
/* How an emulated GPU says that a kernel runs still, between "emulated GPU: kernel NAME, ..." and
 * its end. */
#define FAULT_STILL_RUNS ": still runs"
/* What it says of a kernel that took all the instructions that it may, and then says how many those
 * are; or of one that waits for what nobody is left to do. */
#define FAULT_NEVER_ENDS ": does not end"
#define FAULT_OVER_STEPS " are the most"
/* Behind these: what an mbarrier lacks, "N arrivals and N bytes". */
#define FAULT_MBARRIER "its mbarrier waits for "

struct contestant_reply { /* to LOAD, CASE, RUN and STREAM */
	struct message head;
	enum run_status status;
	int32_t error_code;
	char error_name[RUN_NAME_BYTES], error_text[RUN_TEXT_BYTES];
	/* RUN: the device synchronised, but solve() left a CUDA error behind: what it would mean. The
	 * error_* tell of it, status is RUN_OK. It is no fault where the result is right. */
	enum run_status left;
	uint32_t entry; /* LOAD: enum entry_kind, what is called */
	double seconds; /* RUN: wall time of the call with its synchronisation; STREAM: of all calls */
	uint64_t calls; /* STREAM: how many there were */
	/* RUN, where the device knows: the first call of the solution that failed, and what to do about
	 * it or about the kernel that failed; "": nothing is known. */
	char failed[RUN_TEXT_BYTES], advice[RUN_TEXT_BYTES];
	int64_t kept_bytes; /* RUN: device memory that the call allocated and did not free */
	int64_t peak_bytes; /* RUN: the most that it had allocated at once, where the device knows; else
						   the same */
};

/* What the calls that follow use of a library, whose file defines more than solve()
 * (solutions/baselines/library.cuh); then what it tells of the last call. */
struct contestant_library {
	struct message head;
	enum library_mode mode;
	uint32_t thorough; /* all algorithms are enumerated, not just those that it suggests */
	int32_t use;       /* of its algorithms; LIBRARY_FASTEST */
	int32_t tell;      /* which of them `facts` are about; LIBRARY_FASTEST: the last call's */
};
#define LIBRARY_ALGORITHMS_MAX 4096 /* those behind them are not asked for */
struct contestant_library_reply {
	struct message head;
	uint32_t has_modes, has_algorithms; /* else what was chosen changes nothing */
	uint32_t refused;                   /* the library did not run the algorithm */
	int32_t algorithms;                 /* for the shape of the last call, at least 1 */
	uint32_t version;                   /* 130100: 13.1.0, of NVIDIA's library; 0: unknown */
	struct library_algorithm facts;
};

/* ---- sealed calls --------------------------------------------------------- */

/* Sealed calls come in groups: SEALED once, then GO, some CALLs and END for each group. Nothing of
 * the group's sets is known before GO brings the descriptor of their memory, and which of them is
 * called next, before the reply to the call before. The supervisor's clock runs from the sending
 * of GO to the reply to the last CALL. In each reply to a CALL the digests of all outputs commit
 * the contestant to them. */
struct contestant_sealed {
	struct message head;
	struct arena arena;    /* of one group */
	struct test_case test; /* without its seed */
	struct chain chain;
	uint64_t outputs; /* bit i: buffer i is digested */
};

struct contestant_go { /* the group's descriptor comes along; the reply is a struct message */
	struct message head;
};

struct contestant_call {
	struct message head;
	uint32_t set; /* of the group */
};
struct contestant_call_reply {
	struct message head;
	struct digest digests[BUFFERS_MAX];
};

/* Not timed: gives the group back, and tells with a contestant_reply how the calls went. */
struct contestant_end {
	struct message head;
};

/* ---- passes ---------------------------------------------------------------- */

/* Calls solve() once on each of the sets [first, first + warmups + calls), the
 * first `warmups` of them untimed. No set is used twice, so nothing is warm in
 * the L2. */
enum time_method {
	TIME_SPAN,  /* from the start of the call's first device activity to the end of its last
				   (CUPTI activity records) */
	TIME_EVENT, /* between two events around the call */
};
#define TIME_CALLS_MAX 4096
struct contestant_time {
	struct message head;
	enum time_method method;
	uint32_t first, warmups, calls;
};
struct contestant_time_reply {
	struct message head;
	enum run_status status;
	int32_t error_code;
	char error_name[RUN_NAME_BYTES], error_text[RUN_TEXT_BYTES];
	enum run_status left;       /* of the first call that left an error behind */
	uint32_t calls;             /* samples below */
	uint32_t activities;        /* kernels, copies and sets per call, the most seen */
	struct kernel_list kernels; /* TIME_SPAN: of the first timed call */
	float microseconds[TIME_CALLS_MAX];
};

/* Calls solve() back to back for so many seconds, on all sets in turn but `aside`, and then, where
 * it `ends` with that one, once on it: what a call wrote that was added to what the sets hold shows
 * there, and nowhere else, as one call would have it. The device is waited for before the first
 * call and after the last one; between them calls are queued, for some milliseconds at most. The
 * reply is a contestant_reply. */
struct contestant_stream {
	struct message head;
	double seconds;
	uint32_t aside, ends;
};
#define STREAM_SECONDS_MAX 60.0
#define STREAM_QUEUED 4 /* calls that are queued at a time, where one takes longer than that */

#endif
