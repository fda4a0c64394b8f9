/* The messages between the supervisor and its two kinds of children: plain
 * structs, one a packet, sent within one machine by programs built together.
 * Every message starts with `struct message`. A child answers each request with
 * one reply; a reply with ok == false carries an error line and nothing else. */
#ifndef GEMMJUDGE_PROCESS_PROTOCOL_H
#define GEMMJUDGE_PROCESS_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "testcases/case.h"

enum message_type {
	/* to the referee */
	MESSAGE_REFEREE_OPEN = 1,
	MESSAGE_REFEREE_CASE,
	MESSAGE_REFEREE_RESET,
	MESSAGE_REFEREE_CHECK,
	/* to the contestant */
	MESSAGE_CONTESTANT_OPEN = 100,
	MESSAGE_CONTESTANT_CASE,
	MESSAGE_CONTESTANT_RUN,
	MESSAGE_CONTESTANT_TIME,
};

struct message {
	uint32_t type;
	uint32_t ok; /* replies: 0 means failure, `error` says why */
	char error[1024];
};

/* Where the solution runs. */
enum device_kind { DEVICE_CUDA, DEVICE_EMULATED };

struct device_choice {
	enum device_kind kind;
	int ordinal;              /* CUDA device number */
	char runtime_folder[512]; /* DEVICE_EMULATED: folder with the libcudart.so.13 to load */
};

struct device_facts {
	char name[128];        /* "NVIDIA H200"; "emulated GPU" */
	char architecture[16]; /* for nvcc: "90a"; "" where the device runs PTX */
	int multiprocessors;
	uint64_t memory_bytes, l2_bytes;
	int sm_clock_khz;    /* maximum SM clock; 0 unknown */
	char pci_bus_id[32]; /* "0000:01:00.0" (cudaDeviceGetPCIBusId), for NVML; "" unknown */
	char driver[32], runtime[32], library[64]; /* versions; library: "cuBLAS 13.1.0" */
};

/* ---- buffers ---------------------------------------------------------- */

/* One arena holds `sets` copies of a case's buffers, set i at byte
 * i * set_stride; the offsets are within a set, each a multiple of 256, with a
 * guard band before and after every buffer (GUARD_BYTES of GUARD_PATTERN).
 *
 * DEVICE_CUDA: the arena is device memory of the referee, opened with
 * cudaIpcOpenMemHandle(ipc_handle). DEVICE_EMULATED: it is a memfd sent along
 * with the message; the contestant copies it to and from memory that it
 * allocates itself, each buffer an allocation of exactly its size, so that the
 * emulated GPU sees every access outside of it. */
struct arena {
	uint8_t ipc_handle[64];
	uint64_t bytes;
	uint64_t set_stride;
	uint32_t sets;
	uint64_t a_offset, b_offset, c_offset;
	uint64_t a_bytes, b_bytes, c_bytes;
};

#define GUARD_BYTES 4096u
#define GUARD_PATTERN 0xA5u
/* What the poisoned part of C holds: a NaN of every dtype (0xFFFF.. in f16,
 * bf16 and f32). Used for C when beta = 0. */
#define POISON_PATTERN 0xFFu

/* ---- referee ---------------------------------------------------------- */

struct referee_open {
	struct message head;
	struct device_choice device;
};
struct referee_open_reply {
	struct message head;
	struct device_facts facts;
};

/* Makes the buffers of a case. sets = 1 for checking; for timing, sets = 0 asks
 * for as many as fill twice the L2 cache, at least 4, within a quarter of the
 * free device memory. Set i draws its values with seed + i. C holds the case's
 * C when beta != 0 and poison otherwise. */
struct referee_case {
	struct message head;
	char problem[32];
	struct test_case test;
	uint32_t sets;
};
struct referee_case_reply {
	struct message head;
	struct arena arena; /* DEVICE_EMULATED: the memfd comes with this reply */
};

/* Puts C of every set back (its values, or poison), and the guard bands, and
 * sweeps the L2 cache, so that the pass that follows finds nothing in it. With
 * fresh != 0, A, B and C of all sets are drawn anew with that seed. */
struct referee_reset {
	struct message head;
	uint64_t fresh;
};

enum tolerance_kind { TOLERANCE_BOUND, TOLERANCE_FLAT };

struct tolerance {
	enum tolerance_kind kind;
	double atol, rtol; /* TOLERANCE_FLAT: |out - ref| <= atol + rtol*|ref| */
};

/* Compares C of one set with the reference, and looks at guards, A and B. */
struct referee_check {
	struct message head;
	uint32_t set;
	struct tolerance tolerance;
};

#define CHECK_SHOWN 4
struct wrong_element {
	int32_t row, column;
	double got, want, bound;
};
struct referee_check_reply {
	struct message head;
	uint64_t elements;  /* of C */
	uint64_t wrong;     /* elements outside their bound */
	uint64_t untouched; /* wrong ones that still hold the poison */
	double worst_ratio; /* max |out - ref| / bound; inf for NaN; exact cases: 0 or inf */
	double worst_error; /* max |out - ref| over finite elements */
	int32_t worst_row, worst_column;
	uint32_t shown; /* how many of first[] are filled, in row-major order */
	struct wrong_element first[CHECK_SHOWN];
	uint64_t a_changed, b_changed; /* elements of the inputs that changed */
	uint64_t guard_changed;        /* bytes of guard bands that changed */
	int64_t guard_nearest; /* signed distance in bytes of the nearest changed guard byte from
							  its buffer: -1 just before it, +0 just after its end */
	char guard_buffer;     /* 'A', 'B' or 'C' */
	uint32_t reference_spot_checks;   /* elements of the reference compared with an f64 dot
										 product made on the CPU from regenerated inputs */
	uint32_t reference_disagreements; /* of those outside their bound: a library bug */
};

/* ---- contestant ------------------------------------------------------- */

struct contestant_open {
	struct message head;
	struct device_choice device;
	char solution[4096]; /* path of the compiled solution (.so) */
	char problem[32];
	uint32_t libraries_allowed; /* a baseline: may use cuBLAS and its like */
};

struct contestant_case {
	struct message head;
	struct arena arena; /* DEVICE_EMULATED: the memfd comes along */
	struct test_case test;
};

/* One call of solve() on one set, then a device synchronisation. */
struct contestant_run {
	struct message head;
	uint32_t set;
};
/* Why a call failed, when it did; the reply itself is still ok. */
enum run_status {
	RUN_OK,
	RUN_DEVICE_ERROR,      /* a CUDA error: error_code, error_name, error_text */
	RUN_UNSUPPORTED,       /* the device lacks what the solution needs (no kernel image, an
							  instruction that the emulator does not know): error_text */
	RUN_NO_SOLVE,          /* the solution defines no extern "C" solve */
	RUN_UNLOADABLE,        /* dlopen refused it: an undefined symbol, usually of a library */
	RUN_FORBIDDEN_LIBRARY, /* it loaded a GEMM library: error_text names it */
};
struct contestant_reply { /* to OPEN, CASE and RUN */
	struct message head;
	enum run_status status;
	int32_t error_code;
	char error_name[64], error_text[512];
	double seconds; /* RUN: wall time of the call with its synchronisation */
};

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
	char error_name[64], error_text[512];
	uint32_t calls;      /* samples below */
	uint32_t activities; /* kernels, copies and sets per call, the most seen */
	float microseconds[TIME_CALLS_MAX];
};

#endif
