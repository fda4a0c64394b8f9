/* Launches: clusters over host threads. */
#include "emulator/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulator/exec/kernel_name.h"
#include "emulator/exec/race_global.h"
#include "emulator/launch/resident.h"
#include "emulator/launch/resources.h"
#include "emulator/launch/start.h"

#define BLOCK_BUDGET ((uint64_t)4000000000)

/* Adds `count` numbers, as many times as there are clusters for one that was run. */
static void add_scaled(const struct exec_launch *launch, void *sum, const void *more, size_t count)
{
	uint64_t *to = sum;
	const uint64_t *from = more;
	const bool whole = launch->grid_clusters == launch->cluster_total;
	const double scale = (double)launch->grid_clusters / (double)launch->cluster_total;
	for (size_t i = 0; i < count; i++)
		to[i] += whole ? from[i] : (uint64_t)((double)from[i] * scale + 0.5);
}

#define NUMBERS(type) (sizeof(type) / sizeof(uint64_t))

static void report(struct exec_worker *worker)
{
	struct exec_launch *launch = worker->launch;
	pthread_mutex_lock(&launch->lock);
	if (worker->fault.kind != FAULT_NONE && !launch->faulted) {
		launch->faulted = true;
		*launch->fault = worker->fault;
	}
	if (launch->counters != NULL)
		add_scaled(launch, launch->counters, &worker->counters, NUMBERS(struct counters));
	if (worker->costs != NULL)
		add_scaled(launch, launch->program->costs, worker->costs,
				   launch->program->count * NUMBERS(struct line_cost));
	pthread_mutex_unlock(&launch->lock);
}

/* Runs the set, and takes back what it made. */
static void finish(struct resident_set *set)
{
	resident_run(set);
	for (uint32_t i = 0; i < set->count; i++)
		report(set->members[i]->worker);
	resident_free(set);
}

static void *work(void *argument)
{
	struct exec_worker *worker = argument;
	struct resident_set set = {.launch = worker->launch};
	if (!resident_join(&set, worker))
		atomic_store(&worker->launch->stop, true);
	finish(&set);
	return NULL;
}

/* A cooperative launch: a worker for each cluster, a few for each thread. */
struct share {
	struct exec_launch *launch;
	struct exec_worker *workers;
	uint64_t first; /* and every launch->threads-th after it */
};

static void *work_resident(void *argument)
{
	struct share *share = argument;
	struct exec_launch *launch = share->launch;
	struct resident_set set = {.launch = launch};
	for (uint64_t i = share->first; i < launch->cluster_total; i += (uint64_t)launch->threads) {
		start_cluster(&share->workers[i], i);
		if (!resident_join(&set, &share->workers[i]))
			atomic_store(&launch->stop, true);
	}
	finish(&set);
	return NULL;
}

/* ------------------------------------------------------------------------
 * The launch */

static bool refuse(struct fault *fault, const struct exec_program *program, enum fault_kind kind,
				   const char *what)
{
	*fault = (struct fault){.kind = kind};
	snprintf(fault->kernel, sizeof fault->kernel, "%s", program->function->name);
	char shown[KERNEL_NAME_SHOWN];
	kernel_name_show(program->function->name, shown, sizeof shown);
	snprintf(fault->text, sizeof fault->text, "kernel %s: %s", shown, what);
	return false;
}

static bool launch_valid(const struct exec_launch *launch, struct fault *fault)
{
	const struct launch *asked = launch->launch;
	const struct exec_program *program = launch->program;
	const uint32_t *required = program->function->required_block;
	uint64_t threads = 1;
	for (int i = 0; i < 3; i++) {
		if (asked->block[i] == 0 || asked->block[i] > 1024)
			return refuse(fault, program, FAULT_LAUNCH, "a block dimension is 0 or above 1024");
		if (asked->grid[i] == 0 || (i > 0 && asked->grid[i] > 65535))
			return refuse(fault, program, FAULT_LAUNCH, "a grid dimension is out of range");
		if (asked->grid[i] % launch->cluster[i])
			return refuse(fault, program, FAULT_LAUNCH, "the grid is no multiple of the cluster");
		if (required[0] && required[i] != asked->block[i])
			return refuse(fault, program, FAULT_LAUNCH, "the block differs from .reqntid");
		threads *= asked->block[i];
	}
	uint32_t most = program->function->max_threads ? program->function->max_threads : 1024;
	if (threads > 1024 || threads > most)
		return refuse(fault, program, FAULT_LAUNCH, "too many threads in a block");
	if (launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > EXEC_CLUSTER_BLOCKS)
		return refuse(fault, program, FAULT_LAUNCH, "more than 16 blocks in a cluster");
	if (program->dynamic_shared_offset + asked->dynamic_shared_bytes > 227 * 1024)
		return refuse(fault, program, FAULT_LAUNCH, "more than 227 KiB of shared memory");
	if (program->function->parameter_bytes && asked->parameters == NULL)
		return refuse(fault, program, FAULT_LAUNCH, "no parameters given");
	return true;
}

