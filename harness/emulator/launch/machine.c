/* The seam of machine.h: modules, kernels and launches. */
#include "emulator/machine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/decode/decode.h"
#include "emulator/exec/fault.h"
#include "emulator/exec/memory.h"
#include "emulator/exec/race_global.h"
#include "emulator/launch/launch.h"
#include "emulator/ptx/ir.h"

#define SHARED_BASE 0x400u

struct kernel {
	const struct ptx_function *function;
	struct module *module;
	pthread_mutex_t lock; /* of the lazy decoding */
	struct exec_program *program;
	bool launches_dependents, waits_for_grid; /* known with the program */
	struct kernel *next;
};

struct module {
	struct ptx_module *ptx;
	struct kernel *kernels;
};

static bool place_variable(struct ptx_variable *variable, struct fault *fault)
{
	if (variable->is_extern && variable->init == NULL)
		return true; /* of another module: unresolved here */
	variable->address = memory_allocate(variable->size ? variable->size : 1, "variable");
	if (!variable->address) {
		fault->kind = FAULT_MEMORY;
		snprintf(fault->text, sizeof fault->text, "no memory for variable %.200s (%llu bytes)",
				 variable->name, (unsigned long long)variable->size);
		return false;
	}
	void *host = (void *)(uintptr_t)variable->address;
	if (variable->init != NULL)
		memcpy(host, variable->init, variable->size);
	else
		memset(host, 0, variable->size); /* CUDA's variables start as zero */
	memory_mark_written(memory_find(variable->address), variable->address, variable->size);
	return true;
}

static void relocate(struct ptx_variable *variable)
{
	struct ptx_relocation *relocation = variable->relocations;
	for (; variable->address && relocation != NULL; relocation = relocation->next) {
		uint64_t value = relocation->variable != NULL ? relocation->variable->address
													  : exec_function_address(relocation->function);
		value += (uint64_t)relocation->addend;
		if (relocation->offset + sizeof value <= variable->size)
			memcpy((uint8_t *)(uintptr_t)variable->address + relocation->offset, &value,
				   sizeof value);
	}
}

static bool place_variables(struct module *module, struct fault *fault)
{
	struct ptx_variable *variable;
	for (variable = module->ptx->variables; variable != NULL; variable = variable->next)
		if ((variable->space == PTX_GLOBAL || variable->space == PTX_CONST) &&
			!place_variable(variable, fault))
			return false;
	for (variable = module->ptx->variables; variable != NULL; variable = variable->next) {
		relocate(variable);
		if (variable->space == PTX_CONST && variable->address)
			memory_set_read_only(variable->address, true);
	}
	return true;
}

static bool add_kernels(struct module *module, struct fault *fault)
{
	for (struct ptx_function *f = module->ptx->functions; f != NULL; f = f->next) {
		if (!f->is_entry || !f->has_body)
			continue;
		struct kernel *kernel = calloc(1, sizeof *kernel);
		if (kernel == NULL) {
			fault->kind = FAULT_MEMORY;
			snprintf(fault->text, sizeof fault->text, "no memory for the module's kernels");
			return false;
		}
		kernel->function = f;
		kernel->module = module;
		pthread_mutex_init(&kernel->lock, NULL);
		kernel->next = module->kernels;
		module->kernels = kernel;
	}
	return true;
}

struct module *module_parse(const char *ptx, size_t length, struct fault *fault)
{
	memset(fault, 0, sizeof *fault);
	struct module *module = calloc(1, sizeof *module);
	if (module == NULL) {
		fault->kind = FAULT_MEMORY;
		snprintf(fault->text, sizeof fault->text, "no memory for the PTX module");
		return NULL;
	}
	module->ptx = ptx_parse(ptx, length, fault);
	if (module->ptx != NULL)
		module->ptx->shared_base = SHARED_BASE;
	if (module->ptx != NULL && place_variables(module, fault) && add_kernels(module, fault))
		return module;
	module_free(module);
	return NULL;
}

void module_set_shared_base(struct module *module, uint32_t base)
{
	module->ptx->shared_base = base;
}

void module_free(struct module *module)
{
	if (module == NULL)
		return;
	while (module->kernels != NULL) {
		struct kernel *kernel = module->kernels;
		module->kernels = kernel->next;
		decode_program_free(kernel->program);
		pthread_mutex_destroy(&kernel->lock);
		free(kernel);
	}
	struct ptx_variable *variable = module->ptx != NULL ? module->ptx->variables : NULL;
	for (; variable != NULL; variable = variable->next)
		if (variable->address)
			memory_free(variable->address);
	ptx_module_free(module->ptx);
	free(module);
}

const struct kernel *module_kernel(const struct module *module, const char *name)
{
	for (const struct kernel *kernel = module->kernels; kernel != NULL; kernel = kernel->next)
		if (strcmp(kernel->function->name, name) == 0)
			return kernel;
	return NULL;
}

const struct kernel *module_kernel_at(const struct module *module, size_t index)
{
	const struct kernel *kernel = module->kernels;
	while (kernel != NULL && index-- > 0)
		kernel = kernel->next;
	return kernel;
}

