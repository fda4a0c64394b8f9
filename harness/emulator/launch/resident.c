/* Turns of the clusters of one host thread: who runs, who sleeps, who begins. */
#include "emulator/launch/resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "emulator/launch/order.h"
#include "emulator/launch/resources.h"
#include "emulator/launch/start.h"
#include "emulator/launch/turn.h"

/* Clusters of a thread, where nobody says how many the GPU holds; and what they may take. */
#define CREW_MAX 512
#define CREW_BYTES ((size_t)1 << 30)
#define POLLS_OF_A_WAIT 256
/* A loop with a barrier in it looks once in all warps' turns: so many of their instructions to one
 * look are a wait still, when it has gone on for long. */
#define STEPS_OF_A_POLL 512
#define LONG_WAIT (POLLS_OF_A_WAIT * STEPS_OF_A_POLL)
/* One that waits, and may go on by itself, has one of so many turns while others work. */
#define TURNS_OF_A_WAIT 16
#define NAP_MICROSECONDS 50

/* ------------------------------------------------------------------------
 * Who begins */

/* One of each part of the grid, at places that follow no period: of every fourth block, which may
 * be all that work, a fourth are taken. */
static uint64_t sampled_cluster(const struct exec_launch *launch, uint64_t index)
{
	const double golden = 0.6180339887498949, place = (double)(index + 1) * golden;
	const double part = (double)launch->grid_clusters / (double)launch->cluster_total;
	return (uint64_t)(((double)index + place - (double)(uint64_t)place) * part);
}

static bool start_next(struct exec_worker *worker)
{
	struct exec_launch *launch = worker->launch;
	if (atomic_load(&launch->next_cluster) >= launch->cluster_total)
		return false;
	uint64_t index = atomic_fetch_add(&launch->next_cluster, 1);
	if (index >= launch->cluster_total)
		return false;
	index = order_place(launch->order, index, launch->cluster_total);
	if (launch->cluster_total < launch->grid_clusters)
		index = sampled_cluster(launch, index);
	start_cluster(worker, index);
	return true;
}

/* A place on the GPU for one more cluster. */
static bool take_place(struct exec_launch *launch)
{
	if (atomic_fetch_add(&launch->running, 1) < launch->resident || !launch->resident)
		return true;
	atomic_fetch_sub(&launch->running, 1);
	return false;
}

/* The member's next cluster; false when there is none, or no place for it. */
static bool begin(struct exec_launch *launch, struct member *member)
{
	member->asleep = member->waits = false;
	member->looked = member->steps = 0;
	if (!member->holds && !take_place(launch))
		return false;
	member->holds = start_next(member->worker);
	if (!member->holds)
		atomic_fetch_sub(&launch->running, 1);
	return member->holds;
}

bool resident_join(struct resident_set *set, struct exec_worker *worker)
{
	if (set->count == set->capacity) {
		uint32_t capacity = set->capacity ? 2 * set->capacity : 4;
		struct member **grown = realloc(set->members, capacity * sizeof *grown);
		if (grown == NULL)
			return false;
		set->members = grown;
		set->capacity = capacity;
	}
	struct member *member = calloc(1, sizeof *member);
	if (member == NULL)
		return false;
	member->worker = worker;
	member->holds = worker->cluster.live > 0;
	atomic_fetch_add(&set->launch->running, member->holds);
	set->members[set->count++] = member;
	return true;
}

static void free_worker(struct exec_worker *worker)
{
	resources_free(worker);
	free(worker);
}

static bool begin_another(struct resident_set *set)
{
	struct exec_launch *launch = set->launch;
	bool full = (!launch->resident && set->count >= CREW_MAX) ||
				resources_bytes(launch) * set->count >= CREW_BYTES;
	if (full || atomic_load(&launch->next_cluster) >= launch->cluster_total ||
		(launch->resident && atomic_load(&launch->running) >= launch->resident))
		return false;
	struct exec_worker *added = calloc(1, sizeof *added);
	if (added == NULL)
		return false;
	added->number = set->members[0]->worker->number;
	if (!resources_create(added, launch) || !resident_join(set, added)) {
		free_worker(added);
		return false;
	}
	struct member *member = set->members[set->count - 1];
	member->owned = true;
	if (begin(launch, member))
		return true;
	set->count--;
	free_worker(added);
	free(member);
	return false;
}

