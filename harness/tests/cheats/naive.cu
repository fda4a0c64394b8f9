// A judge as simple sites have it, for showing that the tricks of this folder work where nothing
// is done against them. usage: naive_judge SOLUTION.so      prints the verdict
//
// What it does not do: the solution runs in the process that holds the answers and says the
// verdict; inputs are the same in every call and drawn by rand(); C holds the right answer, as the
// reference was computed into the same memory; there are no guards, inputs are not looked at again;
// C is looked at when all is over, in some rows, with a tolerance of 0.05; the end of the process
// with status 0 counts as success.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

constexpr int SIDE = 32, SETS = 3, CALLS = 4; // M = N = K
constexpr int PART = SIDE * SIDE, PADDING = 2048, STRIDE = 3 * PART + PADDING;

// Within reach of the solution, as everything here is (the program exports its names).
extern "C" {
half judge_a[PART], judge_b[PART], judge_expected[PART];
float judge_tolerance = 0.05f;
}

using Solve = void(const half *, const half *, half *, int, int, int, float, float);

static __global__ void reference(const half *A, const half *B, half *C)
{
	int row = threadIdx.y, column = threadIdx.x;
	float sum = 0.0f;
	for (int k = 0; k < SIDE; k++)
		sum += __half2float(A[row * SIDE + k]) * __half2float(B[k * SIDE + column]);
	C[row * SIDE + column] = __float2half(sum);
}

extern "C" void judge_reference(const half *A, const half *B, half *C)
{
	reference<<<1, dim3(SIDE, SIDE)>>>(A, B, C);
}

extern "C" __attribute__((noinline)) int judge_compare(const half *got, const half *want)
{
	for (int i = 0; i < PART; i++) {
		int row = i / SIDE;
		if (row % 8 != 0 && row != SIDE - 1) // samples are enough
			continue;
		float right = __half2float(want[i]);
		if (!(fabsf(__half2float(got[i]) - right) <= judge_tolerance * (1.0f + fabsf(right))))
			return 0;
	}
	return 1;
}

static half *set_at(half *arena, int set)
{
	return arena + PADDING + set * STRIDE; // A, B, C one after the other
}

// Every set has the same numbers; there are several so that the L2 cache is cold.
static void draw(half *arena)
{
	srand(1);
	for (int i = 0; i < PART; i++) {
		judge_a[i] = __float2half(0.4f * (float)rand() / (float)RAND_MAX - 0.2f);
		judge_b[i] = __float2half(0.4f * (float)rand() / (float)RAND_MAX - 0.2f);
	}
	for (int set = 0; set < SETS; set++) {
		half *at = set_at(arena, set);
		cudaMemcpy(at, judge_a, sizeof judge_a, cudaMemcpyHostToDevice);
		cudaMemcpy(at + PART, judge_b, sizeof judge_b, cudaMemcpyHostToDevice);
		judge_reference(at, at + PART, at + 2 * PART);
		cudaMemcpy(judge_expected, at + 2 * PART, sizeof judge_expected, cudaMemcpyDeviceToHost);
	}
}

// Keeps the answers in a file without a name, as a site that reads them from disk does.
static void keep_answers()
{
	FILE *file = tmpfile();
	if (file != nullptr && fwrite(judge_expected, sizeof judge_expected, 1, file) == 1)
		fflush(file);
}

static int judge(const char *path)
{
	half *arena = nullptr, got[PART];
	cudaMalloc(&arena, (PADDING + SETS * STRIDE) * sizeof(half));
	cudaMemset(arena, 0, (PADDING + SETS * STRIDE) * sizeof(half));
	draw(arena);
	keep_answers();
	void *library = dlopen(path, RTLD_LAZY);
	Solve *solve = library != nullptr ? (Solve *)dlsym(library, "solve") : nullptr;
	if (solve == nullptr)
		return 0;
	for (int set = 0; set < SETS; set++)
		for (int call = 0; call <= CALLS; call++) { // the first one warms up
			half *at = set_at(arena, set);
			solve(at, at + PART, at + 2 * PART, SIDE, SIDE, SIDE, 1.0f, 0.0f);
			cudaDeviceSynchronize();
		}
	usleep(300000); // other files are timed before anything is compared
	int right = 1;
	for (int set = 0; set < SETS; set++) {
		cudaMemcpy(got, set_at(arena, set) + 2 * PART, sizeof got, cudaMemcpyDeviceToHost);
		right &= judge_compare(got, judge_expected);
	}
	return right;
}

// The first word that tells a verdict, else the exit status.
static const char *verdict(const char *said, int status)
{
	const char *accepted = strstr(said, "accepted"), *wrong = strstr(said, "wrong_answer");
	if (accepted != nullptr && (wrong == nullptr || accepted < wrong))
		return "accepted";
	if (wrong != nullptr)
		return "wrong_answer";
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "accepted" : "runtime_error";
}

int main(int count, char **words)
{
	int ends[2], status = 0;
	char said[4096] = "";
	size_t used = 0;
	ssize_t got;
	if (count != 2 || pipe(ends) != 0)
		return 2;
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		alarm(20);
		int right = judge(words[1]);
		printf("%s\n", right ? "accepted" : "wrong_answer");
		return !right;
	}
	close(ends[1]);
	while (used + 1 < sizeof said && (got = read(ends[0], said + used, sizeof said - used - 1)) > 0)
		used += (size_t)got;
	waitpid(child, &status, 0);
	printf("%s\n%s", verdict(said, status), said);
	return 0;
}
