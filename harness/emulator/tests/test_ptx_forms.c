/* links: emulator_core */
/* The table of PTX syntax: what each row takes, that nothing else is taken, and what is said of it.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/forms.h"

#define INSTANCES 40 /* of each row: so many draws of its alternatives */
#define PARTS 32

/* ------------------------------------------------------------------------
 * Instances of rows */

struct instance {
	char opcode[64], parts[PARTS][48];
	uint32_t count;
	char more[4]; /* letters of the operands that parts add */
	struct ptx_need need;
};

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* "m64n<8:256:8>k16" as one of what it stands for */
static void add_part(struct instance *instance, const char *text, size_t length)
{
	char *part = instance->parts[instance->count++];
	cr_assert_leq(instance->count, PARTS);
	for (size_t i = 0; i < length; i++) {
		int least, most, step;
		if (text[i] != '<') {
			*part++ = text[i];
			continue;
		}
		cr_assert_eq(sscanf(text + i, "<%d:%d:%d>", &least, &most, &step), 3);
		part +=
			sprintf(part, "%d", least + step * (int)draw((uint32_t)((most - least) / step + 1)));
		i = (size_t)(strchr(text + i, '>') - text);
	}
	*part = '\0';
}

static const char *add_need(struct instance *instance, const char *at)
{
	char kind = 0;
	int target, version, length;
	cr_assert(sscanf(at, "@%d:%d%n", &target, &version, &length) == 2 ||
			  sscanf(at, "@%d%c:%d%n", &target, &kind, &version, &length) == 3);
	target = target * 10 + (kind == 'a' ? 5 : kind == 'f' ? 3 : 0);
	if (target > instance->need.target)
		instance->need.target = target;
	if (version > instance->need.version)
		instance->need.version = version;
	return at + length;
}

/* Behind the group or the alternative that `at` is in. */
static const char *skip(const char *at)
{
	int depth = 0;
	for (; depth > 0 || !strchr("|)}", *at); at++)
		depth += *at == '(' || *at == '{' ? 1 : *at == ')' || *at == '}' ? -1 : 0;
	return at;
}

/* From `at` to the end of its alternative; what is not `wanted` is passed over. */
static const char *expand(struct instance *instance, const char *at)
{
	while (*at && !strchr("|)}", *at)) {
		if (*at == '.') {
			size_t length = strcspn(at + 1, " .|(){}@+!");
			add_part(instance, at + 1, length);
			at += 1 + length;
		} else if (*at == '@') {
			at = add_need(instance, at);
		} else if (*at == '(' || *at == '{') {
			uint32_t alternatives = 1;
			for (const char *end = skip(at + 1); *end == '|'; end = skip(end + 1))
				alternatives++;
			bool takes = *at == '(' || draw(2);
			uint32_t chosen = draw(alternatives);
			for (uint32_t i = 0; i < alternatives; i++)
				at = takes && i == chosen ? expand(instance, at + 1) : skip(at + 1);
			at++;
		} else if (*at++ == '+') {
			instance->more[strlen(instance->more)] = *at++;
		}
	}
	return at;
}

static struct instance instance_of(const struct ptx_form *form)
{
	struct instance instance = {.need = {750, 63}};
	snprintf(instance.opcode, sizeof instance.opcode, "%s", ptx_opcode_names[form->opcode]);
	expand(&instance, form->parts);
	return instance;
}

static struct ptx_expectation expectation_of(const struct instance *instance,
											 const struct ptx_form *form)
{
	struct ptx_instruction in = {0};
	const char *parts[PARTS + 8];
	char opcode[sizeof instance->opcode], *at;
	strcpy(opcode, instance->opcode);
	for (char *part = strtok_r(opcode, ".", &at); part; part = strtok_r(NULL, ".", &at))
		parts[in.part_count++] = part;
	for (uint32_t i = 0; i < instance->count; i++)
		parts[in.part_count++] = instance->parts[i];
	in.parts = parts;
	in.operand_count = (uint32_t)strlen(instance->more) + (form->operands[0] != '\0');
	for (const char *c = form->operands; *c; c++)
		in.operand_count += *c == ',';
	struct ptx_match match = {.form = form};
	memcpy(match.more, instance->more, sizeof match.more);
	struct ptx_expectation expectation;
	ptx_expect_operands(&expectation, &in, &match);
	return expectation;
}

