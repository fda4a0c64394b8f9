/* links: referee_core testcases base; label: threads */
/* Drives build/libexec/referee in the contestant's place: writes results into the arena and looks
 * at the verdict. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "referee/reference.h"
#include "referee/spot.h"
#include "referee_fixture.h"
#include "testcases/values.h"

/* What a good solution does, from what lies in the arena. */
struct solution {
	const struct problem *problem;
	const struct test_case *test;
	uint8_t *buffers[OPERANDS_MAX];
	uint64_t batch; /* that is being computed */
};

static uint64_t size_in(const struct solution *solution, enum size size)
{
	return (uint64_t)solution->test->shape.size[size];
}

static double load(const uint8_t *start, enum dtype type, uint64_t index)
{
	const struct number_format *format = &type_of(type)->format;
	return values_to_double(format, values_load(format, start, index));
}

static void store(uint8_t *start, enum dtype type, uint64_t index, double value)
{
	const struct number_format *format = &type_of(type)->format;
	values_store(format, start, index, values_from_double(format, value));
}

static double element(const struct solution *solution, enum part part, uint64_t index)
{
	const struct operand *operand = problem_part(solution->problem, part);
	return load(solution->buffers[problem_part_index(solution->problem, part)], operand->type,
				index);
}

static float left_of(const struct solution *solution, uint64_t i, uint64_t k)
{
	uint64_t index = (solution->batch * size_in(solution, SIZE_M) + i) * size_in(solution, SIZE_K);
	return (float)element(solution, PART_LEFT, index + k) -
		   solution->test->scalar[SCALAR_ZERO_LEFT];
}

static float right_of(const struct solution *solution, uint64_t k, uint64_t j)
{
	const struct operand *operand = problem_part(solution->problem, PART_RIGHT);
	uint64_t n = size_in(solution, SIZE_N), depth = size_in(solution, SIZE_K);
	uint64_t index =
		solution->batch * n * depth + (operand->transposed ? j * depth + k : k * n + j);
	float number =
		(float)element(solution, PART_RIGHT, index) - solution->test->scalar[SCALAR_ZERO_RIGHT];
	if (problem_part(solution->problem, PART_RIGHT_SCALES) == NULL)
		return number;
	uint64_t group = size_in(solution, SIZE_GROUP);
	return number * (float)element(solution, PART_RIGHT_SCALES, j * (depth / group) + k / group);
}

static double result_of(const struct solution *solution, uint64_t i, uint64_t j, uint64_t index)
{
	const float *scalar = solution->test->scalar;
	bool least = solution->problem->algebra == ALGEBRA_MIN_PLUS;
	float sum = least ? INFINITY : 0;
	for (uint64_t k = 0; k < size_in(solution, SIZE_K); k++) {
		float left = left_of(solution, i, k), right = right_of(solution, k, j);
		sum = least ? fminf(sum, left + right) : fmaf(left, right, sum);
	}
	float scale = scalar[SCALAR_ALPHA] * scalar[SCALAR_SCALE_LEFT] * scalar[SCALAR_SCALE_RIGHT];
	float out = sum * scale / scalar[SCALAR_SCALE_RESULT];
	if (problem_takes(solution->problem, SCALAR_ZERO_RESULT))
		return (double)(rintf(out) + scalar[SCALAR_ZERO_RESULT]);
	if (scalar[SCALAR_BETA] != 0)
		out += scalar[SCALAR_BETA] * (float)element(solution, PART_RESULT, index);
	return (double)out;
}

/* Floyd and Warshall's sweeps, in f32. */
static void solve_paths(struct solution *solution)
{
	uint64_t n = size_in(solution, SIZE_N);
	float *d = (float *)solution->buffers[problem_part_index(solution->problem, PART_RESULT)];
	memcpy(d, solution->buffers[problem_part_index(solution->problem, PART_LEFT)],
		   n * n * sizeof *d);
	for (uint64_t k = 0; k < n; k++)
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t j = 0; j < n; j++)
				d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

static void solve(struct session *session, const struct problem *problem,
				  const struct test_case *test, uint32_t set)
{
	struct solution solution = {.problem = problem, .test = test};
	const struct operand *result = problem_part(problem, PART_RESULT);
	for (uint32_t i = 0; i < problem_operands(problem); i++)
		solution.buffers[i] = buffer_in(session, i, set);
	uint8_t *out = solution.buffers[problem_part_index(problem, PART_RESULT)];
	if (problem->algebra == ALGEBRA_SHORTEST_PATHS) {
		solve_paths(&solution);
		return;
	}
	uint64_t m = size_in(&solution, SIZE_M), n = size_in(&solution, SIZE_N), index = 0;
	for (; solution.batch < size_in(&solution, SIZE_BATCH); solution.batch++)
		for (uint64_t i = 0; i < m; i++)
			for (uint64_t j = 0; j < n; j++, index++)
				store(out, result->type, index, result_of(&solution, i, j, index));
}

