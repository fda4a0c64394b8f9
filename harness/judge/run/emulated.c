#include "judge/run/emulated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/models.h"
#include "judge/run/run.h"

#define VARIABLE_GPU "EMULATED_GPU"
#define VARIABLE_CHECK "EMULATED_GPU_CHECK"
#define VARIABLE_SEED "EMULATED_GPU_SEED"
#define VARIABLE_SAMPLE "EMULATED_GPU_SAMPLE"
#define VARIABLE_SERIALISED "EMULATED_GPU_SERIALISED"
#define VARIABLE_REGISTERS "EMULATED_GPU_REGISTERS"
#define VARIABLE_SWIZZLE "EMULATED_GPU_SWIZZLE"
#define VARIABLE_LINES "EMULATED_GPU_LINES"
/* Of its findings, which are lines (emulator/README.md). */
#define FINDING "emulated GPU: "
#define FINDING_OF_REGISTERS ": only ptxas knows how many registers it takes, and "

/* A tenth of what solutions/gemm_f16/01_naive.cu reaches on a core and a half of 2023, so that a
 * slower kernel on a slower machine comes through, too: 3e9 in the usual 60 s, which lets 1024^3
 * in and leaves 1536^3 and 4096^3 out. The reference takes some times as long as such a kernel. */
#define PRODUCTS_A_SECOND 5e7

/* STEPS_LEAST, and so many more for each product. Naive kernels take 0.2 to 0.4 of them, a thread
 * by itself 10; a barrier of 132 blocks that spin took 36e6 for one wait. A core takes some 60e6 of
 * a spin a second. */
#define STEPS_LEAST 200e6
#define STEPS_A_PRODUCT 32

const char *const emulated_swizzles[] = {"flat", "none", "32", "64", "128", NULL};

static bool hold(const struct judge_options *options, bool emulated, struct error *err)
{
	const char *asked = options->emulation.gpu != NULL     ? "--emulate"
						: options->emulation.check != NULL ? "--check"
						: options->emulation.counters      ? "--counters"
						: options->emulation.steps > 0     ? "--steps"
														   : NULL;
	return asked == NULL || emulated ||
		   error_set(err, "%s is for the emulated GPU: add --device emu", asked);
}

bool emulated_options(const struct judge_options *options, struct error *err)
{
	return hold(options, options->device.text == NULL || options->device.kind == DEVICE_EMULATED,
				err);
}

bool emulated_device(const struct judge_options *options, enum device_kind kind,
					 struct device_properties *facts, struct error *err)
{
	if (!hold(options, kind == DEVICE_EMULATED, err))
		return false;
	if (options->emulation.gpu == NULL)
		return true;
	snprintf(facts->name, sizeof facts->name, "emulated GPU (%s)", options->emulation.gpu);
	/* what nvcc is asked for, so that the GPU can take it; "", the compiler's default, is its */
	const struct gpu_model *model = gpu_model_find(options->emulation.gpu);
	facts->architecture[0] = '\0';
	if (model->compute != gpu_model_find(GPU_DEFAULT)->compute)
		snprintf(facts->architecture, sizeof facts->architecture, "compute_%s",
				 gpu_capability_of(model->compute)->architecture);
	return true;
}

bool emulated_twin(const struct judge_options *options, enum device_kind kind,
				   const struct device_properties *facts, char setting[EMULATED_VARIABLE])
{
	const char *id = options->emulation.gpu != NULL ? options->emulation.gpu : GPU_DEFAULT;
	const struct gpu_model *model = gpu_model_find(id);
	for (size_t i = 0; kind == DEVICE_CUDA && (model = gpu_model_at(i)) != NULL; i++)
		if (model->emulated && strcmp(model->name, facts->name) == 0 &&
			model->multiprocessors == facts->multiprocessors)
			break;
	if (model != NULL)
		snprintf(setting, EMULATED_VARIABLE, VARIABLE_GPU "=%s", model->id);
	return model != NULL;
}

