/* links: chain base */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "chain/chain.h"

/* Each test has a folder of its own with stage files in it. */
static char folder[64];

static void write_file(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

static void begin(void)
{
	strcpy(folder, "/tmp/test_chain.XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	write_file("epilogue.cuh", "/* the contract */\n");
	write_file("alpha_beta.cuh", "/* Scales. */\n");
	write_file("clamp.cuh", "/* Limits.\n *\n * argument low = 0\n * argument high = 6 */\n");
	write_file("bias.cuh", "/* Adds.\n *\n * input bias N */\n");
	write_file("mixed.cuh", "\n// Mixed.\n//\n// argument first = -1e-3\n// input rows M\n"
							"//   argument second = inf\n// output kept M N\n#pragma once\n"
							"// argument none = 1\n");
}

static void end(void)
{
	static const char *const names[] = {"epilogue.cuh", "alpha_beta.cuh", "clamp.cuh",
										"bias.cuh",     "mixed.cuh",      "own.cuh"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[128];
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

TestSuite(chain, .init = begin, .fini = end);

static struct chain chain;
static struct chain_files files;

static void parse(const char *text)
{
	struct error err = {{0}};
	cr_assert(chain_parse(text, folder, &chain, &files, &err), "%s", err.message);
}

static void refuse(const char *text, const char *part)
{
	struct error err = {{0}};
	cr_assert_not(chain_parse(text, folder, &chain, &files, &err), "%s", text);
	cr_assert_not_null(strstr(err.message, part), "%s: %s", text, err.message);
	cr_assert_null(strchr(err.message, '\n'));
}

Test(chain, values_and_defaults)
{
	parse("alpha_beta,clamp:-1.5,clamp:1:inf");
	cr_assert_eq(chain.count, 3);
	cr_assert_eq(chain.stages[0].count, 0);
	cr_assert_eq(chain.stages[0].bytes, 0);
	cr_assert_eq(chain.stages[1].members[0].value, -1.5f);
	cr_assert_eq(chain.stages[1].members[1].value, 6.0f);
	cr_assert_eq(chain.stages[2].members[1].value, INFINITY);
	cr_assert_eq(chain.buffers, 0);
}

Test(chain, members_are_laid_out_as_by_a_compiler)
{
	struct expected {
		float first;
		const void *rows;
		float second;
		void *kept;
	};
	void *addresses[CHAIN_BUFFERS_MAX] = {(void *)0x10, (void *)0x20, (void *)0x30};
	unsigned char bytes[CHAIN_BYTES_MAX];
	struct expected got;
	parse("bias,mixed:2.5");
	cr_assert_eq(chain.buffers, 3);
	cr_assert_eq(chain.stages[1].bytes, sizeof got);
	chain_serialise(&chain.stages[1], addresses, bytes);
	memcpy(&got, bytes, sizeof got);
	cr_assert_eq(got.first, 2.5f);
	cr_assert_eq(got.rows, (void *)0x20);
	cr_assert_eq(got.second, INFINITY);
	cr_assert_eq(got.kept, (void *)0x30);
}

Test(chain, buffers_are_found)
{
	const struct chain_stage *stage;
	parse("mixed,bias");
	const struct chain_member *rows = chain_buffer(&chain, 0, &stage);
	cr_assert(rows->rows == 1 && rows->columns == 0);
	cr_assert_eq(chain_buffer(&chain, 1, &stage)->kind, CHAIN_OUTPUT);
	cr_assert_str_eq(stage->name, "mixed");
	const struct chain_member *columns = chain_buffer(&chain, 2, &stage);
	cr_assert(columns->rows == 0 && columns->columns == 1);
	cr_assert_str_eq(stage->name, "bias");
	cr_assert_null(chain_buffer(&chain, 3, &stage));
	cr_assert_eq(chain_elements(rows, 3, 5), 3);
	cr_assert_eq(chain_elements(columns, 3, 5), 5);
	cr_assert_eq(chain_elements(chain_buffer(&chain, 1, &stage), 3, 5), 15);
}

Test(chain, lengths_and_types)
{
	static const struct {
		char text[40];
		uint32_t kind, type;
		uint64_t elements, last; /* of a 300 x 70 matrix, and where its last element is */
		char extent[16];
	} rows[] = {
		{"input x N float", CHAIN_INPUT, CHAIN_FLOAT, 70, 69, "N"},
		{"input x M int8", CHAIN_INPUT, CHAIN_INT8, 300, 299, "M"},
		{"input x 1 bfloat16", CHAIN_INPUT, CHAIN_BFLOAT16, 1, 0, "1"},
		{"input x M/128 N/32 half", CHAIN_INPUT, CHAIN_HALF, 9, 8, "M/128 N/32"},
		{"input x M N/32", CHAIN_INPUT, CHAIN_ELEMENT, 900, 899, "M N/32"},
		{"output x M N/2 e4m3", CHAIN_OUTPUT, CHAIN_E4M3, 10500, 10499, "M N/2"},
		{"reduce x 1 max", CHAIN_MAX, CHAIN_FLOAT, 1, 0, "1"},
		{"reduce x M sum", CHAIN_SUM, CHAIN_FLOAT, 300, 299, "M"},
		{"reduce x M sum deterministic", CHAIN_EXACT, CHAIN_FLOAT, 300, 299, "M"},
		{"reduce x M sum deterministic finish", CHAIN_EXACT, CHAIN_FLOAT, 300, 299, "M"},
		{"reduce x N/8 max finish", CHAIN_MAX, CHAIN_FLOAT, 9, 8, "N/8"},
		{"reduce x M/128 N/128 max", CHAIN_MAX, CHAIN_FLOAT, 3, 2, "M/128 N/128"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[256], extent[CHAIN_EXTENT_TEXT];
		snprintf(text, sizeof text, "/* Mine.\n * %.39s\n * reduce is a word, too */\n",
				 rows[i].text);
		write_file("own.cuh", text);
		snprintf(text, sizeof text, "%s/own.cuh", folder);
		parse(text);
		const struct chain_member *member = &chain.stages[0].members[0];
		cr_assert(chain.stages[0].count == 1 && member->kind == rows[i].kind &&
					  member->type == rows[i].type,
				  "%s", rows[i].text);
		cr_assert_eq(chain_elements(member, 300, 70), rows[i].elements);
		cr_assert_eq(chain_allocated(member, 300, 70),
					 rows[i].elements * (rows[i].kind == CHAIN_EXACT ? 21 : 1));
		cr_assert_eq(chain_index(member, 70, 299, 69), rows[i].last);
		cr_assert_eq(chain_finish(&chain.stages[0]),
					 strstr(rows[i].text, "finish") != NULL ? member : NULL);
		chain_extent_text(member, extent);
		cr_assert_str_eq(extent, rows[i].extent);
		cr_assert_eq(chain_reduces(&chain), chain_is_reduction(member));
		cr_assert_eq(chain_columns(&chain.stages[0]), rows[i].kind == CHAIN_OUTPUT ? 2 : 1);
	}
}

Test(chain, header_includes_each_file_once)
{
	char expected[512];
	parse("clamp,bias,clamp:1");
	char *header = chain_header(&chain, &files, 0, chain.count);
	snprintf(expected, sizeof expected,
			 "#include \"%s/clamp.cuh\"\n#include \"%s/bias.cuh\"\n#line 1 \"%s/clamp.cuh\"\n"
			 "template <class Element> using epilogue_stage_0 = stage_clamp<Element>;\n",
			 folder, folder, folder);
	cr_assert_eq(strncmp(header, expected, strlen(expected)), 0, "%s", header);
	cr_assert_not_null(
		strstr(header, "template <class Element>\nusing epilogue_stages = epilogue_chain<"
					   "stage_clamp<Element>, stage_bias<Element>, stage_clamp<Element>>;\n"));
	cr_assert_not_null(
		strstr(header, "epilogue_visits<stage_bias<half>>(&epilogue_accesses::columns, 1)"), "%s",
		header);
	cr_assert_not_null(
		strstr(header, "epilogue_visits<stage_clamp<half>>(&epilogue_accesses::columns, 0)"));
	cr_assert_not_null(strstr(header, "offsetof(stage_clamp<half>, high) == 4"));
	cr_assert_not_null(strstr(header, "epilogue_ends_at<stage_clamp<half>>(8)"));
	free(header);
	header = chain_header(&chain, &files, 1, 1);
	cr_assert_null(strstr(header, "clamp"));
	free(header);
}

Test(chain, plain_is_alpha_beta_alone)
{
	parse("alpha_beta");
	cr_assert(chain_is_plain(&chain));
	parse("alpha_beta,alpha_beta");
	cr_assert_not(chain_is_plain(&chain));
	parse("bias");
	cr_assert_not(chain_is_plain(&chain));
	chain.count = 0;
	cr_assert(chain_is_plain(&chain));
}

Test(chain, own_files)
{
	char text[256];
	write_file("own.cuh", "/* Mine. */\n");
	snprintf(text, sizeof text, "bias,%s/own.cuh", folder);
	parse(text);
	cr_assert_str_eq(chain.stages[1].name, "own");
	cr_assert(chain.stages[0].shipped && !chain.stages[1].shipped);
	snprintf(text, sizeof text, "%s/own.cuh:1", folder);
	refuse(text, "takes no arguments");
}

Test(chain, faults)
{
	refuse("bais", "did you mean 'bias'");
	refuse("epilogue", "unknown epilogue stage");
	refuse("epilogue_stage", "unknown epilogue stage");
	refuse("../clamp", "No such file");
	refuse("", "no name");
	refuse("bias,", "no name");
	refuse("clamp:1:2:3", "2 arguments at most");
	refuse("bias:1", "takes no arguments");
	refuse("clamp:", "is a number, not ''");
	refuse("clamp:0x10", "is a number");
	refuse("clamp:nan", "is a number");
	refuse("clamp:1e999", "is a number");
	refuse("clamp: 1", "is a number");
	refuse("bias bias", "unknown epilogue stage");
	refuse("bias,bias,bias,bias,bias,bias,bias,bias,bias,bias,bias,bias,bias,bias,bias,bias,bias",
		   "at most 16");
}

static void refuse_declaration(const char *declaration, const char *part)
{
	char text[512], path[128];
	snprintf(text, sizeof text, "/* Mine.\n * %s\n */\n", declaration);
	write_file("own.cuh", text);
	snprintf(path, sizeof path, "%s/own.cuh", folder);
	refuse(path, part);
}

Test(chain, faulty_declarations)
{
	refuse_declaration("argument x", "own.cuh:2: 'argument x'");
	refuse_declaration("argument x 1", "is no declaration");
	refuse_declaration("argument x = one", "is no declaration");
	refuse_declaration("argument x = 1 2", "is no declaration");
	refuse_declaration("argument 9 = 1", "is no declaration");
	refuse_declaration("input x", "is no declaration");
	refuse_declaration("input x K", "is no declaration");
	refuse_declaration("input x N M", "is no declaration");
	refuse_declaration("output x N", "is no declaration");
	refuse_declaration("output x M N/4", "is no declaration");
	refuse_declaration("output x M/2 N", "is no declaration");
	refuse_declaration("input x M/0", "is no declaration");
	refuse_declaration("input x N double", "is no declaration");
	refuse_declaration("input x N float float", "is no declaration");
	refuse_declaration("reduce x K max", "is no declaration");
	refuse_declaration("input a_name_that_is_longer_than_any_name_may_be N", "is no declaration");
	refuse_declaration("input x N\n * input x M", "declared twice");
	refuse_declaration("input a N\n input b N\n input c N\n input d N\n input e N\n input f N\n"
					   " input g N\n input h N\n argument i = 1",
					   "at most 64 bytes");
}

Test(chain, any_bytes_are_an_error_or_a_stage)
{
	uint32_t word = 1;
	char path[128];
	snprintf(path, sizeof path, "%s/own.cuh", folder);
	for (int round = 0; round < 300; round++) {
		static const char *const pieces[] = {"/*",     "*/", "\n", " ",   "argument", "input",
											 "output", "x",  "=",  "1",   "M",        "N",
											 "//",     "*",  "\t", "\xff"};
		FILE *file = fopen(path, "w");
		for (int i = 0; i < 40; i++) {
			word = word * 1664525u + 1013904223u;
			fputs(pieces[word >> 28], file);
		}
		fclose(file);
		struct error err = {{0}};
		if (!chain_parse(path, folder, &chain, &files, &err))
			cr_assert_neq(err.message[0], '\0');
	}
}
