/* links: judge */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "judge/hints/signature.h"

static struct signature found(const char *text)
{
	struct signature out;
	signature_find(text, "solve", &out);
	return out;
}

static void expect(const char *text, const char *types, const char *names)
{
	struct signature out = found(text);
	char got_types[512] = "", got_names[512] = "";
	cr_assert(out.found && out.has_body, "%s", text);
	for (size_t i = 0; i < out.count; i++) {
		const struct signature_parameter *parameter = &out.parameters[i];
		sprintf(got_types + strlen(got_types), "%s%s;", parameter->type,
				parameter->pointer ? "*" : "");
		sprintf(got_names + strlen(got_names), "%s;", parameter->name);
	}
	cr_assert_str_eq(got_types, types, "%s: %s", text, got_types);
	cr_assert_str_eq(got_names, names, "%s: %s", text, got_names);
}

Test(signature, reads_types_and_names)
{
	expect("extern \"C\" void solve(const half *A, half* __restrict__ C, int M, float alpha) {}",
		   "half*;half*;int;float;", "A;C;M;alpha;");
	expect("void solve(unsigned int n, unsigned long long m, const float x[], size_t)\n{ }",
		   "unsigned int;unsigned long long;float*;size_t;", "n;m;x;;");
	expect("void solve(void) {}", "", "");
	expect("void solve() noexcept { }", "", "");
	expect("void solve(std::array<int, 3> a, int n = f(1, 2)) {}", "std array int;int;", "a;n;");
}

Test(signature, passes_over_what_is_no_code)
{
	expect(
		"// void solve(int wrong) {}\n/* solve(double x) { */\n#define solve(x) { \\\n solve(y) {\n"
		"const char *s = \"void solve(short q) {\"; char c = '{';\n"
		"void solve(int n) {}",
		"int;", "n;");
	expect("static void other(int a) { solve(a, a); }\nstruct s { void solve(int a, int b) {} };\n"
		   "static const int t[] = {1, 2};\nvoid solve(int n) {}",
		   "int;", "n;");
}

Test(signature, takes_a_definition_before_a_declaration)
{
	expect("extern \"C\" void solve(int a, int b);\nvoid solve(int n) {}", "int;", "n;");
	struct signature declared = found("extern \"C\" void solve(int a, int b);");
	cr_assert(declared.found && !declared.has_body && declared.count == 2);
	cr_assert(!found("void solver(int a) {} void resolve(int b) {}").found);
	cr_assert_eq(
		found("#if A\nvoid solve(int a) {}\n#else\nvoid solve() { f(); }\n#endif").definitions, 2);
	cr_assert_eq(found("void solve(int);\nvoid solve(int a) { solve(a); }").definitions, 1);
}

Test(signature, tells_linkage)
{
	cr_assert(found("extern \"C\" void solve() {}").extern_c);
	cr_assert(found("extern \"C\" {\nint x;\nvoid f() {}\nvoid solve() {}\n}").extern_c);
	cr_assert(found("namespace a { namespace b { extern \"C\" void solve() {} } }").extern_c);
	cr_assert(!found("extern \"C\" void f() {}\nvoid solve() {}").extern_c);
	cr_assert(!found("extern \"C\" { void f() {} }\nvoid solve() {}").extern_c);
	cr_assert(!found("extern int x; void solve() { g(\"C\"); }").extern_c);
	cr_assert(found("static void solve() {}").is_static);
	cr_assert(found("namespace { void solve() {} }").is_static);
	cr_assert(!found("namespace n { void solve() {} }").is_static);
	cr_assert(found("extern \"C\" __global__ void solve(int *x) {}").is_kernel);
	cr_assert(!found("__global__ void k() {}\nextern \"C\" void solve(int *x) {}").is_kernel);
	cr_assert(found("template <int N> void solve(int *x) {}").is_template);
}

Test(signature, survives_text_that_ends_anywhere)
{
	const char *text =
		"extern \"C\" { /* c */ template <int N> void solve(const half *A = f(\"x\\\"\"), "
		"int n[3]) { } } // end";
	char part[256];
	for (size_t length = 0; length <= strlen(text); length++) {
		memcpy(part, text, length);
		part[length] = '\0';
		struct signature out = found(part);
		cr_assert(out.count <= 2);
	}
	char many[4096] = "void solve(";
	for (int i = 0; i < 100; i++)
		strcat(many, "int, ");
	strcat(many, "averyveryveryveryveryveryveryveryveryveryverylongname<1> *p) {}");
	struct signature out = found(many);
	cr_assert(out.count == 101);
}