bool module_variable(const struct module *module, const char *name, uint64_t *address, size_t *size)
{
	for (const struct ptx_variable *v = module->ptx->variables; v != NULL; v = v->next) {
		if (!v->address || strcmp(v->name, name) != 0)
			continue;
		*address = v->address;
		*size = v->size;
		return true;
	}
	return false;
}

static bool has_instruction(const struct ptx_function *function, const char *opcode)
{
	for (uint32_t i = 0; i < function->code_count; i++)
		if (strcmp(function->code[i].opcode, opcode) == 0)
			return true;
	return false;
}

/* In the kernel or in a function that it may call. */
static bool reaches_instruction(const struct kernel *kernel, const char *opcode)
{
	const struct ptx_function *f = kernel->module->ptx->functions;
	bool found = has_instruction(kernel->function, opcode);
	for (; f != NULL && !found; f = f->next)
		found = !f->is_entry && has_instruction(f, opcode);
	return found;
}

static struct exec_program *kernel_program(const struct kernel *kernel, struct fault *fault)
{
	struct kernel *mutable = (struct kernel *)kernel;
	pthread_mutex_lock(&mutable->lock);
	if (mutable->program == NULL) {
		mutable->program = decode_program(kernel->function, fault);
		mutable->launches_dependents =
			reaches_instruction(kernel, "griddepcontrol.launch_dependents");
		mutable->waits_for_grid = reaches_instruction(kernel, "griddepcontrol.wait");
	}
	struct exec_program *program = mutable->program;
	pthread_mutex_unlock(&mutable->lock);
	return program;
}

void kernel_properties(const struct kernel *kernel, struct kernel_properties *out)
{
	struct fault ignored;
	const struct ptx_function *function = kernel->function;
	const struct exec_program *program = kernel_program(kernel, &ignored);
	*out = (struct kernel_properties){
		.name = function->name,
		.parameter_count = function->parameter_count,
		.parameter_bytes = function->parameter_bytes,
		.static_shared_bytes = program != NULL ? program->static_shared : 0,
		.local_bytes = program != NULL ? program->local_bytes : 0,
		.max_threads = function->max_threads ? function->max_threads : 1024,
		.max_cluster = function->max_cluster,
		.explicit_cluster = function->explicit_cluster,
		.blocks_are_clusters = function->blocks_are_clusters,
		.launches_dependents = kernel->launches_dependents,
		.waits_for_grid = kernel->waits_for_grid,
	};
	/* virtual registers say little about real ones: a bounded guess */
	int guess = program != NULL ? program->registers / 2 : 32;
	out->slots = program != NULL ? program->registers : 0;
	out->registers = guess < 16 ? 16 : guess > 128 ? 128 : guess;
	out->most_registers = launch_registers(function);
	if (out->registers > out->most_registers)
		out->registers = out->most_registers;
	memcpy(out->required_cluster, function->required_cluster, sizeof out->required_cluster);
	memcpy(out->required_block, function->required_block, sizeof out->required_block);
	const uint32_t *block = function->required_block;
	if (block[0])
		out->max_threads = block[0] * block[1] * block[2];
}

void kernel_parameter(const struct kernel *kernel, size_t index, size_t *offset, size_t *size)
{
	const struct ptx_variable *parameter = kernel->function->parameters;
	while (parameter != NULL && index-- > 0)
		parameter = parameter->next;
	*offset = parameter != NULL ? parameter->offset : 0;
	*size = parameter != NULL ? parameter->size : 0;
}

static bool kernel_keep_costs(const struct kernel *kernel, struct fault *fault)
{
	struct exec_program *program = kernel->program;
	if (program->costs == NULL)
		program->costs = calloc(program->count + 1, sizeof *program->costs);
	if (program->costs == NULL) {
		fault->kind = FAULT_MEMORY;
		snprintf(fault->text, sizeof fault->text, "no memory to count by line");
	}
	return program->costs != NULL;
}

bool machine_launch(const struct launch *launch, const struct machine_options *options,
					struct counters *counters, struct fault *fault)
{
	memset(fault, 0, sizeof *fault);
	struct exec_program *program = kernel_program(launch->kernel, fault);
	if (program == NULL)
		return false;
	if (options != NULL && options->by_line && !kernel_keep_costs(launch->kernel, fault))
		return false;
	return launch_run(launch, program, options, counters, fault);
}

bool machine_copied(const struct machine_order *order, const struct machine_copy *copy,
					struct fault *fault)
{
	return race_global_copy(order, copy, fault);
}

void machine_waited(const struct machine_clock *host)
{
	exec_operation_retire(host);
}

bool kernel_cost(const struct kernel *kernel, size_t index, struct line_cost *out, char *source,
				 size_t size)
{
	const struct exec_program *program = kernel->program;
	if (program == NULL || program->costs == NULL || index >= program->count)
		return false;
	*out = program->costs[index];
	exec_source(&program->origins[index], source, size);
	return true;
}
