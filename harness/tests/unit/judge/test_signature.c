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

/* Whether a file with this text cannot be called with two arguments, beyond doubt. */
static bool is_refused(const char *text)
{
	struct signature own = found(text), asked = found("extern \"C\" void solve(float *A, int N);");
	return signature_counts_differ(&own, &asked);
}

Test(signature, tells_another_number_of_parameters)
{
	cr_expect(is_refused("extern \"C\" void solve(const float *A, int N, int nnz) {}"));
	cr_expect(is_refused("extern \"C\" void solve(float *A) {}"));
	cr_expect(is_refused("extern \"C\" void solve() {}"));
	cr_expect(is_refused("extern \"C\" {\nvoid solve(const float *, int, int) {}\n}"));
	cr_expect(is_refused("extern \"C\" void solve(float *A, int N, size_t m, int k = 1) {}"));
	cr_expect(
		is_refused("#include <x>\n#if A\n#define F 1\n#endif\n#define T 16\n"
				   "extern \"C\" void solve(my_half *A, i32 N, i32 M) { printf(\"ERROR\"); }"));
	cr_expect(is_refused("extern \"C\" void solve(std::array<int, 3> a, int n, int m) {}"));
	cr_expect(is_refused(
		"template <int N> void solve_tile(int a) {}\nextern \"C\" void solve(float *A) {}"));
}

/* What the preprocessor may still change, what C++ makes up for, and what nobody calls. */
Test(signature, says_nothing_of_a_number_that_is_not_certain)
{
	static const char *const texts[] = {
		"extern \"C\" void solve(float *A, int N) {}",
		"typedef float real; using index = int;\nextern \"C\" void solve(real *A, index N) {}",
		"extern \"C\" void solve(float *A, int N, int tile = 16) {}",
		"extern \"C\" void solve(float *A, int N = 1, int tile = f(1, 2)) {}",
		"#define MORE , int N\nextern \"C\" void solve(float *A MORE) {}",
		"#define NOTHING(x)\nextern \"C\" void solve(float *A NOTHING(a, b), int N, int c) {}",
		"#include \"arguments.h\"\nextern \"C\" void solve(ARGUMENTS) {}",
		"#include \"arguments.h\"\nextern \"C\" void solve(IN(float, A)) {}",
		"extern \"C\" void solve(float *A,\n#if WIDE\nlong N\n#else\nint N\n#endif\n) {}",
		"#if 0\nextern \"C\" void solve(float *A) {}\n#endif\n#include \"solve.cuh\"",
		"#ifdef ONE\nextern \"C\" void solve(float *A) {}\n#endif\n#include \"solve.cuh\"",
		"#define solve other\nextern \"C\" void solve(float *A) {}",
		"void solve(float *A) {}\nextern \"C\" void solve(float *A, int N) {}",
		"namespace n { void solve(int a) {} }\nextern \"C\" void solve(float *A, int N) {}",
		"template <typename T> void solve(T *A) {}\nextern \"C\" void solve(float *A, int N) {}",
		"struct s { void solve(int a) {} };\nextern \"C\" void solve(float *A, int N) {}",
		"static void solve(float *A) {}",
		"void solve(float *A) {}",
		"extern \"C\" void solve(float *A);\n#include \"solve.cuh\"",
		"extern \"C\" void solve(float *A, ...) {}",
		"const char *s = R\"(\nextern \"C\" void solve(float *A) {}\n)\";\n#include \"solve.cuh\"",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect(!is_refused(texts[i]), "%s", texts[i]);
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

static const char *nearest(const char *text)
{
	static char name[SIGNATURE_WORD];
	struct signature asked;
	signature_find("void solve(const half *A, int N) {}", "solve", &asked);
	name[0] = '\0';
	return signature_find_nearest(text, "solve", &asked, name) ? name : "";
}

Test(signature, finds_a_name_that_is_nearly_the_one)
{
	cr_expect_str_eq(nearest("__global__ void solve_k(int n) {}\nvoid sovle(int n) { f(1); }"),
					 "sovle");
	cr_expect_str_eq(nearest("void Solve(int n) {}"), "Solve");
	cr_expect_str_eq(nearest("void slove(int n) {} void other(const half *A, int N) {}"), "slove");
	cr_expect_str_eq(nearest("void sovle(int n);"), "", "only declared");
	cr_expect_str_eq(nearest("__global__ void sovle(int n) {}"), "", "a kernel");
	cr_expect_str_eq(nearest("static void solver(int n) {}"), "", "nobody can call it");
	cr_expect_str_eq(nearest("void run(int n) {} void resolved(int n) {}"), "");
}

Test(signature, finds_a_function_that_takes_the_same)
{
	cr_expect_str_eq(nearest("extern \"C\" void run(const half *a, int n) {}"), "run");
	cr_expect_str_eq(nearest("extern \"C\" void run(const float *a, int n) {}"), "");
	cr_expect_str_eq(nearest("void run(const half *a, int n) {}"), "", "no extern \"C\"");
	cr_expect_str_eq(nearest("extern \"C\" { void run(const half *a, int n) {} }\n"
							 "void sovle(int a) {}"),
					 "sovle");
}
