#include "judgement/check.h"

#include "base/strbuf.h"

bool check_is_wrong(const struct check_summary *check)
{
	return check->wrong + check->extra_wrong > 0 || check->rms_ratio > 1;
}

void check_say_wrong(const struct problem *problem, const struct test_case *test,
					 const struct check_summary *check, struct strbuf *out)
{
	if (check->wrong == 0) {
		strbuf_addf(out,
					"each element is within its bound, but all errors together are %.3g times "
					"the most that sums in f32 may have",
					check->rms_ratio);
		return;
	}
	strbuf_addf(out, "%llu of %llu elements wrong", (unsigned long long)check->wrong,
				(unsigned long long)check->elements);
	if (check->untouched > 0)
		strbuf_addf(out, ", %llu of them %s", (unsigned long long)check->untouched,
					check_untouched_text(problem, test));
	if (check->read > 0)
		strbuf_addf(out, "; %s is read %s", problem_part(problem, PART_RESULT)->name,
					check_read_text(problem));
}