static const char *register_of(int bits)
{
	switch (bits) {
	case 1: return "%p0";
	case 8:
	case 16: return "%h0";
	case 64: return "%d0";
	case 128: return "%q0";
	default: return "%r0";
	}
}

static char *write_vector(char *out, int bits, int count)
{
	for (int i = 0; i < count; i++)
		out += sprintf(out, "%s%s", i ? ", " : "{", register_of(bits));
	return out + sprintf(out, "}");
}

static char *write_operand(char *out, const struct ptx_expected *expected, int dimensions)
{
	const char *item = expected->item;
	int least = 0;
	switch (expected->what) {
	case 'i': sscanf(item, "i<%d", &least); return out + sprintf(out, "%d", least);
	case 'j': return out + sprintf(out, "L");
	case '_': return out + sprintf(out, "_");
	case '[':
		out += sprintf(out, "[%%d0");
		for (item += 2; *item != ']'; item++) {
			out += sprintf(out, ", ");
			out = strchr("kt", *item) ? write_vector(out, 32, dimensions)
									  : out + sprintf(out, "%%d0");
		}
		return out + sprintf(out, "]");
	default: break;
	}
	if (expected->is_vector)
		return write_vector(out, expected->bits, expected->least);
	out += sprintf(out, "%s", register_of(expected->bits));
	return out + sprintf(out, expected->is_pair ? "|%%p0" : "");
}

/* "add.rn.f32 %r0, %r0, %r0;" with `extra` before the n-th part that follows the opcode */
static void write(const struct instance *instance, const struct ptx_form *form, const char *extra,
				  uint32_t place, char *out)
{
	const struct ptx_expectation expectation = expectation_of(instance, form);
	out += sprintf(out, "%s", instance->opcode);
	for (uint32_t i = 0; i <= instance->count; i++) {
		if (extra && i == place)
			out += sprintf(out, ".%s", extra);
		if (i < instance->count)
			out += sprintf(out, ".%s", instance->parts[i]);
	}
	const char *between = " ";
	for (int i = 0; i < expectation.count; i++) {
		if (i == 0 || !expectation.expected[i - 1].or_next) {
			out += sprintf(out, "%s", between);
			out = write_operand(out, &expectation.expected[i], expectation.dimensions);
			between = ", ";
		}
	}
	sprintf(out, ";\n");
}

static bool taken(const struct ptx_need *need, const char *instruction, struct fault *fault)
{
	static const char *const kinds[] = {"", "", "", "f", "", "a"};
	char text[4096];
	snprintf(text, sizeof text,
			 ".version %d.%d\n.target sm_%d%s\n.address_size 64\n.visible .entry k() {\n"
			 ".reg .pred %%p<2>; .reg .b16 %%h<2>; .reg .b32 %%r<2>; .reg .b64 %%d<2>; "
			 ".reg .b128 %%q<2>; .reg .f32 %%f<4>;\n%sL: ret;\n}\n",
			 need->version / 10, need->version % 10, need->target / 10, kinds[need->target % 10],
			 instruction);
	*fault = (struct fault){0};
	struct ptx_module *module = ptx_parse(text, strlen(text), fault);
	ptx_module_free(module);
	return module != NULL;
}

Test(ptx_forms, every_row_takes_its_instances_and_no_modifier_more)
{
	static const char *const extras[] = {"zzz", "2pi2", "bulk_groups", "f33"};
	char text[2048];
	struct fault fault;
	for (size_t row = 0; row < ptx_form_count; row++) {
		const struct ptx_form *form = &ptx_forms[row];
		for (seed = 1; seed <= INSTANCES; seed += 1) {
			const uint32_t kept = seed;
			struct instance instance = instance_of(form);
			seed = kept;
			write(&instance, form, NULL, 0, text);
			cr_assert(taken(&instance.need, text, &fault), "%s: %s", text, fault.text);
			for (uint32_t place = 0; place <= instance.count && !strchr(form->parts, '*');
				 place++) {
				write(&instance, form, extras[(place + seed) % 4], place, text);
				cr_assert_not(taken(&instance.need, text, &fault), "%s", text);
			}
		}
	}
}

