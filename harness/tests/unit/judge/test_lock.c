/* links: judge; label: threads */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "judge/dispatch.h"
#include "judge/run/lock.h"
#include "judge/run/turn.h"

/* A device that no machine has. */
static const char *device_name(void)
{
	static char name[32];
	snprintf(name, sizeof name, "test-%d", (int)getpid());
	return name;
}

static void forget(void)
{
	static const char *const endings[] = {"lock", "turn", "place-0", "place-1"};
	char path[128];
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		snprintf(path, sizeof path, "/tmp/gemmjudge-%s.%s", device_name(), endings[i]);
		unlink(path);
	}
}

TestSuite(lock, .fini = forget);

/* A process that holds the lock for some seconds, or until it is killed. */
static pid_t start_holder(unsigned seconds)
{
	int ready[2], first;
	char byte;
	const char *name = device_name();
	cr_assert_eq(pipe(ready), 0);
	pid_t judge = fork();
	if (judge == 0) {
		bool held = lock_take(name, LOCK_ALONE, &first) == LOCK_HELD;
		if (write(ready[1], held ? "h" : "?", 1) == 1)
			sleep(seconds);
		_exit(0);
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	cr_assert_eq(byte, 'h');
	return judge;
}

Test(lock, keeps_a_second_judge_out_until_the_first_has_ended)
{
	int second;
	const char *name = device_name();
	pid_t judge = start_holder(60);
	cr_assert_eq(lock_take(name, LOCK_ALONE, &second), LOCK_BUSY);
	cr_assert_eq(second, -1);
	kill(judge, SIGKILL);
	waitpid(judge, NULL, 0);
	cr_assert_eq(lock_take(name, LOCK_ALONE, &second), LOCK_HELD);
	close(second);
}

Test(lock, follows_no_link)
{
	char path[128];
	int fd;
	snprintf(path, sizeof path, "/tmp/gemmjudge-%s.lock", device_name());
	cr_assert_eq(symlink("/dev/null", path), 0);
	cr_assert_eq(lock_take(device_name(), LOCK_ALONE, &fd), LOCK_AMISS);
}

Test(lock, is_needed_for_a_gpu_alone)
{
	char name[64];
	struct device_properties facts = {.pci_bus_id = "0000:01:00.0"};
	lock_name(&(struct device_choice){.kind = DEVICE_EMULATED}, &facts, name);
	cr_assert_str_empty(name);
	lock_name(&(struct device_choice){.kind = DEVICE_CUDA, .ordinal = 3}, &facts, name);
	cr_assert_str_eq(name, "0000:01:00.0");
	facts.pci_bus_id[0] = '\0';
	lock_name(&(struct device_choice){.kind = DEVICE_CUDA, .ordinal = 3}, &facts, name);
	cr_assert_str_eq(name, "cuda-3");
}

static bool never(const void *context)
{
	(void)context;
	return false;
}

static bool at_once(const void *context)
{
	(void)context;
	return true;
}

Test(lock, is_shared_by_those_who_measure_nothing)
{
	int first, second, third;
	const char *name = device_name();
	cr_assert_eq(lock_take(name, LOCK_SHARED, &first), LOCK_HELD);
	cr_assert(lock_wait(name, LOCK_SHARED, &second, never, NULL));
	cr_assert_eq(lock_take(name, LOCK_ALONE, &third), LOCK_BUSY);
	close(first);
	cr_assert_eq(lock_take(name, LOCK_ALONE, &third), LOCK_BUSY);
	close(second);
	cr_assert_eq(lock_take(name, LOCK_ALONE, &third), LOCK_HELD);
	cr_assert_eq(lock_take(name, LOCK_SHARED, &first), LOCK_BUSY);
	cr_assert_not(lock_wait(name, LOCK_SHARED, &first, at_once, NULL));
	cr_assert_eq(first, -1);
	close(third);
}

/* Others that come and go would keep it from its turn for ever. */
Test(lock, lets_nobody_in_before_who_waits_to_have_it_alone)
{
	int first, second;
	const char *name = device_name();
	cr_assert_eq(lock_take(name, LOCK_SHARED, &first), LOCK_HELD);
	const pid_t waits = fork();
	if (waits == 0) {
		int fd;
		close(first);
		const bool held = lock_wait(name, LOCK_ALONE, &fd, never, NULL);
		usleep(300000);
		_exit(held ? 0 : 1);
	}
	enum lock_state state = LOCK_HELD;
	const double until = clock_seconds() + 20;
	while ((state = lock_take(name, LOCK_SHARED, &second)) == LOCK_HELD &&
		   clock_seconds() < until) {
		close(second);
		usleep(1000);
	}
	cr_assert_eq(state, LOCK_BUSY, "one that waits keeps others out");
	close(first);
	cr_assert(lock_wait(name, LOCK_SHARED, &second, never, NULL));
	int status;
	cr_assert_eq(waitpid(waits, &status, 0), waits);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(second);
}

Test(lock, has_as_many_places_as_memory)
{
	int first, second, third;
	const char *name = device_name();
	cr_assert(lock_place(name, 2, &first));
	cr_assert(lock_place(name, 2, &second));
	cr_assert_not(lock_place(name, 2, &third));
	close(first);
	cr_assert(lock_place(name, 2, &third));
	close(second);
	close(third);
}

/* ---- a run that needs the device -------------------------------------------------- */

struct looker {
	char lines[1024];
	double until;
};

static void note(void *context, const char *line)
{
	struct looker *looker = context;
	strncat(looker->lines, line, sizeof looker->lines - strlen(looker->lines) - 2);
	strcat(looker->lines, "\n");
}

static bool is_over(const void *context)
{
	return clock_seconds() >= ((const struct looker *)context)->until;
}

static struct run run_of(const struct judge_progress *progress)
{
	struct run run = {.progress = progress, .referee.arena_fd = -1, .lock = -1};
	run.referee.device.kind = DEVICE_CUDA;
	strcpy(run.referee.facts.name, "a GPU");
	strcpy(run.referee.facts.pci_bus_id, device_name());
	return run;
}

Test(lock, is_waited_for_with_one_line)
{
	struct looker looker = {.until = clock_seconds() + 30};
	const struct judge_progress progress = {.note = note, .context = &looker};
	struct run run = run_of(&progress);
	char line[160];
	pid_t judge = start_holder(1); /* and ends, or is killed, which is the same to a lock */
	dispatch_lock(&run, is_over, &looker);
	cr_assert_geq(run.lock, 0);
	snprintf(line, sizeof line, "another judge uses the GPU %s; waiting for it\n", device_name());
	cr_assert_str_eq(looker.lines, line);
	close(run.lock);
	waitpid(judge, NULL, 0);
}

Test(lock, is_not_waited_for_when_there_is_nothing_left_to_do)
{
	struct looker looker = {.until = clock_seconds() + 0.5};
	const struct judge_progress progress = {.note = note, .context = &looker};
	struct run run = run_of(&progress);
	pid_t judge = start_holder(60);
	dispatch_lock(&run, is_over, &looker);
	cr_assert_lt(clock_seconds(), looker.until + 20);
	cr_assert_eq(run.lock, -1);
	kill(judge, SIGKILL);
	waitpid(judge, NULL, 0);
}

Test(lock, is_had_in_turns_in_company)
{
	struct looker looker = {.until = clock_seconds() + 30};
	const struct judge_progress progress = {.note = note, .context = &looker};
	struct run one = run_of(&progress), other = run_of(&progress);
	int fd;
	one.company = other.company = true;
	one.referee.facts.memory_bytes = other.referee.facts.memory_bytes = (uint64_t)16 << 30;
	turn_take(&one, LOCK_SHARED);
	turn_take(&other, LOCK_SHARED);
	cr_assert(one.lock >= 0 && other.lock >= 0 && one.place > 0 && other.place > 0);
	cr_assert_not(lock_place(device_name(), 2, &fd), "16 GiB are for two");
	turn_end(&other);
	cr_assert_eq(other.lock, -1);
	turn_take(&one, LOCK_ALONE);
	cr_assert_eq(lock_take(device_name(), LOCK_SHARED, &fd), LOCK_BUSY);
	cr_assert_eq(one.place, 0);
	turn_end(&one);
	cr_assert_eq(lock_take(device_name(), LOCK_ALONE, &fd), LOCK_HELD);
	close(fd);
	cr_assert_str_empty(looker.lines, "who has company waits as a rule");
}

Test(lock, that_cannot_be_opened_is_told)
{
	char path[LOCK_PATH];
	struct looker looker = {.until = 0};
	const struct judge_progress progress = {.note = note, .context = &looker};
	struct run run = run_of(&progress);
	lock_path(device_name(), path);
	cr_assert_eq(symlink("/dev/null", path), 0);
	dispatch_lock(&run, is_over, &looker);
	cr_assert_eq(run.lock, -1);
	cr_assert_not_null(strstr(looker.lines, path));
	cr_assert_not_null(strstr(looker.lines, "may disturb its times"));
}

/* Then nobody is kept out but our own threads: a second one that measures would wait for ever here.
 */
Test(lock, that_cannot_be_opened_is_told_in_company_too)
{
	char path[LOCK_PATH];
	struct looker looker = {.until = clock_seconds() + 30};
	const struct judge_progress progress = {.note = note, .context = &looker};
	struct run one = run_of(&progress), other = run_of(&progress);
	one.company = other.company = true;
	one.referee.facts.memory_bytes = other.referee.facts.memory_bytes = (uint64_t)16 << 30;
	lock_path(device_name(), path);
	cr_assert_eq(symlink("/dev/null", path), 0);
	turn_take(&one, LOCK_SHARED);
	turn_take(&other, LOCK_SHARED);
	cr_assert(one.turn_inside && other.turn_inside);
	turn_end(&other);
	turn_take(&one, LOCK_ALONE);
	cr_assert(one.turn_inside);
	turn_end(&one);
	turn_take(&other, LOCK_ALONE);
	turn_end(&other);
	cr_assert_not(other.turn_inside);
	const char *first = strstr(looker.lines, "may disturb its times");
	cr_assert_not_null(first);
	cr_assert_null(strstr(first + 1, "may disturb its times"), "told once: %s", looker.lines);
}

Test(lock, can_be_opened_by_other_users_whatever_the_umask)
{
	int fd;
	struct stat facts;
	umask(0077);
	cr_assert_eq(lock_take(device_name(), LOCK_ALONE, &fd), LOCK_HELD);
	cr_assert_eq(fstat(fd, &facts), 0);
	cr_assert_eq(facts.st_mode & 0777, 0644);
	close(fd);
}
