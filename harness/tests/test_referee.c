/* links: referee_core testcases base */
/* Drives build/libexec/referee over its channel, on the emulated device, in the
 * contestant's place: writes C into the arena and looks at the verdict. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/paths.h"
#include "process/child.h"
#include "process/protocol.h"
#include "referee/spot.h"
#include "testcases/values.h"

struct session {
	pid_t pid;
	int channel;
	struct arena arena;
	uint8_t *memory;
};

/* referee's end of the channel belongs at CHILD_CHANNEL_FD, inherited. */
static struct session session_start(void)
{
	int ends[2];
	struct session session = {0};
	char build[PATHS_MAX], program[PATHS_MAX];
	struct error err;
	cr_assert(paths_build(build, &err), "%s", err.message);
	cr_assert(paths_join(program, build, "libexec/referee", &err));
	cr_assert(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
	session.pid = fork();
	if (session.pid == 0) {
		if (ends[1] == CHILD_CHANNEL_FD)
			fcntl(ends[1], F_SETFD, 0);
		else
			dup2(ends[1], CHILD_CHANNEL_FD);
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	session.channel = ends[0];
	return session;
}

static int session_stop(struct session *session)
{
	int status = 0;
	if (session->memory != NULL)
		munmap(session->memory, session->arena.bytes);
	close(session->channel);
	waitpid(session->pid, &status, 0);
	return status;
}

static size_t call(struct session *session, const void *request, size_t bytes, void *reply,
				   size_t capacity, int *fd)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {.iov_base = reply, .iov_len = capacity};
	struct msghdr packet = {.msg_iov = &part,
							.msg_iovlen = 1,
							.msg_control = &control,
							.msg_controllen = sizeof control};
	cr_assert(send(session->channel, request, bytes, 0) == (ssize_t)bytes);
	ssize_t got = recvmsg(session->channel, &packet, 0);
	cr_assert(got > 0, "the referee sent no reply");
	struct cmsghdr *rights = CMSG_FIRSTHDR(&packet);
	*fd = -1;
	if (rights != NULL && rights->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(rights), sizeof *fd);
	return (size_t)got;
}

static void open_emulated(struct session *session)
{
	struct referee_open request = {.head.type = MESSAGE_REFEREE_OPEN,
								   .device.kind = DEVICE_EMULATED};
	struct referee_open_reply reply;
	int fd;
	cr_assert(call(session, &request, sizeof request, &reply, sizeof reply, &fd) == sizeof reply);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	cr_assert(strstr(reply.facts.library, "OpenBLAS") != NULL, "%s", reply.facts.library);
	cr_assert(reply.facts.architecture[0] == '\0');
}

static void make_case(struct session *session, const char *problem, const struct test_case *test,
					  uint32_t sets)
{
	struct referee_case request = {.head.type = MESSAGE_REFEREE_CASE, .test = *test, .sets = sets};
	struct referee_case_reply reply;
	int fd;
	if (session->memory != NULL)
		munmap(session->memory, session->arena.bytes);
	snprintf(request.problem, sizeof request.problem, "%s", problem);
	cr_assert(call(session, &request, sizeof request, &reply, sizeof reply, &fd) == sizeof reply);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	cr_assert(fd >= 0, "no memfd came along");
	session->arena = reply.arena;
	void *memory = mmap(NULL, reply.arena.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_assert(memory != MAP_FAILED);
	session->memory = memory;
	cr_assert(ftruncate(fd, 0) != 0, "a contestant could shrink the arena");
	close(fd);
}

static struct referee_check_reply check_set(struct session *session, uint32_t set)
{
	struct referee_check request = {
		.head.type = MESSAGE_REFEREE_CHECK, .set = set, .tolerance.kind = TOLERANCE_BOUND};
	struct referee_check_reply reply;
	int fd;
	cr_assert(call(session, &request, sizeof request, &reply, sizeof reply, &fd) == sizeof reply);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	cr_assert(reply.reference_spot_checks >= 16);
	cr_assert(reply.reference_disagreements == 0);
	return reply;
}

static void reset(struct session *session, uint64_t fresh)
{
	struct referee_reset request = {.head.type = MESSAGE_REFEREE_RESET, .fresh = fresh};
	struct message reply;
	int fd;
	cr_assert(call(session, &request, sizeof request, &reply, sizeof reply, &fd) == sizeof reply);
	cr_assert(reply.ok, "%s", reply.error);
}

static double load(const uint8_t *start, enum dtype type, size_t index)
{
	uint32_t bits = 0;
	memcpy(&bits, start + index * dtype_size(type), dtype_size(type));
	return values_to_double(type, bits);
}

static void store(uint8_t *start, enum dtype type, size_t index, double value)
{
	uint32_t bits = values_from_double(type, value);
	memcpy(start + index * dtype_size(type), &bits, dtype_size(type));
}

/* What a good solution does, from what lies in the arena. */
static void solve(struct session *session, const struct problem *problem,
				  const struct test_case *test, uint32_t set)
{
	enum dtype type = problem->dtype;
	enum algebra algebra = problem->algebra;
	uint8_t *base = session->memory + set * session->arena.set_stride;
	uint8_t *a = base + session->arena.a_offset, *b = base + session->arena.b_offset,
			*c = base + session->arena.c_offset;
	size_t m = (size_t)test->shape.m, n = (size_t)test->shape.n, k = (size_t)test->shape.k;
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j++) {
			float sum = algebra == ALGEBRA_MIN_PLUS ? INFINITY : 0;
			for (size_t l = 0; l < k; l++) {
				float left = (float)load(a, type, i * k + l),
					  right = (float)load(b, type, l * n + j);
				sum =
					algebra == ALGEBRA_MIN_PLUS ? fminf(sum, left + right) : fmaf(left, right, sum);
			}
			float out = test->alpha * sum;
			if (test->beta != 0)
				out += test->beta * (float)load(c, type, i * n + j);
			store(c, type, i * n + j, out);
		}
}

static const char *const problem_names[] = {"gemm-f16",   "gemm-bf16", "sgemm",
											"matmul-f32", "gemv-f32",  "minplus-f32"};
#define PROBLEMS (sizeof problem_names / sizeof problem_names[0])

Test(referee, accepts_a_good_solution)
{
	struct session session = session_start();
	open_emulated(&session);
	for (size_t p = 0; p < PROBLEMS; p++) {
		const struct problem *problem = problem_find(problem_names[p]);
		for (size_t i = 0; i < 12; i++) {
			struct test_case test = case_generate(problem, 11, i, CASE_SIZES_MIXED, 40, 1);
			make_case(&session, problem->name, &test, 1);
			solve(&session, problem, &test, 0);
			struct referee_check_reply reply = check_set(&session, 0);
			cr_assert(reply.elements == (uint64_t)test.shape.m * (uint64_t)test.shape.n);
			cr_assert(reply.wrong == 0 && reply.worst_ratio <= 1, "%s %s: ratio %g", problem->name,
					  test.name, reply.worst_ratio);
			cr_assert(reply.a_changed == 0 && reply.b_changed == 0 && reply.guard_changed == 0);
		}
	}
	cr_assert(session_stop(&session) == 0);
}

Test(referee, follows_special_values)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("gemm-f16");
	struct test_case test = case_of_shape(problem, (struct shape){80, 66, 70}, 1.0f, 1.0f, 3);
	for (int i = 0; i < 4; i++) {
		test.a.distribution = i == 0 || i == 3 ? VALUES_SPECIAL : VALUES_UNIFORM;
		test.b.distribution = i == 1 || i == 3 ? VALUES_SPECIAL : VALUES_UNIFORM;
		test.c.distribution = i == 2 ? VALUES_SPECIAL : VALUES_UNIFORM;
		make_case(&session, problem->name, &test, 1);
		solve(&session, problem, &test, 0);
		struct referee_check_reply reply = check_set(&session, 0);
		cr_assert(reply.wrong == 0, "%d: %llu wrong", i, (unsigned long long)reply.wrong);
	}
	test.a = test.b = (struct value_spec){VALUES_LARGE, 100.0f};
	make_case(&session, problem->name, &test, 1);
	solve(&session, problem, &test, 0);
	struct referee_check_reply reply = check_set(&session, 0);
	cr_assert(reply.wrong == 0, "overflow: %llu wrong", (unsigned long long)reply.wrong);
	session_stop(&session);
}

