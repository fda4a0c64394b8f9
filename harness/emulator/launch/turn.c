/* Turns of a cluster: each warp of its blocks runs until it waits, and somebody looks whether that
 * will ever end. */
#include "emulator/launch/turn.h"

#include <stdio.h>
#include <string.h>

#include "emulator/exec/fault.h"
#include "emulator/exec/mbarrier.h"
#include "emulator/exec/schedule.h"
#include "emulator/ops/bulk.h"
#include "emulator/simd/run.h"
#include "emulator/simd_level.h"

/* Rounds in which every warp of a cluster only waited. */
#define IDLE_ROUNDS 1000000

static void describe_wait(const struct exec_cluster *cluster, uint32_t wait, char *text,
						  size_t size)
{
	const struct warp *any = &cluster->blocks[0].warps[0];
	uint32_t lanes = 0, pc = 0;
	for (uint32_t b = 0; b < cluster->count; b++)
		for (uint32_t i = 0; i < cluster->blocks[b].warp_count; i++) {
			const struct warp *warp = &cluster->blocks[b].warps[i];
			for (uint32_t k = 0; k < warp->group_count; k++) {
				if (warp->groups[k].wait != wait)
					continue;
				lanes += (uint32_t)__builtin_popcount(warp->groups[k].mask);
				pc = warp->groups[k].pc - !exec_waits_for_lanes(wait);
			}
		}
	if (lanes == 0)
		return;
	size_t used = strlen(text);
	char place[EXEC_PLACE], what[64] = "the barrier of the cluster";
	if (wait == EXEC_WAIT_REGISTERS)
		snprintf(what, sizeof what, "registers that no setmaxnreg.dec gave back");
	if (exec_waits_for_lanes(wait))
		snprintf(what, sizeof what, "other lanes of their warps");
	if (wait >= EXEC_WAIT_BARRIER)
		snprintf(what, sizeof what, "barrier %u", wait - EXEC_WAIT_BARRIER);
	snprintf(text + used, size - used, "%s%u threads wait for %s (%s)", used ? ", " : "", lanes,
			 what, exec_place(any, &any->worker->launch->program->code[pc], place));
}

/* Everything that lanes are parked at, as a list; "" when there is nothing. */
static void describe_waits(const struct exec_cluster *cluster, char *text, size_t size)
{
	text[0] = '\0';
	for (uint32_t wait = EXEC_WAIT_SYNC; wait < EXEC_WAIT_BARRIER + EXEC_BARRIERS; wait++)
		describe_wait(cluster, wait, text, size);
}

static enum exec_status report_deadlock(struct exec_cluster *cluster)
{
	char text[480];
	describe_waits(cluster, text, sizeof text);
	for (uint32_t b = 0; b < cluster->count; b++)
		for (uint32_t i = 0; i < cluster->blocks[b].warp_count; i++) {
			struct warp *warp = &cluster->blocks[b].warps[i];
			if (!warp->live || !warp->group_count)
				continue;
			const struct exec_group *group = &warp->groups[0];
			uint32_t pc = group->pc - !exec_waits_for_lanes(group->wait);
			return exec_fail(warp, &warp->worker->launch->program->code[pc],
							 __builtin_ctz(group->mask),
							 group->wait == EXEC_WAIT_REGISTERS ? FAULT_BUDGET : FAULT_BARRIER, 0,
							 "deadlock: %s, and no other thread runs", text);
		}
	return EXEC_FAULT;
}

bool turn_ready(const struct warp *warp)
{
	if (warp->active)
		return true;
	for (uint32_t i = 0; i < warp->group_count; i++)
		if (warp->groups[i].wait == EXEC_READY)
			return true;
	return false;
}

/* The loop of the x86-64 level that runs here. */
static run_function warp_runner(void)
{
	static const run_function runs[] = {SIMD_OF_LEVELS(run_warp)};
	return runs[simd_row()];
}

enum exec_status turn_step(struct warp *warp)
{
	return warp_runner()(warp, 1);
}

/* One turn of every warp. *waited: every warp that ran ended its turn waiting. */
static enum exec_status run_round(struct exec_cluster *cluster, uint32_t quantum, bool *any,
								  bool *waited)
{
	const run_function run_warp = warp_runner();
	*any = false;
	*waited = true;
	for (uint32_t b = 0; b < cluster->count; b++) {
		for (uint32_t i = 0; i < cluster->blocks[b].warp_count; i++) {
			struct warp *warp = &cluster->blocks[b].warps[i];
			if (!warp->live || !turn_ready(warp))
				continue;
			*any = true;
			enum exec_status status = run_warp(warp, quantum);
			if (status == EXEC_FAULT)
				return EXEC_FAULT;
			*waited &= status == EXEC_YIELD && warp->active;
		}
	}
	return EXEC_NEXT;
}

