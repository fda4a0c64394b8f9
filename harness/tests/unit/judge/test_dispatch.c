/* links: judge compile process testcases base; label: threads */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#include "judge/dispatch.h"
#include "judge/run/ahead.h"
#include "judge/run/device.h"
#include "judge/run/lock.h"
#include "judge/run/timing_lock.h"
#include "judge/run/turn.h"

#define FILES 24
#define DEVICES 3

/* A run on emulated GPUs, whose files nobody compiles. */
struct fake {
	struct judge_options options;
	struct judge_progress progress;
	struct run run;
	struct judgement_list list;
	struct dispatch *dispatch;
	size_t bad, broken; /* items; FILES: none */
	atomic_size_t calls[FILES], within, most_within, on[DEVICES];
	size_t verdicts, saved; /* that were told; by one thread at a time */
	atomic_bool telling, told_at_once;
	atomic_bool bad_told; /* the verdict of `bad`, after which no file begins */
};

/* With --fail-fast, what was begun beside the bad file ends after it, however busy the machine. */
static void wait_for_bad(struct fake *fake, size_t i)
{
	for (int tenths = 0;
		 fake->options.cases.fail_fast && i > fake->bad && !fake->bad_told && tenths < 100;
		 tenths++)
		usleep(100000);
}

static bool fake_judge(struct run *run, size_t i, struct judgement *out, void *context,
					   struct error *err)
{
	struct fake *fake = context;
	size_t now = atomic_fetch_add(&fake->within, 1) + 1;
	if (now > atomic_load(&fake->most_within))
		atomic_store(&fake->most_within, now);
	atomic_fetch_add(&fake->calls[i], 1);
	if (i % 3 == 0) /* later ones end before it */
		usleep(20000);
	for (size_t step = 0; step < 4; step++)
		run->progress->step(run->progress->context, out->file, "case", step, 4);
	usleep(20000);
	wait_for_bad(fake, i);
	out->verdict = i == fake->bad ? VERDICT_WRONG_ANSWER : VERDICT_ACCEPTED;
	snprintf(out->detail, sizeof out->detail, "judged %zu", i);
	atomic_fetch_sub(&fake->within, 1);
	return i != fake->broken || error_set(err, "item %zu broke the run", i);
}

static void tell(struct fake *fake)
{
	if (atomic_exchange(&fake->telling, true))
		fake->told_at_once = true;
	usleep(500);
	fake->telling = false;
}

static void tell_step(void *context, const char *file, const char *what, size_t done, size_t total)
{
	(void)file, (void)what, (void)done, (void)total;
	tell(context);
}

static void tell_verdict(void *context, const struct judgement_list *list, size_t i)
{
	struct fake *fake = context;
	char detail[64];
	tell(fake);
	cr_expect_geq(i, fake->verdicts, "told out of order");
	fake->verdicts = i + 1;
	if (i == fake->bad)
		fake->bad_told = true;
	snprintf(detail, sizeof detail, "judged %zu", i);
	cr_expect_str_eq(list->items[i].detail, detail);
}

static void tell_judged(void *context, struct judgement_list *list)
{
	struct fake *fake = context;
	(void)list;
	tell(fake);
	fake->saved++;
}

static bool fake_take(struct fake *fake, const char *device, struct error *err)
{
	const struct dispatch_plan plan = {.list = &fake->list, .judge = fake_judge, .context = fake};
	fake->run = (struct run){
		.options = &fake->options, .progress = &fake->progress, .referee.arena_fd = -1, .lock = -1};
	fake->progress = (struct judge_progress){
		.step = tell_step, .verdict = tell_verdict, .judged = tell_judged, .context = fake};
	fake->list.count = FILES;
	fake->list.items = calloc(FILES, sizeof *fake->list.items);
	cr_assert_not_null(fake->list.items);
	for (size_t i = 0; i < FILES; i++) {
		snprintf(fake->list.items[i].file, sizeof fake->list.items[i].file, "%zu.cu", i);
		fake->list.items[i].verdict = VERDICT_NOT_RUN;
	}
	cr_assert(device_list_parse(device, &fake->options.device, err), "%s", err->message);
	cr_assert(device_open(&fake->options.device, &fake->run.referee, err), "%s", err->message);
	fake->dispatch = dispatch_open(&fake->run, &plan, err);
	cr_assert_not_null(fake->dispatch, "%s", err->message);
	return dispatch_take(fake->dispatch, err);
}