static int thread_count(const struct exec_launch *launch, const struct machine_options *options)
{
	long count =
		options != NULL && options->threads > 0 ? options->threads : sysconf(_SC_NPROCESSORS_ONLN);
	if (count < 1)
		count = 1;
	if (count > 256)
		count = 256;
	uint64_t most = launch->cluster_total;
	most = launch->resident && launch->resident < most ? launch->resident : most;
	return (uint64_t)count > most ? (int)most : (int)count;
}

static uint64_t resident_clusters(const struct exec_launch *launch)
{
	const uint64_t blocks = launch->launch->resident_blocks;
	const uint64_t each = (uint64_t)launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
	return blocks > each ? blocks / each : blocks > 0;
}

static bool run_workers(struct exec_launch *launch, struct fault *fault)
{
	int count = launch->threads, created = 0;
	struct exec_worker *workers = calloc((size_t)count, sizeof *workers);
	pthread_t *threads = calloc((size_t)count, sizeof *threads);
	bool ok = workers != NULL && threads != NULL;
	for (int i = 0; ok && i < count; i++) {
		workers[i].number = (uint32_t)i;
		ok = resources_create(&workers[i], launch);
	}
	/* the first worker is this thread; fewer than wished is no error */
	for (int i = 1; ok && i < count; i++, created++)
		if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
			break;
	if (ok)
		resident_without(launch, count - 1 - created);
	if (ok)
		work(&workers[0]);
	for (int i = 1; i <= created; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; workers != NULL && i < count; i++)
		resources_free(&workers[i]);
	free(workers);
	free(threads);
	if (!ok)
		return refuse(fault, launch->program, FAULT_MEMORY, "the host has no memory to run it");
	return !launch->faulted;
}

/* Every thread must be there: clusters of a missing one would be waited for. */
static bool run_resident(struct exec_launch *launch, struct fault *fault)
{
	int created = 0;
	struct exec_worker *workers = calloc(launch->cluster_total, sizeof *workers);
	struct share *shares = calloc((size_t)launch->threads, sizeof *shares);
	pthread_t *threads = calloc((size_t)launch->threads, sizeof *threads);
	bool ok = workers != NULL && shares != NULL && threads != NULL;
	atomic_store(&launch->next_cluster, launch->cluster_total); /* none is left to begin */
	for (uint64_t i = 0; ok && i < launch->cluster_total; i++) {
		workers[i].number = (uint32_t)i;
		ok = resources_create(&workers[i], launch);
	}
	for (int i = 0; ok && i < launch->threads; i++)
		shares[i] = (struct share){launch, workers, (uint64_t)i};
	for (int i = 1; ok && i < launch->threads; i++, created++)
		ok = pthread_create(&threads[i], NULL, work_resident, &shares[i]) == 0;
	if (ok)
		work_resident(&shares[0]);
	else
		atomic_store(&launch->stop, true);
	for (int i = 1; i <= created; i++)
		pthread_join(threads[i], NULL);
	for (uint64_t i = 0; workers != NULL && i < launch->cluster_total; i++)
		resources_free(&workers[i]);
	free(workers);
	free(shares);
	free(threads);
	if (!ok)
		return refuse(fault, launch->program, FAULT_MEMORY,
					  "the host has no memory to run all of its blocks at once");
	return !launch->faulted;
}

/* How many of the grid's clusters are run. */
static uint64_t sampled(const struct exec_launch *launch, const struct machine_options *options)
{
	const uint64_t sample =
		options != NULL && !launch->launch->grid_workspace ? options->sample : 0;
	return sample > 0 && sample < launch->grid_clusters ? sample : launch->grid_clusters;
}

static void count_launch(const struct exec_launch *launch)
{
	const struct launch *asked = launch->launch;
	struct counters *counters = launch->counters;
	uint64_t blocks = (uint64_t)asked->grid[0] * asked->grid[1] * asked->grid[2];
	if (counters == NULL)
		return;
	counters->blocks += blocks;
	counters->block_threads += blocks * asked->block[0] * asked->block[1] * asked->block[2];
	counters->block_shared_bytes += blocks * asked->dynamic_shared_bytes;
}

