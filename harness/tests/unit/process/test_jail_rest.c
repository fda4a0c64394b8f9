/* links: jail judgement process base; timeout: 300 */
/* What a closed process can do no longer on the network and elsewhere, and what goes on
 * (test_jail.c). */
#define _GNU_SOURCE
#include "jail_attempts.h"

/* Keeps a page of its own in a pipe. */
/* DONE where there are few. */
static int segment_before, queue_before, socket_before; /* what the jail is closed around */

static int count_descriptors(void)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max <= 1024 ? DONE : EMFILE;
}

static int give_page(void)
{
	static char page[4096] = "text";
	struct iovec part = {.iov_base = page, .iov_len = sizeof page};
	int ends[2];
	if (pipe(ends) != 0)
		return ENDED_BADLY;
	return vmsplice(ends[1], &part, 1, 0) > 0 ? DONE : errno;
}

static int enlarge_pipe(void)
{
	int ends[2];
	if (pipe(ends) != 0)
		return ENDED_BADLY;
	return fcntl(ends[1], F_SETPIPE_SZ, 128 << 10) >= 0 ? DONE : errno;
}

/* ---- the network and the rest ------------------------------------------------ */

static int open_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	return fd < 0 ? errno : DONE;
}

static int socket_pair(void)
{
	int ends[2];
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 ? DONE : errno;
}

static int memory_file(void)
{
	return memfd_create("memory", MFD_CLOEXEC) < 0 ? errno : DONE;
}

static int message_queue(void)
{
	int queue = msgget(IPC_PRIVATE, 0600);
	if (queue < 0)
		return errno;
	msgctl(queue, IPC_RMID, NULL);
	return DONE;
}

static int send_to_queue(void)
{
	struct {
		long type;
		char text[1];
	} message = {1, "x"};
	return msgsnd(queue_before, &message, sizeof message.text, IPC_NOWAIT) == 0 ? DONE : errno;
}

static int shared_segment(void)
{
	int segment = shmget(IPC_PRIVATE, 4096, 0600);
	if (segment < 0)
		return errno;
	shmctl(segment, IPC_RMID, NULL);
	return DONE;
}

static int attach_segment(void)
{
	return shmat(segment_before, NULL, SHM_RDONLY) == (void *)-1 ? errno : DONE;
}

static int semaphores(void)
{
	int set = semget(IPC_PRIVATE, 1, 0600);
	if (set < 0)
		return errno;
	semctl(set, 0, IPC_RMID);
	return DONE;
}

static int open_datagram_socket(void)
{
	return socket(AF_INET, SOCK_DGRAM, 0) < 0 ? errno : DONE;
}

static int own_by_parent(void)
{
	return fcntl(socket_before, F_SETOWN, getppid()) == 0 ? DONE : errno;
}

static int own_by_parent_of_a_kind(void)
{
	struct f_owner_ex owner = {F_OWNER_PID, getppid()};
	return fcntl(socket_before, F_SETOWN_EX, &owner) == 0 ? DONE : errno;
}

static int choose_signal(void)
{
	return fcntl(socket_before, F_SETSIG, SIGKILL) == 0 ? DONE : errno;
}

static int lease_file(void)
{
	int fd = open(readable, O_RDONLY | O_CLOEXEC);
	return fcntl(fd, F_SETLEASE, F_RDLCK) == 0 ? DONE : errno;
}

static int call(unsigned long request, int value)
{
	return ioctl(socket_before, request, &value) == 0 ? DONE : errno;
}

static int have_signals_sent(void)
{
	return call(FIOASYNC, 1);
}

static int have_signals_sent_to_parent(void)
{
	return call(FIOSETOWN, getppid());
}

static int have_signals_sent_to_group(void)
{
	return call(SIOCSPGRP, getppid());
}

static int use_descriptor(void)
{
	int waiting;
	if (ioctl(socket_before, FIONREAD, &waiting) != 0 || fcntl(socket_before, F_GETFL) < 0 ||
		fcntl(socket_before, F_SETFL, O_NONBLOCK) != 0)
		return errno;
	return DONE;
}