static void fake_close(struct fake *fake)
{
	cr_expect_not(fake->told_at_once);
	dispatch_close(fake->dispatch);
	cr_expect_eq(fake->run.progress, &fake->progress);
	referee_link_close(&fake->run.referee);
	free(fake->list.items);
}

Test(dispatch, each_file_is_judged_once_on_a_free_device)
{
	static struct fake fake = {.bad = 5, .broken = FILES};
	struct error err = {{0}};
	cr_assert(fake_take(&fake, "emulated:3", &err), "%s", err.message);
	cr_assert_eq(dispatch_devices(fake.dispatch), DEVICES);
	for (size_t i = 0; i < FILES; i++) {
		const struct judgement *item = &fake.list.items[i];
		size_t device;
		cr_assert_eq(fake.calls[i], 1);
		cr_assert_eq(item->verdict, i == 5 ? VERDICT_WRONG_ANSWER : VERDICT_ACCEPTED);
		cr_assert_eq(sscanf(item->device, "emulated %zu", &device), 1);
		cr_assert_lt(device, DEVICES);
		fake.on[device]++;
	}
	for (size_t i = 0; i < DEVICES; i++)
		cr_assert_gt(fake.on[i], 0);
	cr_assert(fake.most_within >= 2 && fake.most_within <= DEVICES);
	cr_assert_eq(fake.verdicts, FILES);
	cr_assert_eq(fake.saved, FILES);
	fake_close(&fake);
}

Test(dispatch, one_device_is_not_named)
{
	static struct fake fake = {.bad = FILES, .broken = FILES, .options.jobs = 4};
	struct error err = {{0}};
	cr_assert(fake_take(&fake, "emu", &err), "%s", err.message);
	for (size_t i = 0; i < FILES; i++)
		cr_assert_str_empty(fake.list.items[i].device);
	cr_assert(fake.most_within >= 2 && fake.most_within <= 4);
	cr_assert_eq(dispatch_devices(fake.dispatch), 1);
	fake_close(&fake);
}

Test(dispatch, as_many_files_as_are_asked_for_are_judged_at_once)
{
	static struct fake fake = {.bad = FILES, .broken = FILES, .options.jobs = 1};
	struct error err = {{0}};
	cr_assert(fake_take(&fake, "emu", &err), "%s", err.message);
	cr_assert_eq(fake.most_within, 1);
	fake_close(&fake);
}

Test(dispatch, after_a_failure_only_what_is_under_way_is_judged)
{
	static struct fake fake = {.bad = 4, .broken = FILES, .options.cases.fail_fast = true};
	struct error err = {{0}};
	cr_assert(fake_take(&fake, "emulated:3", &err), "%s", err.message);
	size_t judged = 0;
	for (size_t i = 0; i < FILES; i++)
		judged += fake.calls[i];
	cr_assert(judged >= 5 && judged < 5 + DEVICES, "%zu were judged", judged);
	for (size_t i = judged; i < FILES; i++)
		cr_assert_not_null(strstr(fake.list.items[i].detail, "--fail-fast"));
	fake_close(&fake);
}

Test(dispatch, a_run_that_cannot_go_on_ends_on_all_devices)
{
	static struct fake fake = {.bad = FILES, .broken = 4};
	struct error err = {{0}};
	cr_assert_not(fake_take(&fake, "emulated:3", &err));
	cr_assert_str_eq(err.message, "item 4 broke the run");
	cr_assert_eq(fake.list.items[4].verdict, VERDICT_NOT_RUN);
	cr_assert_str_eq(fake.list.items[4].detail, err.message);
	cr_assert_eq(fake.calls[FILES - 1], 0);
	cr_assert_eq(fake.list.items[0].verdict, VERDICT_ACCEPTED);
	fake_close(&fake);
}

/* ---- judges of a batch, which share a device ---------------------------------------------- */

/* Another judge has the device, and takes times on it, until told to go on. */
struct sharing {
	struct judge_options options;
	struct judge_progress progress;
	struct run run;
	char device[32];
	int other;      /* descriptor of what the judges have in common, as the other judge has it */
	int lock;       /* of the device, as it has it */
	double give_up; /* of clock_seconds() */
	atomic_bool compiled, judged, paused;
};

