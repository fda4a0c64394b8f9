/* links: judge */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "judge/dispatch.h"
#include "judge/run/lock.h"

/* A device that no machine has. */
static const char *device_name(void)
{
	static char name[32];
	snprintf(name, sizeof name, "test-%d", (int)getpid());
	return name;
}

static void forget(void)
{
	char path[128];
	snprintf(path, sizeof path, "/tmp/gemmjudge-%s.lock", device_name());
	unlink(path);
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
		bool held = lock_take(name, &first) == LOCK_HELD;
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
	cr_assert_eq(lock_take(name, &second), LOCK_BUSY);
	cr_assert_eq(second, -1);
	kill(judge, SIGKILL);
	waitpid(judge, NULL, 0);
	cr_assert_eq(lock_take(name, &second), LOCK_HELD);
	close(second);
}

Test(lock, follows_no_link)
{
	char path[128];
	int fd;
	snprintf(path, sizeof path, "/tmp/gemmjudge-%s.lock", device_name());
	cr_assert_eq(symlink("/dev/null", path), 0);
	cr_assert_eq(lock_take(device_name(), &fd), LOCK_AMISS);
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

Test(lock, can_be_opened_by_other_users_whatever_the_umask)
{
	int fd;
	struct stat facts;
	umask(0077);
	cr_assert_eq(lock_take(device_name(), &fd), LOCK_HELD);
	cr_assert_eq(fstat(fd, &facts), 0);
	cr_assert_eq(facts.st_mode & 0777, 0644);
	close(fd);
}