bool emulated_too_large(const struct judge_options *options, enum device_kind kind, double timeout,
						const struct test_case *test, char detail[1024])
{
	double products = shape_terms(&test->shape), most = PRODUCTS_A_SECOND * timeout;
	if (kind != DEVICE_EMULATED || options->emulation.large_cases || products <= most)
		return false;
	snprintf(detail, 1024,
			 "too large for the emulated GPU: %.2g products, and it is given %.2g in %g s "
			 "(--large-cases runs it)",
			 products, most, timeout);
	return true;
}

double emulated_timeout(const struct judge_options *options, enum device_kind kind, double timeout,
						const struct test_case *test)
{
	if (kind != DEVICE_EMULATED || !options->emulation.large_cases || options->limits.timeout > 0.0)
		return timeout;
	return fmax(timeout, shape_terms(&test->shape) / PRODUCTS_A_SECOND);
}

/* "NAME=value", of any length; NULL without a value. */
static char *assign(const char *name, const char *value)
{
	size_t size = value != NULL ? strlen(name) + strlen(value) + sizeof "=" : 0;
	char *variable = value != NULL ? malloc(size) : NULL;
	if (variable != NULL)
		snprintf(variable, size, "%s=%s", name, value);
	return variable;
}

#define ORDER_KINDS 4 /* 0: as they are issued, 1: the last one first */

uint64_t emulated_order(const struct judge_options *options, const struct test_case *test)
{
	return emulated_order_at(options, test->number);
}

uint64_t emulated_order_at(const struct judge_options *options, uint64_t index)
{
	/* another kind in every four, as the kinds of values come round with four, too */
	const uint64_t kind = (index + index / ORDER_KINDS) % ORDER_KINDS;
	const uint64_t draw = (options->cases.seed + index) * 0x9e3779b97f4a7c15u;
	return (draw ^ draw >> 32) / ORDER_KINDS * ORDER_KINDS + kind;
}

uint64_t emulated_order_other(uint64_t order)
{
	return order % ORDER_KINDS ? 0 : 1;
}

uint64_t emulated_steps(const struct judge_options *options, const struct test_case *test)
{
	return options->emulation.steps > 0
			   ? options->emulation.steps
			   : (uint64_t)(STEPS_LEAST + STEPS_A_PRODUCT * shape_terms(&test->shape));
}

void emulated_watch_open(struct emulated_watch *watch, const struct judge_options *options,
						 bool emulated, const struct entrant *entrant)
{
	size_t used = 0;
	if (options->emulation.gpu != NULL)
		snprintf(watch->variables[used++], sizeof watch->variables[0], VARIABLE_GPU "=%s",
				 options->emulation.gpu);
	if (options->emulation.check != NULL)
		snprintf(watch->variables[used++], sizeof watch->variables[0], VARIABLE_CHECK "=%s",
				 options->emulation.check);
	/* which copies land early: 16 bits, from which the seed of the values does not follow */
	if (emulated)
		snprintf(watch->variables[used++], sizeof watch->variables[0], VARIABLE_SEED "=%u",
				 (unsigned)(options->cases.seed * 0x9e3779b97f4a7c15u >> 48));
	if (options->emulation.sample > 0)
		snprintf(watch->variables[used++], sizeof watch->variables[0], VARIABLE_SAMPLE "=%u",
				 (unsigned)options->emulation.sample);
	if (options->emulation.by_line)
		snprintf(watch->variables[used++], sizeof watch->variables[0], VARIABLE_LINES "=1");
	for (size_t i = 0; i < used; i++)
		watch->settings[i] = watch->variables[i];
	watch->serialised = emulated ? assign(VARIABLE_SERIALISED, entrant->serialised) : NULL;
	watch->registers = emulated ? assign(VARIABLE_REGISTERS, entrant->registers) : NULL;
	if (watch->serialised != NULL)
		watch->settings[used++] = watch->serialised;
	if (watch->registers != NULL)
		watch->settings[used++] = watch->registers;
	watch->settings[used] = NULL;
}

