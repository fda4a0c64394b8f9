/* The ABI side of the emulated GPU, internal to runtime/ and driver/: the state behind
 * NVIDIA's symbols. Every exported function takes the one lock, does its work,
 * and gives its status back through runtime_leave(). */
#ifndef EMULATOR_RUNTIME_RUNTIME_H
#define EMULATOR_RUNTIME_RUNTIME_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "emulator/exec/memory.h"
#include "emulator/machine.h"
#include "gpu/models.h"

#define KIB 1024
#define SHARED_DEFAULT ((size_t)48 * KIB) /* of a block, without an attribute */
#define MIB (1024 * 1024)

#define EXPORT __attribute__((visibility("default")))
/* Gives a function a second exported name (the per-thread-stream names:
 * everything runs in order here, so that all streams behave alike). */
#define EXPORT_ALIAS(name, alias_name)                                                             \
	extern __typeof(name) alias_name __attribute__((alias(#name), visibility("default")))

/* What programs may ask about a GPU (gpu.c). */
struct gpu {
	const char *id, *name; /* "h200"; "NVIDIA H200", as the card itself says */
	int major, minor;
	int multiprocessors;
	const int *cluster_groups; /* GPU_CLUSTER_GROUPS: multiprocessors that a cluster stays among */
	int clock_khz, memory_clock_khz, bus_bits;
	size_t memory_bytes;
	int l2_bytes, l2_persisting_bytes;
	int shared_per_multiprocessor, shared_per_block_optin;
	int shared_reserved; /* of each block, by the system */
	int threads_per_multiprocessor, blocks_per_multiprocessor;
};

struct function {
	struct function *next;
	struct binary *binary;
	const void *host;            /* the host stub's address */
	const char *name;            /* mangled */
	const struct kernel *kernel; /* NULL before the first use */
	int dynamic_shared_limit;    /* that the program has set, 0 too */
	bool dynamic_shared_set;     /* else it is 48 KiB less the static part */
	bool nonportable_cluster;
	int shared_mode;      /* enum size_mode */
	bool registers_asked; /* a line has named it */
	uint64_t launches;
	struct counters counters;
};

struct variable {
	struct variable *next;
	struct binary *binary;
	const void *host;
	void **managed; /* host pointer of a __managed__ variable, to be filled in */
	const char *name;
	size_t size;
	uint64_t address; /* 0 before the first use */
};

/* A registered fat binary, whose PTX is parsed when something of it is first used; or a module
 * that the program has loaded itself. */
struct binary {
	struct binary *next;
	const void *wrapper;
	bool loaded; /* by the program: no wrapper */
	struct module *module;
	bool parsed;
	cudaError_t status; /* of parsing */
};

struct CUstream_st {
	struct CUstream_st *next;
	unsigned flags;
	int priority;
	unsigned long long id;
	struct machine_clock clock; /* what comes before what is issued next */
};

struct CUevent_st {
	struct CUevent_st *next;
	unsigned flags;
	bool recorded;
	struct timespec time;
	unsigned long long round;   /* of the queue, in which it was recorded */
	uint64_t queued;            /* its bit there */
	struct machine_clock clock; /* what came before it */
};

struct runtime {
	bool ready;
	cudaError_t init_status;
	struct gpu made;
	const struct gpu *gpu; /* that; NULL before */
	struct machine_options options;
	uint64_t step_budget;  /* of `options`, as at the start */
	const char *registers; /* EMULATED_GPU_REGISTERS, */
	const char *counters;  /* EMULATED_GPU_COUNTERS; NULL: not set */
	char *counters_at;     /* memory in its place (cudaEmulatedCounters); NULL: none */
	size_t counters_room;
	uint64_t launches; /* of all kernels */
	struct binary *binaries;
	struct function *functions;
	struct function *retired; /* of unloaded modules, for their counters */
	struct variable *variables;
	struct CUstream_st *streams;
	unsigned long long streams_made;
	struct CUevent_st *events;
	cudaError_t fault;   /* sticky, as in CUDA: the context is lost */
	bool fault_surfaced; /* a synchronising call has reported it */
	size_t limits[8];    /* cudaDeviceSetLimit */
	unsigned device_flags;
	bool unguarded;     /* the program has managed variables */
	bool used;          /* a call of the runtime's own, not one for the driver, was made: ever, */
	bool holds_primary; /* and since the last reset, so that the primary context exists */
};
extern struct runtime runtime;

/* Takes the lock, initialises on the first call, and runs what is queued. Anything but success: do
 * nothing and pass it to runtime_leave(). */
cudaError_t runtime_enter(void);
/* As runtime_enter() for calls that wait for less than the whole device, and say so by themselves
 * (timeline_host_waits). */
cudaError_t runtime_enter_apart(void);
/* As runtime_enter() for calls that wait for nothing on a GPU: what is queued stays so. */
cudaError_t runtime_enter_queueing(void);
/* As runtime_enter() for nvcc's start-up code, before the program has asked for anything. */
void runtime_enter_early(void);
/* Releases the lock; remembers a failure for cudaGetLastError, and for cudaEmulatedFailure as one
 * of this function; returns `status`. */
#define runtime_leave(status) runtime_leave_call(__func__, status)
cudaError_t runtime_leave_call(const char *call, cudaError_t status);
/* As runtime_leave() without remembering: for cudaErrorNotReady and getters of errors. */
cudaError_t runtime_leave_quietly(cudaError_t status);
/* The driver's functions are mostly the runtime's under other names. Between these two calls
 * messages name the driver's function, and cudaGetLastError() does not learn of failures. */
void runtime_call_begin(const char *name);
void runtime_call_end(void);
/* The driver's function that is running, else `own`. Lives as long as the process. */
const char *runtime_call_name(const char *own);
/* How many calls of the runtime's own the calling thread has made: each gives it the primary
 * context, unless it has another. */
unsigned long long runtime_own_calls(void);
/* The primary context is gone: no pointer, handle or module of it is valid any more, and the next
 * call of the runtime begins anew. With the lock held. */
void runtime_reset(void);
void stream_drop_all(void);           /* its part in stream.c, */
void runtime_modules_drop_all(void);  /* in module.c */
void runtime_textures_drop_all(void); /* in texture.c */
/* Device memory is out of the program's reach but for the time that kernels and
 * copies need it (memory_guard). */
void runtime_open_memory(void);
void runtime_close_memory(void);
/* One line on stderr, "emulated GPU: ..." */
void runtime_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes a kernel's fault the sticky error, and says it. */
void runtime_fault(const struct fault *fault);

/* Why the calling thread's call is about to fail, and what to do (NULL: nothing comes to mind).
 * refusal.c keeps it for cudaEmulatedFailure. */
void refusal_reason(const char *advice, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* As refusal_reason(), and says it. */
void refusal_say(const char *advice, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The call has ended with this status. */
void refusal_note(const char *call, cudaError_t status);
/* The calling thread's calls that failed are not kept any longer. */
void refusal_forget(void);
/* A kernel has failed: what to do. */
void refusal_fault(const struct fault *fault);
/* What may be wrong where no call failed; "": nothing. */
void refusal_suspect(const char *advice);

bool gpu_make(const char *id, struct gpu *out); /* false: none such is emulated */

/* Says which EMULATED_GPU_* variables are unknown or have values that are not understood. */
void environment_check(void);
/* The variable's value; 0 when it is not set or no number. */
uint64_t environment_number(const char *name);
/* A copy of its text, for as long as the process lives; NULL where it is not set, or empty. */
char *environment_text(const char *name);
/* That of a text, which may be NULL. */
enum machine_swizzle environment_swizzle(const char *text);

/* By host stub address or by the handle that cudaGetKernel gave; the kernel is
 * looked up (and its module parsed) when that has not happened. */
cudaError_t function_find(const void *host, struct function **out);
cudaError_t variable_find(const void *host, struct variable **out);

/* A module from PTX text with a 0 at its end, or from a fat binary (or nvcc's wrapper of one).
 * On failure *fault holds what there is to say, which has been said. */
cudaError_t binary_load(const void *image, struct binary **out, struct fault *fault);
/* The CUDA that the program was compiled for, by the newest PTX that it has brought so far, or that
 * of the toolkit which the emulator was built with, where that is newer: 13050 for CUDA 13.5. */
int runtime_cuda_version(void);
/* Whether the program has loaded it and not unloaded it. */
bool binary_valid(const struct binary *binary);
void binary_unload(struct binary *binary);
/* NULL: it has no such kernel, or there is no memory. */
struct function *binary_function(struct binary *binary, const char *name);

bool stream_valid(cudaStream_t stream);
/* Whether its work waits for that of the legacy default stream, and the other way round. */
static inline bool stream_blocking(cudaStream_t stream)
{
	return stream == cudaStreamPerThread || (stream != NULL && stream != cudaStreamLegacy &&
											 !(stream->flags & cudaStreamNonBlocking));
}
/* What a stream is to do on the host: *now, the caller does it, with the lock free; else the stream
 * is captured, and its graph has it. Takes the lock. */
cudaError_t stream_host_function(cudaStream_t stream, cudaHostFn_t function, void *data, bool *now);

/* timeline.c: what CUDA orders, for the race check. All with the lock held; nothing happens where
 * races are not looked for. */
void timeline_issue(cudaStream_t stream, bool programmatic, bool launches_dependents,
					struct machine_order *out);
/* As timeline_issue() for the node of a graph, which comes after what `before` has seen alone.
 * Nodes with different `which` are mostly in no order by themselves. */
void timeline_issue_node(unsigned long long which, const struct machine_clock *before,
						 struct machine_order *out);
/* `into` sees the operation, and all that came before it. */
void timeline_see(struct machine_clock *into, const struct machine_order *order);
void timeline_join(struct machine_clock *into, const struct machine_clock *more);
void timeline_record(cudaStream_t stream, struct machine_clock *event);
void timeline_wait(cudaStream_t stream, const struct machine_clock *event);
void timeline_host_waits(const struct machine_clock *clock);
void timeline_host_waits_stream(cudaStream_t stream);
void timeline_host_waits_all(void);
/* A copy, or a fill (from NULL); fails where it races. `keep`: what is issued later may be
 * unordered with it. */
cudaError_t timeline_copy(const struct machine_order *order, const char *call, bool keep,
						  const void *to, const void *from, size_t size);

/* What a launch says of its sizes, before what its function does (enum size_mode of newer.h). */
struct size_modes {
	int shared, cluster;
};

/* queue.c: kernels that CUDA leaves unordered, and the events between, until a call waits for
 * them. All with the lock held. */
struct queued {
	cudaStream_t stream;
	struct function *function; /* NULL: an event */
	struct launch run;
	dim3 grid, block;           /* as asked for: the grid may count clusters */
	struct machine_order order; /* of the run */
	void *parameters;           /* its own copy */
	struct size_modes modes;
	bool cooperative;
	bool launches_dependents; /* the next kernel of the stream may begin before it ends */
	bool early;               /* begins before the kernel that it depends on has ended */
	struct CUevent_st *event; /* NULL: only `after` */
	uint64_t after;           /* further ones of the queue that come before it */
	bool of_graph;            /* no others come before it: a graph's nodes are in one stream */
	/* of a node that is no kernel; NULL: nothing */
	void (*work)(cudaGraphNode_t node, const struct machine_order *order);
	cudaGraphNode_t node;
};
/* Room for a kernel's parameters, to be freed; NULL: no memory. */
void *queue_parameters(size_t bytes);
/* Whether a kernel goes into the queue. */
bool queue_wanted(const struct queued *entry);
/* Takes the parameters, too. What is queued is run first where there is no room. */
void queue_add(struct queued *entry);
/* What has to come before anything that is added to the stream now, a bit each; 0: nothing. */
uint64_t queue_of_stream(cudaStream_t stream);
/* The bit of the last that was added, in this round: a round ends when the queue is run. */
uint64_t queue_last(void);
unsigned long long queue_round(void);
void queue_run(void);
void queue_drop(void);
void queue_record_event(struct CUevent_st *event); /* now */
/* Runs the kernel now. */
cudaError_t queue_run_now(struct function *function, struct launch *run, bool cooperative);
/* Calls a function of the program's, which may call nothing here, with the lock held. */
void runtime_call_host(void (*function)(void *data), void *data);

static inline size_t runtime_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Blocks that a multiprocessor takes at once, with `registers` a thread; 0: that these do not
 * matter. */
int runtime_occupancy(const struct kernel_properties *facts, size_t threads, size_t shared_bytes,
					  int registers);

/* `cluster` 0,0,0, which nobody asked for: as the kernel says. */
struct launch_request {
	struct function *function;
	dim3 grid, block, cluster;
	bool cluster_set; /* by an attribute, 0 too */
	void **arguments;
	const void *packed;  /* instead of `arguments`: the parameter block as it is, */
	size_t packed_bytes; /* which may end before the kernel's does */
	size_t shared_bytes;
	cudaStream_t stream;
	bool cooperative;
	bool programmatic; /* may begin before the kernel before it has ended */
	struct size_modes modes;
};
/* Looks at the request as a launch does: the kernel, with parameters of its own in `out`. With the
 * lock held. */
cudaError_t launch_prepare(const struct launch_request *request, struct queued *out);
/* Finds the function and launches it; takes the lock. */
cudaError_t launch_host(const void *host, struct launch_request *request);
/* Fills in what the configuration says, its attributes too. */
cudaError_t launch_configure(const cudaLaunchConfig_t *config, struct launch_request *request);
cudaError_t launch_attribute(const cudaLaunchAttribute *attribute, struct launch_request *request);
/* Takes the parameters from `extra`, a list of names and values as the driver has it, or NULL. */
cudaError_t launch_extra(void **extra, struct launch_request *request);
/* What a launch that says `mode` may ask for of dynamic shared memory. */
size_t runtime_dynamic_shared_limit(const struct function *function, int mode,
									const struct kernel_properties *facts);
/* Blocks of a multiprocessor that can be resident together; and how many can be with as many
 * registers as the kernel may have at most. */
int runtime_occupancy_blocks(struct function *function, size_t threads, size_t shared_bytes);
int runtime_occupancy_least(const struct function *function, size_t threads, size_t shared_bytes);
/* How many blocks of it the GPU holds at once; at most, where nobody has said how many registers it
 * takes. */
uint64_t runtime_resident_blocks(const struct function *function, size_t threads,
								 size_t shared_bytes);

/* The registers that ptxas gives a thread of the kernel; 0: nobody has said. */
int registers_known(const struct function *function);
/* Whether somebody would find out. Then says that they matter, and why. */
bool registers_wanted(void);
void registers_ask(struct function *function, const char *why);
/* Blocks of so many threads that a multiprocessor's registers are enough for; threads of a block
 * that they are enough for. */
size_t registers_blocks(int registers, size_t threads);
size_t registers_threads(int registers);
/* Blocks that a cluster of the function may have, in a launch that says `mode`. */
unsigned runtime_cluster_limit(const struct function *function, int mode);

/* Writes the counters as JSON to the file that EMULATED_GPU_COUNTERS names, or to where
 * cudaEmulatedCounters() has said. */
void counters_write(void);
/* As counters_write(), with the lock held: after a launch (then only every so often), or
 * `now`, when something may have been left out. */
void counters_write_sometimes(bool now);

/* Whether `size` bytes at `address` lie in one allocation; says so if not. */
bool runtime_range_check(const char *call, uint64_t address, size_t size);
/* NVIDIA's own declarations stand in cuda_profiler_api.h, which not every toolkit has. */
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
/* What is said of an error code; NULL: nothing but its name. */
const char *error_text(cudaError_t code);

#endif