static bool is_late(void *context)
{
	return clock_seconds() > ((struct sharing *)context)->give_up;
}

/* The other judge keeps the device until this is compiled, and takes times until compilers stop. */
static void compile(void *context, size_t item, const struct child_control *control)
{
	struct sharing *sharing = context;
	(void)item;
	while (!sharing->paused && !is_late(sharing)) {
		usleep(10000);
		sharing->paused = atomic_load(&control->paused) > 0;
	}
	timing_lock_end(sharing->other);
	while (atomic_load(&control->paused) > 0 && !is_late(sharing))
		usleep(10000);
	sharing->compiled = true;
	close(sharing->lock);
}

static bool judge_compiled(struct run *run, size_t i, struct judgement *out, void *context,
						   struct error *err)
{
	struct sharing *sharing = context;
	(void)i, (void)err;
	turn_take(run, LOCK_SHARED);
	sharing->judged = sharing->compiled && run->lock >= 0;
	turn_end(run);
	out->verdict = VERDICT_ACCEPTED;
	return true;
}

static struct ahead *open_compiler(struct sharing *sharing)
{
	struct error err;
	const struct ahead_plan plan = {
		.count = 1, .threads = 1, .paused = true, .lead = 1, .work = compile, .context = sharing};
	struct ahead *ahead = ahead_open(&plan, &err);
	cr_assert_not_null(ahead, "%s", err.message);
	return ahead;
}

Test(dispatch, of_a_batch_compile_before_they_have_the_device)
{
	static struct sharing sharing;
	struct judgement_list list = {.count = 1, .items = calloc(1, sizeof *list.items)};
	const struct dispatch_plan plan = {.list = &list, .judge = judge_compiled, .context = &sharing};
	struct error err = {{0}};
	char path[LOCK_PATH];
	char name[] = "/tmp/test-dispatch-XXXXXX";
	const int file = mkstemp(name);
	unlink(name);
	snprintf(sharing.device, sizeof sharing.device, "test-dispatch-%d", (int)getpid());
	sharing.give_up = clock_seconds() + 20;
	sharing.progress = (struct judge_progress){.stop = is_late, .context = &sharing};
	sharing.options.beside = file;
	sharing.run = (struct run){.options = &sharing.options,
							   .progress = &sharing.progress,
							   .referee.arena_fd = -1,
							   .lock = -1};
	sharing.run.referee.device.kind = DEVICE_CUDA;
	strcpy(sharing.run.referee.facts.name, "a GPU");
	strcpy(sharing.run.referee.facts.pci_bus_id, sharing.device);
	cr_assert(device_list_parse("cuda:0", &sharing.options.device, &err));

	cr_assert_eq(lock_take(sharing.device, LOCK_ALONE, &sharing.lock), LOCK_HELD);
	sharing.other = timing_lock_open(dup(file));
	sharing.run.timing_lock = timing_lock_open(file);
	cr_assert(sharing.other > 0 && sharing.run.timing_lock > 0);
	timing_lock_begin(sharing.other);
	cr_expect(timing_lock_is_held(sharing.run.timing_lock));

	struct dispatch *dispatch = dispatch_open(&sharing.run, &plan, &err);
	cr_assert_not_null(dispatch, "%s", err.message);
	sharing.run.ahead = open_compiler(&sharing);
	cr_assert(dispatch_take(dispatch, &err), "%s", err.message);
	cr_expect(sharing.judged, "it was not compiled when it had the device");
	cr_expect(sharing.paused, "it was compiled while times were taken");
	cr_expect_lt(clock_seconds(), sharing.give_up);
	cr_expect_not(timing_lock_is_held(sharing.run.timing_lock));
	ahead_close(sharing.run.ahead);
	dispatch_close(dispatch);
	cr_expect_eq(sharing.run.lock, -1);
	close(sharing.run.timing_lock);
	close(sharing.other);
	lock_path(sharing.device, path);
	unlink(path);
	free(list.items);
}

Test(dispatch, judges_that_have_nothing_in_common_know_of_no_times)
{
	cr_expect_eq(timing_lock_open(0), 0);
	cr_expect_not(timing_lock_is_held(0));
	timing_lock_begin(0);
	timing_lock_end(0);
}