static int bind_abstract(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0test_jail"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0)
		return errno;
	return DONE;
}

static int own_network(void)
{
	struct stat here;
	if (stat("/proc/thread-self/ns/net", &here) != 0)
		return errno;
	return here.st_ino == network.st_ino ? DONE : ENETDOWN;
}

Test(jail, no_sockets_and_no_memory_files)
{
	need(LAYER_CALLS);
	REFUSED(LAYER_CALLS, open_socket, EPERM);
	REFUSED(LAYER_CALLS, open_datagram_socket, EPERM);
	REFUSED(LAYER_CALLS, socket_pair, EPERM);
	REFUSED(LAYER_CALLS, memory_file, EPERM);
	REFUSED(LAYER_CALLS, bind_abstract, EPERM);
	REFUSED(LAYER_NAMESPACES, own_network, ENETDOWN);
}

Test(jail, nothing_of_system_v)
{
	need(LAYER_CALLS);
	segment_before = shmget(IPC_PRIVATE, 4096, 0600);
	queue_before = msgget(IPC_PRIVATE, 0600);
	int attached = attempt_in(LAYER_CALLS, attach_segment);
	int sent = attempt_in(LAYER_CALLS, send_to_queue);
	int open[] = {attempt_in(0, attach_segment), attempt_in(0, send_to_queue)};
	shmctl(segment_before, IPC_RMID, NULL);
	msgctl(queue_before, IPC_RMID, NULL);
	REFUSED(LAYER_CALLS, shared_segment, EPERM);
	REFUSED(LAYER_CALLS, message_queue, EPERM);
	REFUSED(LAYER_CALLS, semaphores, EPERM);
	cr_assert(open[0] == DONE && open[1] == DONE);
	cr_assert(attached == EPERM && sent == EPERM);
}

Test(jail, little_memory_in_pipes)
{
	need(LAYER_CALLS);
	REFUSED(LAYER_CALLS, enlarge_pipe, EPERM);
	REFUSED(LAYER_CALLS, give_page, EPERM);
	cr_assert_eq(attempt_in(LAYER_CALLS, count_descriptors), DONE);
}

/* By the kernel, for a descriptor that was open before. */
Test(jail, no_signals_by_way_of_descriptors)
{
	need(LAYER_CALLS);
	socket_before = socket(AF_INET, SOCK_DGRAM, 0);
	REFUSED(LAYER_CALLS, own_by_parent, EPERM);
	REFUSED(LAYER_CALLS, own_by_parent_of_a_kind, EPERM);
	REFUSED(LAYER_CALLS, choose_signal, EPERM);
	REFUSED(LAYER_CALLS, lease_file, EPERM);
	REFUSED(LAYER_CALLS, have_signals_sent, EPERM);
	REFUSED(LAYER_CALLS, have_signals_sent_to_parent, EPERM);
	REFUSED(LAYER_CALLS, have_signals_sent_to_group, EPERM);
	cr_assert_eq(attempt_in(LAYER_CALLS, use_descriptor), DONE);
	close(socket_before);
}

#if defined(__x86_64__)
/* A call by the numbers of 32-bit programs, and one of the x32 kind. */
static int old_call(void)
{
	long result;
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
	return result == getpid() ? DONE : EPERM;
}

static int x32_call(void)
{
	return syscall(0x40000000 + SYS_getpid) < 0 ? errno : DONE;
}
#endif

static int unknown_call(void)
{
	return syscall(500) < 0 ? errno : DONE;
}

Test(jail, other_doors_to_the_kernel_are_closed)
{
	need(LAYER_CALLS);
#if defined(__x86_64__)
	cr_assert_neq(attempt_in(LAYER_CALLS, old_call), DONE);
	cr_assert_neq(attempt_in(LAYER_CALLS, x32_call), DONE);
#endif
	cr_assert_eq(attempt_in(LAYER_CALLS, unknown_call), ENOSYS);
}

/* ---- what goes on ------------------------------------------------------------ */

static void *add_one(void *number)
{
	*(int *)number += 1;
	return NULL;
}

