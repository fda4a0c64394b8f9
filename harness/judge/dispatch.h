/* The files of a run take turns on its devices, several on each at once, where the machine bears
 * them: whoever is free takes the next file. The first is served by the calling thread, each other
 * one by a thread of its own, with a run of its own: referee, lock, processes of the epilogue,
 * tool. One file is timed at a time on a device, with no other file's code on it (run/turn.h); what
 * devices share (the host's cores, PCIe, power) the report says. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_DISPATCH_H
#define GEMMJUDGE_JUDGE_DISPATCH_H

#include "judge/run/run.h"

struct dispatch; /* opaque */

struct dispatch_plan {
	struct judgement_list *list; /* its items are prepared, with nothing that is owned */
	/* Judges item i on the run's device, into *out, which is as prepared; in several threads at
	 * once. False with err when the run cannot go on. */
	bool (*judge)(struct run *run, size_t i, struct judgement *out, void *context,
				  struct error *err);
	void *context;
};

/* Opens the other devices that the run's options name, as far as there are files for them;
 * run->referee is the first one. NULL and err where one of them cannot be used. */
struct dispatch *dispatch_open(struct run *run, const struct dispatch_plan *plan,
							   struct error *err);
size_t dispatch_devices(const struct dispatch *dispatch);

/* Has every item judged, in any order, and verdicts told in theirs, and run->ahead continue as soon
 * as a device is free (a judge that waits for another one spares its times), waiting for devices
 * that other judges use, and tells whoever looks on. False with err when the run could not go on;
 * what was judged by then is in the list. */
bool dispatch_take(struct dispatch *dispatch, struct error *err);

void dispatch_close(struct dispatch *dispatch);

/* Waits for a judge that uses the run's device, without a context of our own on it meanwhile, until
 * it is `over`. */
void dispatch_lock(struct run *run, bool (*over)(const void *context), const void *context);

#endif