/* A modifier of another opcode, at each place of one instance of each row. */
Test(ptx_forms, modifiers_of_other_opcodes_are_refused)
{
	char text[2048];
	struct fault fault;
	for (size_t row = 0; row < ptx_form_count; row++) {
		const struct ptx_form *form = &ptx_forms[row];
		seed = 7;
		struct instance instance = instance_of(form);
		const bool is_sine = form->opcode == OPCODE_SIN || form->opcode == OPCODE_COS;
		for (uint32_t place = 0; place <= instance.count && !strchr(form->parts, '*'); place++) {
			write(&instance, form, is_sine ? "bulk_group" : "2pi", place, text);
			cr_assert_not(taken(&instance.need, text, &fault), "%s", text);
			cr_assert(strstr(fault.text, "PTX line 6: '"), "%s", fault.text);
		}
	}
}

/* One below what an instance needs, of the target or of the version. */
Test(ptx_forms, what_a_row_needs_is_needed)
{
	char text[2048];
	struct fault fault;
	for (size_t row = 0; row < ptx_form_count; row++) {
		const struct ptx_form *form = &ptx_forms[row];
		struct instance instance = {.need = {0, 0}};
		seed = 3;
		snprintf(instance.opcode, sizeof instance.opcode, "%s", ptx_opcode_names[form->opcode]);
		expand(&instance, form->parts);
		const char *end = strrchr(form->parts, '@');
		if (!end || strpbrk(end, "|)}")) /* of a part: another row may have the rest */
			continue;
		struct instance last = {.need = {0, 0}};
		add_need(&last, end);
		write(&instance, form, NULL, 0, text);
		struct ptx_need less = {instance.need.target, 63};
		if (last.need.version > 63 && last.need.version >= instance.need.version) {
			less.version = last.need.version - 1;
			if (taken(&less, text, &fault)) /* another row has it: as "mbarrier.arrive" */
				continue;
			cr_assert(strstr(fault.text, "requires"), "%s", fault.text);
		}
	}
}

/* ------------------------------------------------------------------------
 * What is said */

static void refused(int target, int version, const char *instruction, const char *needle)
{
	struct fault fault;
	cr_expect_not(taken(&(struct ptx_need){target, version}, instruction, &fault), "%s",
				  instruction);
	cr_expect(strstr(fault.text, needle), "'%s' is not in: %s", needle, fault.text);
	cr_expect(strstr(fault.text, "PTX line 6: "), "%s", fault.text);
	cr_expect_eq(fault.kind, version > PTX_FORMS_VERSION && !strstr(needle, "requires")
								 ? FAULT_UNSUPPORTED
								 : FAULT_SYNTAX);
}

static void accepted(int target, int version, const char *instruction)
{
	struct fault fault;
	cr_expect(taken(&(struct ptx_need){target, version}, instruction, &fault), "%s", fault.text);
}

#define COPIES "cp.async.ca.shared.global [%r0], [%r0], 4;\n"

Test(ptx_forms, target_and_version_that_brought_it)
{
	refused(750, 90, COPIES, "requires .target sm_80 or higher");
	refused(800, 65, COPIES, "requires PTX .version 7.0 or later, and the module's is 6.5");
	accepted(800, 70, COPIES);
	refused(900, 90, "wgmma.fence.sync.aligned;\n", "(PTX 8.0) requires .target sm_90a, and");
	refused(1000, 90, "wgmma.fence.sync.aligned;\n", "requires .target sm_90a, and");
	accepted(905, 80, "wgmma.fence.sync.aligned;\n");
	refused(900, 80, "fence.proxy.tensormap::generic.release.gpu;\n", "8.3");
	refused(900, 90, "sin.approx.ftz.2pi.f32 %f1, %f2;\n", "requires PTX .version 9.5");
	accepted(750, 95, "sin.approx.ftz.2pi.f32 %f1, %f2;\n");
}