/* Whether the name is one of these, which have commas between. */
static bool is_one_of(const char *name, const char *names)
{
	size_t length = strlen(name);
	for (; names != NULL; names = strchr(names, ',')) {
		names += *names == ',';
		if (strncmp(names, name, length) == 0 && (names[length] == ',' || names[length] == '\0'))
			return true;
	}
	return false;
}

/* Registers come in eights, 65536 of them for the blocks that the kernel is bound to fit. */
int launch_registers(const struct ptx_function *function)
{
	const uint32_t *block = function->required_block;
	uint32_t threads = block[0] ? block[0] * block[1] * block[2] : function->max_threads;
	uint32_t blocks = function->min_blocks > 0 ? function->min_blocks : 1, most = 255;
	threads = (threads + 127) / 128 * 128 * blocks;
	if (threads > 0 && 65536 / threads / 8 * 8 < most)
		most = 65536 / threads / 8 * 8;
	if (function->max_registers > 0 && function->max_registers < most)
		most = function->max_registers;
	return most > 16 ? (int)most : 16;
}

/* Without a bound ptxas does not know with how many registers the kernel begins, and leaves
 * setmaxnreg out. */
static bool is_bounded(const struct ptx_function *function)
{
	return function->max_threads || function->required_block[0] || function->max_registers;
}

static void begin_checked(struct exec_launch *launch)
{
	const uint32_t *grid = launch->launch->grid;
	launch->operation = (struct exec_operation){.program = launch->program,
												.name = launch->program->function->name,
												.grid = {grid[0], grid[1], grid[2]}};
	exec_operation_begin(&launch->operation, launch->launch->order);
	race_global_begin();
}

bool launch_run(const struct launch *asked, struct exec_program *program,
				const struct machine_options *options, struct counters *counters,
				struct fault *fault)
{
	struct exec_launch launch = {
		.launch = asked,
		.program = program,
		.step_budget = options != NULL && options->step_budget ? options->step_budget : UINT64_MAX,
		.block_budget = options != NULL && options->step_budget ? UINT64_MAX : BLOCK_BUDGET,
		.check_race = options != NULL && options->check_race,
		.check_none = options != NULL && options->check_none,
		.serialised = options != NULL && is_one_of(program->function->name, options->serialised),
		.swizzle = options != NULL ? options->swizzle : MACHINE_SWIZZLE_SAID,
		.registers = is_bounded(program->function)
						 ? (uint32_t)(launch_registers(program->function) + 7) / 8 * 8
						 : 0,
		.stack_bytes = options != NULL && options->stack_bytes ? options->stack_bytes : 1024,
		.multiprocessors =
			options != NULL && options->multiprocessors ? options->multiprocessors : 132,
		.multiprocessor_warps =
			options != NULL && options->multiprocessor_warps ? options->multiprocessor_warps : 64,
		.footprints = options != NULL && (options->sample > 0 || options->by_line),
		.seed = options != NULL ? options->seed : 0,
		.order = options != NULL ? options->order : 0,
		.where_asked = options != NULL ? options->where_asked : NULL,
		.say = options != NULL ? options->say : NULL,
		.fault = fault,
		.counters = counters,
		.agreed_at = UINT64_MAX,
	};
	for (int i = 0; i < 3; i++)
		launch.cluster[i] = asked->cluster[i] ? asked->cluster[i] : 1;
	if (!launch_valid(&launch, fault))
		return false;
	launch.grid_clusters = (uint64_t)(asked->grid[0] / launch.cluster[0]) *
						   (asked->grid[1] / launch.cluster[1]) *
						   (asked->grid[2] / launch.cluster[2]);
	launch.cluster_total = sampled(&launch, options);
	count_launch(&launch);
	if (launch.check_race)
		begin_checked(&launch);
	launch.resident = resident_clusters(&launch);
	launch.threads = thread_count(&launch, options);
	launch.unfinished = launch.awake = launch.threads;
	pthread_mutex_init(&launch.lock, NULL);
	bool ok = asked->grid_workspace ? run_resident(&launch, fault) : run_workers(&launch, fault);
	if (ok)
		snprintf(fault->text, sizeof fault->text, "%s", launch.suspect);
	fflush(stdout); /* what kernels printed */
	pthread_mutex_destroy(&launch.lock);
	return ok;
}