static struct test_case case_with(const struct problem *problem, struct shape shape, float alpha,
								  float beta, uint64_t seed)
{
	const float scalars[SCALARS_MAX] = {alpha, beta};
	return case_of_shape(problem, &shape, scalars, seed);
}

Test(referee, accepts_a_good_solution)
{
	struct session session = session_start();
	open_emulated(&session);
	size_t problems;
	const struct problem *table = problem_table(&problems);
	for (size_t p = 0; p < problems; p++) {
		const struct problem *problem = &table[p];
		for (size_t i = 0; problem->file == NULL && i < 12; i++) {
			struct test_case test = case_generate(problem, 11, i, CASE_SIZES_MIXED, 40, 1);
			make_case(&session, problem->name, &test, 1);
			solve(&session, problem, &test, 0);
			struct check_summary reply = check_set(&session, 0);
			cr_assert(reply.elements == shape_rows(&test.shape) * shape_columns(&test.shape));
			cr_assert(reply.wrong == 0 && reply.worst_ratio <= 1, "%s %s: ratio %g", problem->name,
					  test.name, reply.worst_ratio);
			cr_assert(reply.guard_changed == 0);
			for (size_t b = 0; b < BUFFERS_MAX; b++)
				cr_assert(reply.changed[b] == 0);
		}
	}
	cr_assert(session_stop(&session) == 0);
}

Test(referee, follows_special_values)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("gemm-f16");
	struct test_case test = case_with(problem, (struct shape){{1, 80, 66, 70, 1}}, 1.0f, 1.0f, 3);
	for (int i = 0; i < 4; i++) {
		test.values[0].distribution = i == 0 || i == 3 ? VALUES_SPECIAL : VALUES_UNIFORM;
		test.values[1].distribution = i == 1 || i == 3 ? VALUES_SPECIAL : VALUES_UNIFORM;
		test.values[2].distribution = i == 2 ? VALUES_SPECIAL : VALUES_UNIFORM;
		make_case(&session, problem->name, &test, 1);
		solve(&session, problem, &test, 0);
		struct check_summary reply = check_set(&session, 0);
		cr_assert(reply.wrong == 0, "%d: %llu wrong", i, (unsigned long long)reply.wrong);
	}
	test.values[0] = test.values[1] = (struct value_spec){VALUES_LARGE, 100.0f, 0, 0};
	make_case(&session, problem->name, &test, 1);
	solve(&session, problem, &test, 0);
	struct check_summary reply = check_set(&session, 0);
	cr_assert(reply.wrong == 0, "overflow: %llu wrong", (unsigned long long)reply.wrong);
	session_stop(&session);
}

Test(referee, counts_untouched_and_shows_the_first)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("gemm-f16");
	struct test_case test = case_with(problem, (struct shape){{1, 17, 19, 16, 1}}, 1.0f, 0.0f, 3);
	make_case(&session, problem->name, &test, 1);
	struct check_summary reply = check_set(&session, 0);
	cr_assert(reply.wrong == 17 * 19 && reply.untouched == 17 * 19 && reply.read == 0);
	cr_assert(reply.worst_ratio > 100, "what lay there is a number far from every result");

	solve(&session, problem, &test, 0);
	uint8_t *c = buffer_in(&session, 2, 0);
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
	struct test_case test = case_with(problem, (struct shape){{1, 17, 19, 23, 1}}, 1.0f, 1.0f, 3);
	make_case(&session, problem->name, &test, 2);
	const struct arena *arena = &session.arena;
	cr_assert(arena->sets == 2 && arena->bytes >= 2 * arena->set_stride);
	solve(&session, problem, &test, 1);

	uint8_t *a = buffer_in(&session, 0, 1), *b = buffer_in(&session, 1, 1);
	uint64_t b_bytes = arena->buffers[1].bytes, c_bytes = arena->buffers[2].bytes;
	a[4] ^= 1;
	b[b_bytes - 1] ^= 1;
	buffer_in(&session, 2, 1)[c_bytes + 3] = 0;
	*(a - 2000) = 0;
	struct check_summary reply = check_set(&session, 1);
	cr_assert(reply.wrong == 0);
	cr_assert(reply.changed[0] == 1 && reply.changed[1] == 1 && reply.changed[2] == 0);
	cr_assert(reply.guard_changed == 2 && reply.guard_nearest == 3 && reply.guard_buffer == 2);

	a[4] ^= 1;
	b[b_bytes - 1] ^= 1;
	reset(&session, 0);
	solve(&session, problem, &test, 1);
	*(b - 1) = 0;
	reply = check_set(&session, 1);
	cr_assert(reply.wrong == 0, "C is put back by a reset");
	cr_assert(reply.guard_changed == 1 && reply.guard_nearest == -1 && reply.guard_buffer == 1);
	session_stop(&session);
}