void resident_free(struct resident_set *set)
{
	for (uint32_t i = 0; i < set->count; i++) {
		if (set->members[i]->owned)
			free_worker(set->members[i]->worker);
		free(set->members[i]);
	}
	free(set->members);
}

/* ------------------------------------------------------------------------
 * Deadlock: all clusters of all threads sleep. A thread that has nothing to do says so; when none
 * has anything to do, memory stays as it is, and each looks once more whether what its clusters
 * wait for was written. */

static void set_awake(struct resident_set *set, bool awake)
{
	struct exec_launch *launch = set->launch;
	if (set->idle != awake)
		return;
	set->idle = !awake;
	pthread_mutex_lock(&launch->lock);
	launch->awake += awake ? 1 : -1;
	launch->wakes += awake;
	pthread_mutex_unlock(&launch->lock);
}

void resident_without(struct exec_launch *launch, int threads)
{
	pthread_mutex_lock(&launch->lock);
	launch->unfinished -= threads;
	launch->awake -= threads;
	launch->wakes++;
	pthread_mutex_unlock(&launch->lock);
}

static bool some_over(const struct resident_set *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		if (set->members[i]->asleep && spin_over(&set->members[i]->spin))
			return true;
	return false;
}

/* Whether all threads agree that nothing was written since the launch woke for the time-th time. */
static bool all_agree(struct resident_set *set, uint64_t time)
{
	struct exec_launch *launch = set->launch;
	pthread_mutex_lock(&launch->lock);
	if (launch->wakes == time && launch->agreed_at != time) {
		launch->agreed_at = time;
		launch->agreed = 0;
	}
	if (launch->wakes == time && set->agreed != time + 1) {
		set->agreed = time + 1;
		launch->agreed++;
	}
	bool all = launch->wakes == time && launch->agreed == launch->unfinished;
	pthread_mutex_unlock(&launch->lock);
	return all;
}

static void fail_deadlock(struct resident_set *set)
{
	const struct exec_launch *launch = set->launch;
	const uint64_t begun = atomic_load(&launch->next_cluster), running = launch->running;
	struct member *first = set->members[0];
	char what[256] = "does not end: what it reads in a loop nobody writes, all blocks that are "
					 "left wait";
	if (begun < launch->cluster_total)
		snprintf(what, sizeof what,
				 "deadlock: each of the %llu %s that %s at once waits for memory that another one "
				 "writes, and %llu have not begun",
				 (unsigned long long)running,
				 launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1 ? "clusters"
																				  : "blocks",
				 launch->resident && running >= launch->resident ? "the GPU holds"
																 : "the emulated GPU can hold",
				 (unsigned long long)(launch->cluster_total - begun));
	for (uint32_t i = 0; i < set->count && !first->worker->cluster.live; i++)
		first = set->members[i];
	turn_fail_waiting(first->worker, what);
}

/* All sleep, and nothing has changed. False: for ever. */
static bool rest(struct resident_set *set)
{
	struct exec_launch *launch = set->launch;
	set_awake(set, false);
	pthread_mutex_lock(&launch->lock);
	bool quiet = launch->awake == 0, last = launch->unfinished <= 1;
	uint64_t time = launch->wakes;
	pthread_mutex_unlock(&launch->lock);
	if (quiet && !some_over(set) && all_agree(set, time)) {
		fail_deadlock(set);
		return false;
	}
	if (!quiet || !last)
		usleep(NAP_MICROSECONDS);
	return true;
}

/* ------------------------------------------------------------------------
 * Turns */