static int use_threads(void)
{
	int numbers[8] = {0}, sum = 0;
	pthread_t threads[8];
	for (int i = 0; i < 8; i++)
		if (pthread_create(&threads[i], NULL, add_one, &numbers[i]) != 0)
			return EAGAIN;
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		sum += numbers[i];
	}
	return sum == 8 ? DONE : EINVAL;
}

static volatile sig_atomic_t signalled;

static void note(int number)
{
	signalled = number;
}

static int signal_itself(void)
{
	signal(SIGUSR1, note);
	if (raise(SIGUSR1) != 0 || kill(getpid(), SIGUSR1) != 0)
		return errno;
	return signalled == SIGUSR1 ? DONE : EINVAL;
}

static int use_memory(void)
{
	char *bytes = mmap(NULL, 1 << 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bytes == MAP_FAILED)
		return errno;
	memset(bytes, 1, 1 << 24);
	return munmap(bytes, 1 << 24) == 0 ? DONE : errno;
}

Test(jail, threads_signals_and_memory_go_on)
{
	cr_assert_eq(attempt_in(here, use_threads), DONE);
	cr_assert_eq(attempt_in(here, signal_itself), DONE);
	cr_assert_eq(attempt_in(here, use_memory), DONE);
}

Test(jail, a_channel_that_is_open_goes_on)
{
	int ends[2], here = open(secret, O_RDONLY | O_CLOEXEC);
	char byte = 'x', control[CMSG_SPACE(sizeof here)] = {0};
	struct error err;
	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	pid_t child = fork();
	if (child == 0) { /* sends a byte, and gets one with a descriptor */
		struct iovec part = {&byte, 1};
		struct msghdr message = {.msg_iov = &part,
								 .msg_iovlen = 1,
								 .msg_control = control,
								 .msg_controllen = sizeof control};
		close_with(LAYER_SOLUTION, &err);
		if (write(ends[1], &byte, 1) != 1 || recvmsg(ends[1], &message, 0) != 1)
			_exit(errno);
		_exit(CMSG_FIRSTHDR(&message) != NULL ? DONE : EINVAL);
	}
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
							 .msg_iovlen = 1,
							 .msg_control = control,
							 .msg_controllen = sizeof control};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof here);
	memcpy(CMSG_DATA(header), &here, sizeof here);
	cr_assert_eq(read(ends[0], &byte, 1), 1);
	cr_assert_eq(sendmsg(ends[0], &message, 0), 1);
	cr_assert_eq(wait_for(child), DONE);
}

/* ---- threads that were there before -------------------------------------------- */

Test(jail, threads_from_before_are_inside)
{
	need(LAYER_FILES | LAYER_CALLS);
	cr_assert_eq(attempt_in_old_thread(0, read_secret), DONE);
	cr_assert_eq(attempt_in_old_thread(LAYER_FILES, read_secret), EACCES);
	cr_assert_eq(attempt_in_old_thread(LAYER_CALLS, open_socket), EPERM);
	cr_assert_eq(attempt_in_old_thread(LAYER_FILES | LAYER_CALLS, use_threads), DONE);
}

/* Who is not root may have namespaces within one of users, which is for one thread. */
Test(jail, threads_from_before_have_namespaces_with_root)
{
	int got = attempt_in_old_thread(LAYER_NAMESPACES, own_network);
	if (got == LACKS_LAYER && geteuid() != 0)
		cr_skip_test("not root");
	cr_assert(got == ENETDOWN || got == LACKS_LAYER, "%d", got);
}

/* ---- names -------------------------------------------------------------------- */

Test(jail, a_file_that_is_missing_is_told)
{
	need(LAYER_FILES | LAYER_CALLS);
	pid_t child = fork();
	if (child == 0) {
		const char *missing[] = {"/does/not/exist", NULL};
		struct error err;
		unsigned held =
			jail_close(&(struct jail){.readable = missing}, LAYER_FILES | LAYER_CALLS, &err);
		_exit(held == LAYER_CALLS && strstr(err.message, "files: /does/not/exist") != NULL ? DONE
																						   : 1);
	}
	cr_assert_eq(wait_for(child), DONE);
}