Test(referee, draws_anew_when_asked)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("gemm-bf16");
	struct test_case test = case_with(problem, (struct shape){{1, 16, 24, 32, 1}}, 1.0f, 0.5f, 3);
	make_case(&session, problem->name, &test, 4);
	cr_assert(session.arena.sets == 4);
	uint8_t before[64], *a = buffer_in(&session, 0, 0);
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
	cr_assert(!reply.ok && strstr(reply.error, "size") != NULL, "%s", reply.error);
	call(&session, &make, sizeof make - 8, big, sizeof big, &fd);
	memcpy(&reply, big, sizeof reply);
	cr_assert(!reply.ok);
	cr_assert(session_stop(&session) == 0);
}

/* Paths of twice as many edges with every squaring: other associations than a sweep's. */
static void square_repeatedly(const float *edges, float *d, size_t n)
{
	static float next[64 * 64];
	memcpy(d, edges, n * n * sizeof *d);
	for (size_t reach = 1; reach < n; reach *= 2) {
		for (size_t i = 0; i < n * n; i++) {
			next[i] = INFINITY;
			for (size_t k = 0; k < n; k++)
				next[i] = fminf(next[i], d[i / n * n + k] + d[k * n + i % n]);
		}
		memcpy(d, next, n * n * sizeof *d);
	}
}

/* The paths of every kind of graph by any algorithm; wrong by the least that an edge may be, or
 * where there is none, they are refused. */
Test(referee, shortest_paths_by_any_algorithm)
{
	enum { NODES = 60 };
	static const struct value_spec graphs[] = {{VALUES_GRAPH, 10, 0.1f, 0.3f},
											   {VALUES_GRAPH, 10, 0.1f, 0.02f},
											   {VALUES_GRAPH_SIGNED, 10, 0.1f, 0.05f},
											   {VALUES_GRAPH_INTEGER, 10, 0, 0.1f}};
	struct session session = session_start();
	const struct problem *problem = problem_find("apsp-f32");
	struct test_case test =
		case_of_shape(problem, &(struct shape){{1, NODES, NODES, NODES, 1}}, NULL, 5);
	open_emulated(&session);
	for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++) {
		test.values[0] = graphs[g];
		make_case(&session, problem->name, &test, 1);
		float *d = (float *)buffer_in(&session, 1, 0);
		solve(&session, problem, &test, 0);
		cr_assert(check_set(&session, 0).wrong == 0);
		square_repeatedly((const float *)buffer_in(&session, 0, 0), d, NODES);
		cr_assert(check_set(&session, 0).wrong == 0);
		for (size_t i = 1; i < (size_t)NODES * NODES; i += 97) {
			float right = d[i];
			const float wrong[] = {isinf(right) ? 1e30f : right + 0.1f,
								   isinf(right) ? NAN : right - 0.1f,
								   isinf(right) ? -INFINITY : INFINITY};
			for (int w = 0; w < 3; w++) {
				d[i] = wrong[w];
				struct check_summary reply = check_set(&session, 0);
				cr_assert(reply.wrong == 1, "%zu, %zu: %g for %g", g, i, (double)wrong[w],
						  (double)right);
			}
			d[i] = right;
		}
	}
	session_stop(&session);
}

static struct device_request request_for(const char *name, int32_t m, int32_t n, int32_t k)
{
	const struct problem *problem = problem_find(name);
	struct test_case test = case_with(problem, (struct shape){{1, m, n, k, 1}}, 1, 0, 8);
	return reference_request(problem, &test, 8);
}