Test(referee, counts_untouched_and_shows_the_first)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("gemm-f16");
	struct test_case test = case_of_shape(problem, (struct shape){17, 19, 16}, 1.0f, 0.0f, 3);
	make_case(&session, problem->name, &test, 1);
	struct referee_check_reply reply = check_set(&session, 0);
	cr_assert(reply.wrong == 17 * 19 && reply.untouched == 17 * 19);
	cr_assert(isinf(reply.worst_ratio));

	solve(&session, problem, &test, 0);
	uint8_t *c = session.memory + session.arena.c_offset;
	store(c, DTYPE_F16, 5 * 19 + 7, 100);
	reply = check_set(&session, 0);
	cr_assert(reply.wrong == 1 && reply.untouched == 0 && reply.shown == 1);
	cr_assert(reply.first[0].row == 5 && reply.first[0].column == 7 && reply.first[0].got == 100);
	cr_assert(reply.worst_row == 5 && reply.worst_column == 7 && reply.worst_ratio > 1);
	session_stop(&session);
}

Test(referee, notices_changed_inputs_and_guards)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("sgemm");
	struct test_case test = case_of_shape(problem, (struct shape){17, 19, 23}, 1.0f, 1.0f, 3);
	make_case(&session, problem->name, &test, 2);
	const struct arena *arena = &session.arena;
	cr_assert(arena->sets == 2 && arena->bytes >= 2 * arena->set_stride);
	uint8_t *set = session.memory + arena->set_stride;
	solve(&session, problem, &test, 1);

	set[arena->a_offset + 4] ^= 1;
	set[arena->b_offset + arena->b_bytes - 1] ^= 1;
	set[arena->c_offset + arena->c_bytes + 3] = 0;
	set[arena->a_offset - 2000] = 0;
	struct referee_check_reply reply = check_set(&session, 1);
	cr_assert(reply.wrong == 0);
	cr_assert(reply.a_changed == 1 && reply.b_changed == 1);
	cr_assert(reply.guard_changed == 2 && reply.guard_nearest == 3 && reply.guard_buffer == 'C');

	set[arena->a_offset + 4] ^= 1;
	set[arena->b_offset + arena->b_bytes - 1] ^= 1;
	reset(&session, 0);
	solve(&session, problem, &test, 1);
	set[arena->b_offset - 1] = 0;
	reply = check_set(&session, 1);
	cr_assert(reply.wrong == 0, "C is put back by a reset");
	cr_assert(reply.guard_changed == 1 && reply.guard_nearest == -1 && reply.guard_buffer == 'B');
	session_stop(&session);
}

