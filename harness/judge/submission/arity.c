#include "judge/submission/arity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/hints/signature.h"

static void read_prototype(const struct problem *problem, char prototype[PROTOTYPE_TEXT],
						   struct signature *asked)
{
	problem_prototype(problem, prototype);
	signature_find(prototype, "solve", asked);
}

static bool refuse(const struct problem *problem, size_t takes, struct error *err)
{
	struct signature asked;
	char prototype[PROTOTYPE_TEXT];
	read_prototype(problem, prototype, &asked);
	return error_set(err, "solve() takes %zu argument%s, and %s calls it with %zu: %s", takes,
					 takes == 1 ? "" : "s", problem->name, asked.count, prototype);
}

bool arity_fits(const struct problem *problem, const char *source, struct error *err)
{
	struct signature own, asked;
	char prototype[PROTOTYPE_TEXT];
	read_prototype(problem, prototype, &asked);
	return !signature_read(source, "solve", &own) || !signature_counts_differ(&own, &asked) ||
		   refuse(problem, own.count, err);
}

/* ---- asking the compiler ------------------------------------------------------------ */

#define QUESTION "the number of arguments of solve()" /* for the name of a file in messages */
#define ANSWER "gemmjudge: solve() takes "

/* solve() is asked for its type, which has no default arguments, and, as some have these, whether
 * it can be called with values of any type. Of an overloaded one, and of one in a namespace, the
 * first is an error, and it is not known. Names are such as no file has for a macro. */
static const char question[] =
	"\n\n#line 1 \"" QUESTION "\"\n" /* a last line may end with a backslash */
	"#undef solve\n"
	"namespace gemmjudge_arity {\n"
	"struct own_any { template <class own_t> operator own_t() const; };\n"
	"template <class own_r, class... own_p>\n"
	"char (&own_count(own_r (*)(own_p...)))[sizeof...(own_p) + 1];\n"
	"template <class... own_p>\n"
	"constexpr bool own_called(decltype(solve(own_p()...)) *) { return true; }\n"
	"template <class... own_p> constexpr bool own_called(...) { return false; }\n"
	"enum { own_takes = sizeof(own_count(&::solve)) - 1 };\n";

/* Whether the text says how many arguments are taken, or there is nothing to ask for. Where they
 * are too many or too few, only a macro can make it extern "C". */
static bool is_plain(const char *source, const struct signature *asked)
{
	struct signature own, other;
	if (!signature_read(source, "solve", &own) || !signature_read(source, "solution", &other))
		return true;
	bool certain = own.is_certain && (own.extern_c || own.count == asked->count);
	bool elsewhere = signature_has(source, "solve") || signature_has(source, "#include \"");
	return (own.has_body && own.definitions == 1 && (certain || own.is_kernel)) ||
		   (!own.found && (other.found || !elsewhere));
}

bool arity_question(const struct problem *problem, const char *source, char out[ARITY_TEXT])
{
	struct signature asked;
	char prototype[PROTOTYPE_TEXT];
	read_prototype(problem, prototype, &asked);
	if (is_plain(source, &asked))
		return false;
	size_t used = (size_t)snprintf(
		out, ARITY_TEXT, "%sconstexpr bool own_fits = own_takes == %zu || own_called<own_any",
		question, asked.count);
	for (size_t i = 1; i < asked.count; i++)
		used += (size_t)snprintf(out + used, ARITY_TEXT - used, ", own_any");
	used += (size_t)snprintf(out + used, ARITY_TEXT - used, ">(nullptr);\n");
	for (int takes = 0; takes <= SIGNATURE_PARAMETERS; takes++) /* a message cannot have a number */
		used += (size_t)snprintf(out + used, ARITY_TEXT - used,
								 "static_assert(own_fits || own_takes != %d, \"" ANSWER "%d\");\n",
								 takes, takes);
	snprintf(out + used, ARITY_TEXT - used, "}\n");
	return true;
}

/* How many arguments the only error in the messages says, on one side of the compiler or on both.
 * Beside others it says nothing, as a compiler may take anything for the type of what it did not
 * understand. False: there is another error, or no such one. */
static bool find_answer(const char *log, size_t *takes)
{
	static const char error[] = ": error";
	bool found = false;
	for (const char *at = log; (at = strstr(at, error)) != NULL; at++) {
		const char *line = at, *answer = strstr(at, ANSWER);
		while (line > log && line[-1] != '\n')
			line--;
		if (strncmp(line, QUESTION, strlen(QUESTION)) != 0 || answer == NULL ||
			answer > at + strcspn(at, "\n"))
			return false;
		*takes = strtoul(answer + strlen(ANSWER), NULL, 10);
		found = true;
	}
	return found;
}

enum arity_answer arity_answer_of(const struct problem *problem, const char *log, struct error *err)
{
	size_t takes;
	if (log == NULL || strstr(log, QUESTION "(") == NULL)
		return ARITY_NO_ANSWER;
	if (!find_answer(log, &takes))
		return ARITY_UNKNOWN;
	refuse(problem, takes, err);
	return ARITY_DIFFERS;
}