static void *open_device(const struct referee_device *device)
{
	struct device_choice choice = {.kind = DEVICE_EMULATED};
	struct device_properties facts;
	struct error err;
	void *state;
	cr_assert(device->open(&choice, &state, &facts, (float[PART_COUNT]){0}, &err), "%s",
			  err.message);
	return state;
}

Test(referee, spot_checks_find_a_wrong_minimum)
{
	const struct referee_device *device = referee_device_emulated();
	struct device_product product;
	struct error err;
	void *state = open_device(device);
	struct device_request request = request_for("minplus-f32", 40, 50, 60);
	float off[40 * 50];
	cr_assert(device->product(state, &request, &product, &err));
	cr_assert(product.unit_roundoff == 0 && product.product_f32 != NULL);
	cr_assert(spot_check(&request, &product) == 0);
	for (size_t i = 0; i < 40 * 50; i++)
		off[i] = nextafterf(product.product_f32[i], 9);
	product.product_f32 = off;
	cr_assert(spot_check(&request, &product) == SPOT_CHECKS);
	device->close(state);
}

Test(referee, spot_checks_find_wrong_paths)
{
	enum { NODES = 40 };
	const struct referee_device *device = referee_device_emulated();
	struct device_product product;
	struct error err;
	void *state = open_device(device);
	struct device_request request = request_for("apsp-f32", NODES, NODES, NODES);
	static double off[NODES * NODES];
	cr_assert(device->product(state, &request, &product, &err));
	cr_assert(product.unit_roundoff > 0 && product.product_f64 != NULL);
	cr_assert(spot_check(&request, &product) == 0);
	/* the edges alone, without any path of two */
	for (uint64_t i = 0; i < NODES * NODES; i++)
		off[i] = values_number_at(&request.left.values, i);
	product.product_f64 = off;
	cr_assert(spot_check(&request, &product) > SPOT_CHECKS / 4);
	device->close(state);
}

/* An operand that is only written holds NaN. */
Test(referee, counts_untouched_outputs)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("batched-f16");
	struct test_case test = case_with(problem, (struct shape){{3, 17, 19, 16, 1}}, 1, 0, 3);
	make_case(&session, problem->name, &test, 1);
	struct check_summary reply = check_set(&session, 0);
	cr_assert(reply.wrong == 3 * 17 * 19 && reply.untouched == 3 * 17 * 19);
	cr_assert(isinf(reply.worst_ratio) && reply.first[0].unwritten);
	solve(&session, problem, &test, 0);
	store(buffer_in(&session, 2, 0), DTYPE_F16, (17 + 5) * 19 + 7, NAN); /* not what lay there */
	reply = check_set(&session, 0);
	cr_assert(reply.wrong == 1 && reply.untouched == 0 && reply.first[0].row == 17 + 5);
	session_stop(&session);
}

/* One unit in the last place, which every bound would let pass. */
Test(referee, minima_are_demanded_bit_for_bit)
{
	struct session session = session_start();
	const struct problem *problem = problem_find("minplus-f32");
	struct test_case test = case_with(problem, (struct shape){{1, 20, 30, 40, 1}}, 1, 0, 5);
	open_emulated(&session);
	make_case(&session, problem->name, &test, 1);
	solve(&session, problem, &test, 0);
	uint8_t *c = buffer_in(&session, 2, 0);
	store(c, DTYPE_F32, 77, nextafterf((float)load(c, DTYPE_F32, 77), 9));
	struct check_summary reply = check_set(&session, 0);
	cr_assert(reply.wrong == 1 && reply.first[0].row == 2 && reply.first[0].column == 17);
	cr_assert(reply.first[0].bound == 0);
	session_stop(&session);
}

/* A library that drops the last products, as has been seen of split-K, must not
 * pass for the truth. */
Test(referee, spot_checks_find_a_wrong_reference)
{
	static const char *const names[] = {"gemm-f16", "linear-f16", "gemm-e4m3"};
	const struct referee_device *device = referee_device_emulated();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct device_product right, wrong;
		struct error err;
		void *state = open_device(device), *other = open_device(device);
		struct device_request request = request_for(names[i], 40, 50, 60);
		struct device_request shorter = request_for(names[i], 40, 50, 59);
		cr_assert(device->product(state, &request, &right, &err));
		cr_assert(device->product(other, &shorter, &wrong, &err));
		cr_assert(spot_check(&request, &right) == 0, "%s", names[i]);
		cr_assert(spot_check(&request, &wrong) >= SPOT_CHECKS / 2, "%s", names[i]);
		device->close(state);
		device->close(other);
	}
}