Test(referee, draws_anew_when_asked)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("gemm-bf16");
	struct test_case test = case_of_shape(problem, (struct shape){16, 24, 32}, 1.0f, 0.5f, 3);
	make_case(&session, problem->name, &test, 0);
	cr_assert(session.arena.sets >= 4);
	uint8_t before[64], *a = session.memory + session.arena.a_offset;
	memcpy(before, a, sizeof before);
	cr_assert(memcmp(a, a + session.arena.set_stride, sizeof before) != 0, "sets differ");
	solve(&session, problem, &test, 2);
	cr_assert(check_set(&session, 2).wrong == 0);
	reset(&session, 99);
	cr_assert(memcmp(before, a, sizeof before) != 0);
	cr_assert(check_set(&session, 2).wrong > 0);
	solve(&session, problem, &test, 2);
	cr_assert(check_set(&session, 2).wrong == 0);
	session_stop(&session);
}

Test(referee, answers_nonsense_with_an_error)
{
	struct session session = session_start();
	struct message reply, request = {.type = 12345};
	struct referee_case make = {.head.type = MESSAGE_REFEREE_CASE, .problem = "gemm-f16"};
	char big[2 * sizeof(struct referee_check_reply)];
	int fd;
	call(&session, &request, sizeof request, &reply, sizeof reply, &fd);
	cr_assert(!reply.ok && reply.error[0] != '\0');
	call(&session, &make, sizeof make, big, sizeof big, &fd);
	memcpy(&reply, big, sizeof reply);
	cr_assert(!reply.ok && strstr(reply.error, "open") != NULL, "%s", reply.error);
	open_emulated(&session);
	call(&session, &make, sizeof make, big, sizeof big, &fd);
	memcpy(&reply, big, sizeof reply);
	cr_assert(!reply.ok && strstr(reply.error, "sizes") != NULL, "%s", reply.error);
	call(&session, &make, sizeof make - 8, big, sizeof big, &fd);
	memcpy(&reply, big, sizeof reply);
	cr_assert(!reply.ok);
	cr_assert(session_stop(&session) == 0);
}