/* Copies it, with one more behind; false where there is no room, or one begins with `without`. */
static bool add_variable(const char *const *environment, const char *without, const char *variable,
						 const char *out[EMULATED_VARIABLES])
{
	size_t used = 0;
	for (; environment != NULL && environment[used] != NULL; used++) {
		if (used + 2 >= EMULATED_VARIABLES ||
			strncmp(environment[used], without, strlen(without)) == 0)
			return false;
		out[used] = environment[used];
	}
	out[used] = variable;
	out[used + 1] = NULL;
	return true;
}

bool emulated_with_races(const char *const *environment, const char *out[EMULATED_VARIABLES])
{
	return add_variable(environment, VARIABLE_CHECK "=", VARIABLE_CHECK "=race", out);
}

bool emulated_with_swizzle(const char *const *environment, const char *swizzle,
						   char variable[EMULATED_VARIABLE], const char *out[EMULATED_VARIABLES])
{
	snprintf(variable, EMULATED_VARIABLE, VARIABLE_SWIZZLE "=%s", swizzle);
	return add_variable(environment, VARIABLE_SWIZZLE "=", variable, out);
}

const char *emulated_race(const char *output)
{
	/* in shared, in global memory */
	static const char *const findings[] = {" without a barrier between",
										   ": nothing orders the two"};
	const char *line = strstr(output, FINDING);
	for (; line != NULL; line = strstr(line + 1, FINDING)) {
		const char *end = line + strcspn(line, "\n");
		for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) {
			const char *words = strstr(line, findings[i]);
			if (words != NULL && words < end)
				return line + strlen(FINDING);
		}
	}
	return NULL;
}

bool emulated_finds_wgmma(const char *output)
{
	static const char *const words[] = {"no wgmma.fence", "a wgmma that nothing waited for"};
	const char *line = output != NULL ? strstr(output, FINDING) : NULL;
	for (; line != NULL; line = strstr(line + 1, FINDING))
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			const char *found = strstr(line, words[i]);
			if (found != NULL && found < line + strcspn(line, "\n"))
				return true;
		}
	return false;
}

bool emulated_asks_registers(const char *text)
{
	return text != NULL && strstr(text, FINDING_OF_REGISTERS) != NULL;
}

/* "emulated GPU: kernel ...: vabsdiff4.u32 at gemm.cu:12: " before the end of such a line. */
static bool lacked_instruction(const char *output, char name[EMULATED_FUNCTION])
{
	static const char ends[] = ": the emulated GPU does not implement this instruction\n";
	const char *end = output != NULL ? strstr(output, ends) : NULL, *begin = end, *at = NULL;
	while (begin != NULL && begin > output && begin[-1] != '\n')
		begin--;
	for (const char *next = begin;
		 next != NULL && (next = strstr(next, " at ")) != NULL && next < end; next++)
		at = next;
	if (at == NULL || strncmp(begin, FINDING, sizeof FINDING - 1) != 0)
		return false;
	const char *word = at;
	while (word > begin && word[-1] != ' ')
		word--;
	snprintf(name, EMULATED_FUNCTION, "%.*s", (int)(at - word), word);
	return true;
}

bool emulated_lacked(const char *output, char function[EMULATED_FUNCTION])
{
	if (lacked_instruction(output, function))
		return true;
	static const char begins[] = "emulated GPU: ", ends[] = " is not implemented\n";
	for (const char *at = output; at != NULL && (at = strstr(at, begins)) != NULL;) {
		bool whole = at == output || at[-1] == '\n';
		at += sizeof begins - 1;
		size_t length = strcspn(at, " \n");
		if (!whole || length == 0 || length >= EMULATED_FUNCTION ||
			strncmp(at + length, ends, sizeof ends - 1) != 0)
			continue;
		snprintf(function, EMULATED_FUNCTION, "%.*s", (int)length, at);
		return true;
	}
	return false;
}

void emulated_watch_close(struct emulated_watch *watch)
{
	free(watch->serialised);
	free(watch->registers);
	watch->serialised = watch->registers = NULL;
}