/* Whether the cluster did little but look at memory that others write. */
static bool seems_to_wait(struct member *member)
{
	struct exec_worker *worker = member->worker;
	uint64_t polls = 0, steps = 0;
	for (uint32_t b = 0; b < worker->cluster.count; b++) {
		polls += worker->cluster.blocks[b].polls;
		steps += worker->cluster.blocks[b].steps;
		worker->cluster.blocks[b].polls = 0;
	}
	const uint64_t looked = member->looked + polls * STEPS_OF_A_POLL, taken = steps - member->steps;
	member->looked = looked < taken ? 0 : looked - taken;
	if (member->looked > LONG_WAIT)
		member->looked = LONG_WAIT;
	member->steps = steps;
	return worker->cluster.live && (polls >= POLLS_OF_A_WAIT || member->looked == LONG_WAIT ||
									worker->idle >= POLLS_OF_A_WAIT);
}

static bool has_ended(const struct member *member)
{
	return !member->worker->cluster.live;
}

/* Wakes up to `most` of those whose sleep is over, and that do not fall asleep again. *tried: how
 * many were looked at. True: one is awake. */
static bool wake(struct resident_set *set, uint32_t most, uint32_t *tried)
{
	bool any = false;
	*tried = 0;
	for (uint32_t k = 0; k < set->count && *tried < most && !any; k++) {
		uint32_t index = (set->next + k) % set->count;
		struct member *member = set->members[index];
		if (has_ended(member) || !member->asleep || !spin_over(&member->spin))
			continue;
		set_awake(set, true);
		++*tried;
		member->asleep = spin_proven(member->worker, &member->spin);
		any = !member->asleep;
		set->next = index + !any;
	}
	return any;
}

/* All wait. One whose sleep is over is tried, then a cluster begins: each that begins may write
 * what all of the others read (a counter that they wait to reach the size of the grid), and must
 * not wake them all. False: they wait for ever. */
static bool go_on(struct resident_set *set)
{
	uint32_t tried;
	bool sleep = true;
	if (wake(set, 1, &tried))
		return true;
	if (begin_another(set)) {
		set_awake(set, true);
		return true;
	}
	if (wake(set, set->count, &tried) || tried)
		return true;
	for (uint32_t i = 0; i < set->count; i++)
		sleep &= has_ended(set->members[i]) || set->members[i]->asleep;
	return !sleep || rest(set);
}

/* One turn of each; false when there is nothing left to do, or a fault. */
static bool take_turns(struct resident_set *set)
{
	bool any = false, awake = false;
	for (uint32_t i = 0; i < set->count; i++) {
		struct member *member = set->members[i];
		if (has_ended(member) && !begin(set->launch, member))
			continue;
		any = true;
		if (member->asleep ||
			(member->waits && set->busy && ++member->skipped % TURNS_OF_A_WAIT != 0))
			continue;
		struct exec_worker *worker = member->worker;
		/* of many lengths: else it might hold a lock whenever another one looks */
		uint32_t less = member->waits ? set->turns++ * 613 % (TURN_QUANTUM / 2) : 0;
		if (worker->fault.kind != FAULT_NONE || turn_run(worker, TURN_QUANTUM - less) == EXEC_FAULT)
			return false;
		member->waits = seems_to_wait(member);
		member->asleep = member->waits && spin_proven(worker, &member->spin);
		if (member->asleep && member->spin.count == 0) {
			turn_fail_waiting(worker, "does not end: every thread that is left waits for what only "
									  "its own block or cluster could bring");
			return false;
		}
		awake |= !member->waits;
	}
	set->busy = awake;
	return any && (awake || go_on(set));
}

void resident_run(struct resident_set *set)
{
	struct exec_launch *launch = set->launch;
	while (!atomic_load_explicit(&launch->stop, memory_order_relaxed) && take_turns(set))
		;
	for (uint32_t i = 0; i < set->count; i++)
		if (set->members[i]->worker->fault.kind != FAULT_NONE)
			atomic_store(&launch->stop, true);
	set_awake(set, true);
	resident_without(launch, 1);
}