/* A warp of the block that does something; NULL: none does. */
static struct warp *running(const struct exec_block *block)
{
	for (uint32_t i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];
		if (warp->live && turn_ready(warp))
			return warp;
	}
	return NULL;
}

/* What the mbarrier that the warp waits for lacks; "" where it waits for none. */
static void describe_mbarrier(const struct warp *warp, uint32_t at, char *text, size_t size)
{
	const struct exec_origin *origin = &warp->worker->launch->program->origins[at];
	struct mbarrier found = mbarrier_unpack(warp->mbarrier_found);
	text[0] = '\0';
	if (strncmp(origin->instruction->opcode, "mbarrier.", strlen("mbarrier.")) == 0 &&
		warp->mbarrier_found != 0)
		snprintf(text, size, "its mbarrier waits for %u arrivals and %d bytes; ", found.pending,
				 (int)found.bytes);
}

/* The fault that the warp's kernel does not end, as `what` says. */
static enum exec_status fail_running(struct exec_cluster *cluster, struct warp *warp, bool waiting,
									 const char *what)
{
	char text[400], mbarrier[96], most[64] = "block";
	const struct exec_launch *launch = warp->worker->launch;
	uint64_t steps = warp->block->steps, all = launch->steps;
	if (all > launch->step_budget) {
		steps = all;
		snprintf(most, sizeof most, "launch, and %llu are the most",
				 (unsigned long long)launch->step_budget);
	}
	if (!warp->active)
		exec_choose(warp);
	uint32_t at = warp->pc ? warp->pc - 1 : 0;
	describe_waits(cluster, text, sizeof text);
	describe_mbarrier(warp, at, mbarrier, sizeof mbarrier);
	return exec_fail(
		warp, &warp->worker->launch->program->code[at], -1, FAULT_BUDGET, 0,
		"%s: %s%llu warp instructions in this %s%s%s%s", what, mbarrier, (unsigned long long)steps,
		most, waiting ? ", all of its threads only wait" : "", text[0] ? ", of which " : "", text);
}

static enum exec_status check_budget(struct exec_worker *worker, uint64_t idle)
{
	struct exec_cluster *cluster = &worker->cluster;
	struct exec_launch *launch = worker->launch;
	const uint64_t taken = worker->counters.warp_instructions - worker->counted;
	const bool over =
		atomic_fetch_add_explicit(&launch->steps, taken, memory_order_relaxed) + taken >
		launch->step_budget;
	worker->counted += taken;
	for (uint32_t b = 0; b < cluster->count; b++) {
		const struct exec_block *block = &cluster->blocks[b];
		if (!over && block->steps <= launch->block_budget && idle < IDLE_ROUNDS)
			continue;
		struct warp *warp = running(block);
		if (warp == NULL &&
			over) /* in its last turn, or the order of the host's threads would tell */
			warp = &block->warps[0];
		if (warp != NULL)
			return fail_running(cluster, warp, idle >= IDLE_ROUNDS, "does not end");
	}
	return EXEC_NEXT;
}

void turn_fail_waiting(struct exec_worker *worker, const char *what)
{
	for (uint32_t b = 0; b < worker->cluster.count; b++) {
		struct warp *warp = running(&worker->cluster.blocks[b]);
		if (warp != NULL) {
			fail_running(&worker->cluster, warp, true, what);
			return;
		}
	}
}

/* Somebody wants to know where the kernel is: the text of a fault, which is none. */
static void say_where(struct exec_worker *worker)
{
	_Atomic bool *asked = worker->launch->where_asked;
	struct exec_cluster *cluster = &worker->cluster;
	struct warp *warp = NULL;
	for (uint32_t b = 0; b < cluster->count && warp == NULL; b++)
		warp = running(&cluster->blocks[b]);
	if (warp == NULL || worker->fault.kind != FAULT_NONE || !atomic_exchange(asked, false))
		return;
	fail_running(cluster, warp, false, "still runs");
	worker->launch->say(worker->fault.text);
	worker->fault = (struct fault){.kind = FAULT_NONE};
}

enum exec_status turn_run(struct exec_worker *worker, uint32_t quantum)
{
	struct exec_cluster *cluster = &worker->cluster;
	bool any, waited;
	if (run_round(cluster, quantum, &any, &waited) == EXEC_FAULT)
		return EXEC_FAULT;
	if (!any && cluster->live)
		return report_deadlock(cluster);
	worker->idle = waited ? worker->idle + 1 : 0;
	if (worker->launch->where_asked != NULL &&
		atomic_load_explicit(worker->launch->where_asked, memory_order_relaxed))
		say_where(worker);
	if (check_budget(worker, worker->idle) == EXEC_FAULT ||
		atomic_load_explicit(&worker->launch->stop, memory_order_relaxed))
		return EXEC_FAULT;
	return cluster->live ? EXEC_NEXT : bulk_finish(cluster);
}