/* A library that drops the last products, as has been seen of split-K, must not
 * pass for the truth. */
Test(referee, spot_checks_find_a_wrong_minimum)
{
	const struct referee_device *device = referee_device_emulated();
	struct device_choice choice = {.kind = DEVICE_EMULATED};
	struct device_facts facts;
	struct device_product product;
	struct error err;
	void *state;
	struct shape shape = {40, 50, 60};
	struct value_spec uniform = {VALUES_UNIFORM, 1};
	struct device_values a = {DTYPE_F32, uniform, 8, VALUES_STREAM_A, 40 * 60};
	struct device_values b = {DTYPE_F32, uniform, 8, VALUES_STREAM_B, 60 * 50};
	float off[40 * 50];
	cr_assert(device->open(&choice, &state, &facts, &err));
	cr_assert(device->product(state, ALGEBRA_MIN_PLUS, shape, &a, &b, &product, &err));
	cr_assert(product.unit_roundoff == 0 && product.product_f32 != NULL);
	cr_assert(spot_check(ALGEBRA_MIN_PLUS, shape, &a, &b, &product) == 0);
	for (size_t i = 0; i < 40 * 50; i++)
		off[i] = nextafterf(product.product_f32[i], 9);
	product.product_f32 = off;
	cr_assert(spot_check(ALGEBRA_MIN_PLUS, shape, &a, &b, &product) == SPOT_CHECKS);
	device->close(state);
}

/* One unit in the last place, which every bound would let pass. */
Test(referee, minima_are_demanded_bit_for_bit)
{
	struct session session = session_start();
	const struct problem *problem = problem_find("minplus-f32");
	struct test_case test = case_of_shape(problem, (struct shape){20, 30, 40}, 1, 0, 5);
	open_emulated(&session);
	make_case(&session, problem->name, &test, 1);
	solve(&session, problem, &test, 0);
	uint8_t *c = session.memory + session.arena.c_offset;
	store(c, DTYPE_F32, 77, nextafterf((float)load(c, DTYPE_F32, 77), 9));
	struct referee_check_reply reply = check_set(&session, 0);
	cr_assert(reply.wrong == 1 && reply.first[0].row == 2 && reply.first[0].column == 17);
	cr_assert(reply.first[0].bound == 0);
	session_stop(&session);
}

Test(referee, spot_checks_find_a_wrong_reference)
{
	const struct referee_device *device = referee_device_emulated();
	struct device_choice choice = {.kind = DEVICE_EMULATED};
	struct device_facts facts;
	struct device_product right, wrong;
	struct error err;
	void *state, *other;
	struct shape shape = {40, 50, 60}, shorter = {40, 50, 59};
	struct value_spec uniform = {VALUES_UNIFORM, 1};
	struct device_values a = {DTYPE_F16, uniform, 8, VALUES_STREAM_A, 40 * 60};
	struct device_values b = {DTYPE_F16, uniform, 8, VALUES_STREAM_B, 60 * 50};
	struct device_values short_a = {DTYPE_F16, uniform, 8, VALUES_STREAM_A, 40 * 59};
	struct device_values short_b = {DTYPE_F16, uniform, 8, VALUES_STREAM_B, 59 * 50};
	cr_assert(device->open(&choice, &state, &facts, &err));
	cr_assert(device->open(&choice, &other, &facts, &err));
	cr_assert(device->product(state, ALGEBRA_PLUS_TIMES, shape, &a, &b, &right, &err));
	cr_assert(
		device->product(other, ALGEBRA_PLUS_TIMES, shorter, &short_a, &short_b, &wrong, &err));
	cr_assert(spot_check(ALGEBRA_PLUS_TIMES, shape, &a, &b, &right) == 0);
	cr_assert(spot_check(ALGEBRA_PLUS_TIMES, shape, &a, &b, &wrong) >= SPOT_CHECKS / 2);
	device->close(state);
	device->close(other);
}
