/* Landlock (before its ABI 8) and namespaces are of a thread, not of a process, and the CUDA
 * driver has threads of its own by the time that the jail is closed. A thread outside of it would
 * be the way out: a signal handler runs in whichever thread the signal is sent to. So each thread
 * is made to enter it, as libpsx and setuid() in glibc do: by a signal whose handler does it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/jail_layers.h"

/* glibc's own for setuid(): nobody can block it through glibc. It is given back afterwards. */
#define SIGNAL 33
#define REACH_SECONDS 2.0
#define THREADS_MAX 1024
#define PASSES_MAX 100
#define TASKS "/proc/self/task"

/* As the kernel has it; glibc's sigaction() refuses this signal. */
struct kernel_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

struct thread_order {
	int (*work)(long context);
	long context;
	_Atomic int error_number; /* the first that is not 0 */
	_Atomic size_t done;
};

static void carry_out(int number, siginfo_t *info, void *machine)
{
	struct thread_order *order = info->si_value.sival_ptr;
	int before = errno, none = 0;
	(void)number, (void)machine;
	int failed = order->work(order->context);
	if (failed != 0)
		atomic_compare_exchange_strong(&order->error_number, &none, failed);
	errno = before;
	atomic_fetch_add(&order->done, 1);
}

/* The end of a handler is glibc's to write; that of another signal's action tells where it is. */
static bool take_signal(struct kernel_action *before)
{
	struct sigaction ours = {.sa_sigaction = carry_out, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
	struct kernel_action action;
	if (sigaction(SIGUSR2, &ours, &old) != 0)
		return false;
	long got = syscall(SYS_rt_sigaction, SIGUSR2, NULL, &action, sizeof action.mask);
	sigaction(SIGUSR2, &old, NULL);
	return got == 0 && syscall(SYS_rt_sigaction, SIGNAL, &action, before, sizeof action.mask) == 0;
}

static bool send_to(pid_t thread, struct thread_order *order)
{
	siginfo_t info = {0};
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_ptr = order;
	return syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, SIGNAL, &info) == 0;
}

static bool await(const struct thread_order *order, size_t count, double until)
{
	const struct timespec pause = {.tv_nsec = 100000};
	while (atomic_load(&order->done) < count) {
		if (clock_seconds() > until)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

struct jail_threads jail_threads_open(void)
{
	return (struct jail_threads){.tasks = open(TASKS, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
								 .until = clock_seconds() + REACH_SECONDS};
}

void jail_threads_close(struct jail_threads *threads)
{
	if (threads->tasks >= 0)
		close(threads->tasks);
	threads->tasks = -1;
}

/* The threads but this one. False where they cannot be seen, or are too many. */
static bool list_threads(const struct jail_threads *threads, pid_t out[THREADS_MAX], size_t *count)
{
	int fd = fcntl(threads->tasks, F_DUPFD_CLOEXEC, 0);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	pid_t self = gettid();
	*count = 0;
	if (folder == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	rewinddir(folder); /* the copies of a descriptor share their place */
	bool seen_self = false;
	while ((entry = readdir(folder)) != NULL && *count < THREADS_MAX) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
		seen_self |= thread == self;
		if (thread > 0 && thread != self)
			out[(*count)++] = thread;
	}
	closedir(folder);
	return seen_self && *count < THREADS_MAX;
}

bool jail_has_threads(const struct jail_threads *threads)
{
	pid_t others[THREADS_MAX];
	size_t count;
	return !list_threads(threads, others, &count) || count > 0;
}

/* Threads that were begun meanwhile are found in the next pass; those begun by a thread that
 * has carried the order out need none, and get it all the same. */
static bool reach_all(const struct jail_threads *threads, struct thread_order *order,
					  struct error *err)
{
	pid_t others[THREADS_MAX], reached[THREADS_MAX];
	size_t count, known = 0, sent = 0;
	for (int pass = 0; pass < PASSES_MAX; pass++) {
		size_t before = known;
		if (!list_threads(threads, others, &count))
			return error_set(err, "the threads of the process cannot be seen in " TASKS);
		for (size_t i = 0; i < count; i++) {
			bool old = false;
			for (size_t k = 0; k < known; k++)
				old |= reached[k] == others[i];
			if (old)
				continue;
			if (known == THREADS_MAX)
				return error_set(err, "too many threads");
			reached[known++] = others[i];
			sent += send_to(others[i], order); /* one that has ended needs none */
		}
		if (known == before)
			return true;
		if (!await(order, sent, threads->until))
			return error_set(err, "a thread of the process does not answer");
	}
	return error_set(err, "new threads begin without end");
}

bool jail_every_thread(const struct jail_threads *threads, int (*work)(long context), long context,
					   int *error_number, struct error *err)
{
	/* A thread that answers too late must find its order still there. */
	struct thread_order *order =
		mmap(NULL, sizeof *order, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kernel_action before;
	if (order == MAP_FAILED)
		return error_set(err, "out of memory");
	order->work = work;
	order->context = context;
	bool reached = true;
	if (jail_has_threads(threads)) {
		if (!take_signal(&before)) {
			munmap(order, sizeof *order);
			return error_set(err, "no signal for the threads: %s", strerror(errno));
		}
		reached = reach_all(threads, order, err);
		if (reached) /* else the handler stays, for whoever is late */
			syscall(SYS_rt_sigaction, SIGNAL, &before, NULL, sizeof before.mask);
	}
	int own = work(context);
	*error_number = own != 0 ? own : atomic_load(&order->error_number);
	if (reached)
		munmap(order, sizeof *order);
	return reached;
}