Test(ptx_forms, what_there_is_not_is_named)
{
	refused(900, 90, "frobnicate.f32 %f1, %f2;\n", "no instruction of PTX up to 9.5");
	refused(900, 90, "add.rn.zzz.f32 %f1, %f2, %f3;\n", "no such form with '.zzz'");
	refused(900, 90, "sin.approx.2pi.f32 %f1, %f2;\n", "no such form with '.2pi'");
	refused(900, 90, "mad.f32 %f1, %f2, %f3, %f1;\n", "'mad.f32'");
	refused(900, 90, "add.f32 %f1, %f2;\n", "does not take 2 operands");
	refused(905, 90, "setmaxnreg.inc.sync.aligned.u32 28;\n", "operand 1 of 'setmaxnreg");
	refused(900, 90, "max.f32 %f1, %f2, %f3, %f1;\n", "requires .target sm_100");
}

/* A module may be newer than the table: it is the emulated GPU that does not know then. */
Test(ptx_forms, a_later_version_is_no_fault)
{
	accepted(900, 107, "add.rn.f32 %f1, %f2, %f3;\n");
	refused(900, 107, "add.rn.zzz.f32 %f1, %f2, %f3;\n", "PTX up to 9.5 has no such form");
	refused(900, 107, "wgmma.fence.sync.aligned;\n", "requires .target sm_90a");
}

Test(ptx_forms, directives_that_are_not_known)
{
	static const char *const places[] = {".warp .b32 x;\n.visible .entry k() { ret; }",
										 ".visible .entry k()\n.warp 3\n{ ret; }",
										 ".visible .entry k() {\n.warp .b32 x; ret; }"};
	for (int i = 0; i < 6; i++) {
		char text[256];
		struct fault fault = {0};
		snprintf(text, sizeof text, ".version %s\n.target sm_90\n.address_size 64\n%s\n",
				 i < 3 ? "9.0" : "10.7", places[i % 3]);
		cr_expect_null(ptx_parse(text, strlen(text), &fault));
		cr_expect(strstr(fault.text, "'.warp' is no directive"), "%s", fault.text);
		cr_expect_eq(fault.kind, i < 3 ? FAULT_SYNTAX : FAULT_UNSUPPORTED);
		cr_expect_eq(fault.ptx_line, i % 3 == 0 ? 4 : 5);
	}
}

/* ptxas takes modifiers in any order, and types, layouts and state spaces in that of the row. */
Test(ptx_forms, modifiers_in_any_order)
{
	accepted(900, 90, "add.f32.ftz.rn %f1, %f2, %f3;\n");
	accepted(900, 90, "ld.f32.volatile.global %f1, [%d0];\n");
	refused(900, 90, "add.rn.rn.f32 %f1, %f2, %f3;\n", "no such form with '.rn'");
	refused(900, 90, "cvt.rn.f32.f16x2 %f1, %f2;\n", "f16x2");
}

/* What ptxas refuses, and a decoder that ignores what it does not use would run. */
Test(ptx_forms, what_ptxas_refuses)
{
	static const char *const refusals[] = {
		"setmaxnreg.inc.sync.aligned.u32 16;\n",
		"setmaxnreg.inc.sync.aligned.u32 264;\n",
		"wgmma.mma_async.sync.aligned.m64n4k32.s32.s8.s8 {%r0, %r0}, %d0, %d0, %p0;\n",
		"add.rn.f32x2 %d0, %d0, %d0;\n",
		"redux.sync.min.f32 %r0, %r0, -1;\n",
		"st.global.v4.b64 [%d0], {%d0, %d0, %d0, %d0};\n",
		"red.shared.add.v4.f32 [%r0], {%r0, %r0, %r0, %r0};\n",
		"tanh.approx.ftz.f32 %r0, %r0;\n",
		"ex2.approx.bf16x2 %r0, %r0;\n",
		"atom.global.min.f32 %r0, [%d0], %r0;\n",
		"atom.global.exch.u32 %r0, [%d0], %r0;\n",
		"shfl.down.b32 %r0, %r0, 1, 31;\n",
		"bar.sync 16;\n",
	};
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
		struct fault fault;
		cr_expect_not(taken(&(struct ptx_need){905, 95}, refusals[i], &fault), "%s", refusals[i]);
	}
}
