#include "judgement/check.h"

#include "base/strbuf.h"

void check_say_wrong(const struct problem *problem, const struct test_case *test,
					 const struct check_summary *check, struct strbuf *out)
{
	strbuf_addf(out, "%llu of %llu elements wrong", (unsigned long long)check->wrong,
				(unsigned long long)check->elements);
	if (check->untouched > 0)
		strbuf_addf(out, ", %llu of them %s", (unsigned long long)check->untouched,
					check_untouched_text(problem, test));
	if (check->read > 0)
		strbuf_addf(out, "; %s is read %s", problem_part(problem, PART_RESULT)->name,
					check_read_text(problem));
}
