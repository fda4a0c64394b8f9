#include "contestant/solution.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/gemm_library.h"
#include "contestant/cudart.h"

#define UNDEFINED "undefined symbol: "

/* The loader says "PATH: undefined symbol: NAME, version VERSION". A runtime that
 * lacks a function of CUDA's makes a device that cannot do something; anything
 * else is the solution's doing. */
static enum run_status status_of_refusal(const char *message, enum device_kind device,
										 struct error *err)
{
	const char *symbol = strstr(message, UNDEFINED);
	if (symbol == NULL && device != DEVICE_CUDA && strstr(message, DRIVER_FILE ": ") == message) {
		error_set(err, "the runtime of this device has no %s", DRIVER_FILE);
		return RUN_UNSUPPORTED;
	}
	if (symbol == NULL) {
		error_set(err, "%s", message);
		return RUN_UNLOADABLE;
	}
	symbol += strlen(UNDEFINED);
	int length = (int)strcspn(symbol, ", \n");
	bool cuda = strncmp(symbol, "cuda", 4) == 0 || strncmp(symbol, "__cuda", 6) == 0;
	if (cuda && device != DEVICE_CUDA) {
		error_set(err, "the runtime of this device has no %.*s", length, symbol);
		return RUN_UNSUPPORTED;
	}
	error_set(err, UNDEFINED "%.*s", length, symbol);
	return RUN_UNLOADABLE;
}

/* A function of this name without extern "C", whichever of its pointers are to const. */
static void *find_mangled(const struct solution *self, const char *function, char size)
{
	char name[ENTRY_NAME_TEXT];
	void *address = NULL;
	unsigned constants = 1u << problem_operands(self->problem);
	for (unsigned constant = 0; constant < constants && address == NULL; constant++) {
		entry_mangle(self->problem, function, constant, size, name);
		address = dlsym(self->library, name);
	}
	return address;
}

/* The function to be called; NULL: there is none. */
static void *find_entry(struct solution *self, enum entry_order order)
{
	void *address = dlsym(self->library, "solve");
	self->entry = ENTRY_SOLVE;
	if (address == NULL) {
		self->entry = ENTRY_SOLVE_CXX;
		address = find_mangled(self, "solve", 'i');
	}
	if (address == NULL && order != ENTRY_NOT_TAKEN) {
		self->entry = ENTRY_SOLUTION;
		address = dlsym(self->library, "solution");
		if (address == NULL)
			address = find_mangled(self, "solution", 'm');
	}
	return address;
}

enum run_status solution_load(struct solution *out, const char *path, const struct problem *problem,
							  enum entry_order order, enum device_kind device, struct error *err)
{
	out->problem = problem;
	out->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (out->library == NULL) {
		const char *message = dlerror();
		return status_of_refusal(message != NULL ? message : path, device, err);
	}
	void *address = find_entry(out, order);
	if (address == NULL) {
		error_set(err, "no extern \"C\" solve");
		return RUN_NO_SOLVE;
	}
	if (!call_prepare(&out->call, problem, out->entry, order, err))
		return RUN_UNLOADABLE;
	memcpy(&out->solve, &address, sizeof address);
	address = dlsym(out->library, "epilogue_bind");
	memcpy(&out->bind, &address, sizeof address);
	address = dlsym(out->library, "epilogue_after_solve");
	memcpy(&out->after, &address, sizeof address);
	address = dlsym(out->library, "solution_part");
	memcpy(&out->part, &address, sizeof address);
	return RUN_OK;
}

/* Where no buffer lies, and aligned as all of them are. */
#define NOWHERE ((uintptr_t)1 << 40)

int solution_part(const struct solution *solution, const struct test_case *test)
{
	struct call_operands operands = {{NULL}};
	for (size_t i = 0; i < BUFFERS_MAX; i++)
		operands.at[i] = (void *)(NOWHERE * (i + 1));
	return solution->part == NULL ? -1
								  : call_asked(&solution->call, solution->part, test, &operands);
}

/* relu and stages like it have no members to bind. */
static void bind_stages(const struct solution *solution, const struct call_operands *operands)
{
	size_t first = problem_operands(solution->problem);
	for (uint32_t i = 0; i < solution->chain.count; i++) {
		unsigned char members[CHAIN_BYTES_MAX];
		const struct chain_stage *stage = &solution->chain.stages[i];
		if (stage->bytes == 0)
			continue;
		chain_serialise(stage, &operands->at[first], members);
		solution->bind((int)i, members, stage->bytes);
	}
}

void solution_call(struct solution *solution, const struct test_case *test,
				   const struct call_operands *operands)
{
	bind_stages(solution, operands);
	call_run(&solution->call, solution->solve, test, operands);
	if (solution->chain.count > 0 && solution->after != NULL)
		solution->after();
}

/* The file's name where it is one that does GEMMs, else NULL. */
static const char *forbidden_name(const struct dl_phdr_info *info)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *file = slash != NULL ? slash + 1 : info->dlpi_name;
	return gemm_library(file) ? file : NULL;
}

static int note_library(struct dl_phdr_info *info, size_t size, void *context)
{
	struct libraries *out = context;
	(void)size;
	if (forbidden_name(info) != NULL && out->count < LIBRARIES_BEFORE)
		out->base[out->count++] = info->dlpi_addr;
	return 0;
}

void libraries_note(struct libraries *out)
{
	out->count = 0;
	dl_iterate_phdr(note_library, out);
}

struct look {
	const struct libraries *before;
	struct error *err;
};

static int look_at_library(struct dl_phdr_info *info, size_t size, void *context)
{
	const struct look *look = context;
	const char *file = forbidden_name(info);
	(void)size;
	for (size_t i = 0; file != NULL && i < look->before->count; i++)
		if (look->before->base[i] == info->dlpi_addr)
			return 0;
	return file != NULL && !error_set(look->err, "%s", file);
}

bool libraries_came(const struct libraries *before, struct error *err)
{
	struct look look = {before, err};
	return dl_iterate_phdr(look_at_library, &look) != 0;
}
