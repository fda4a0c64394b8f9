/* links: judge */
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "judge/lock.h"

/* A device that no machine has. */
static const char *device_name(void)
{
	static char name[64];
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

Test(lock, keeps_a_second_judge_out_until_the_first_has_ended)
{
	int ready[2], first, second;
	char byte;
	const char *name = device_name();
	cr_assert_eq(pipe(ready), 0);
	pid_t judge = fork();
	if (judge == 0) {
		bool held = lock_take(name, &first) == LOCK_HELD;
		if (write(ready[1], held ? "h" : "?", 1) == 1)
			pause();
		_exit(0);
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	cr_assert_eq(byte, 'h');
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
	struct device_facts facts = {.pci_bus_id = "0000:01:00.0"};
	lock_name(&(struct device_choice){.kind = DEVICE_EMULATED}, &facts, name);
	cr_assert_str_empty(name);
	lock_name(&(struct device_choice){.kind = DEVICE_CUDA, .ordinal = 3}, &facts, name);
	cr_assert_str_eq(name, "0000:01:00.0");
	facts.pci_bus_id[0] = '\0';
	lock_name(&(struct device_choice){.kind = DEVICE_CUDA, .ordinal = 3}, &facts, name);
	cr_assert_str_eq(name, "cuda-3");
}
