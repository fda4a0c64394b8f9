/* links: judgement testcases base; timeout: 30 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/audit.h"

static struct audit_row *add(struct audit *audit, uint32_t unit, int32_t index,
							 enum verdict verdict)
{
	struct audit_row *row = audit_add(audit);
	cr_assert_not_null(row);
	row->unit = unit;
	row->index = index;
	row->verdict = verdict;
	row->calls = row->same = 3;
	return row;
}

/* Two versions of one library. */
static void make(struct audit *audit)
{
	*audit = (struct audit){.unit_count = 2, .units = calloc(2, sizeof *audit->units)};
	for (size_t i = 0; i < 2; i++) {
		audit->units[i] = (struct audit_unit){.problem = problem_find("gemm-f16"),
											  .label = "cuBLAS",
											  .version = i,
											  .number = i == 0 ? 130100u : 130203u,
											  .case_count = 1,
											  .audited = 1};
	}
}

Test(audit, only_own_choices_of_the_default_mode_decide)
{
	struct audit audit;
	make(&audit);
	add(&audit, 0, 0, VERDICT_ACCEPTED);
	add(&audit, 0, 1, VERDICT_WRONG_ANSWER);
	add(&audit, 0, 0, VERDICT_RUNTIME_ERROR)->mode = LIBRARY_ACCURATE;
	cr_assert_not(audit_finds_wrong(&audit));
	add(&audit, 1, 0, VERDICT_RUNTIME_ERROR);
	cr_assert(audit_finds_wrong(&audit));
	audit_free(&audit);
}

Test(audit, what_the_device_lacks_is_no_fault_of_a_library)
{
	struct audit audit;
	make(&audit);
	add(&audit, 0, 0, VERDICT_UNSUPPORTED);
	cr_assert_not(audit_finds_wrong(&audit));
	audit_free(&audit);
}

Test(audit, sums_are_of_one_unit)
{
	struct audit audit;
	make(&audit);
	add(&audit, 0, 0, VERDICT_WRONG_ANSWER)->worst_ratio = 3.5;
	add(&audit, 0, 1, VERDICT_ACCEPTED)->same = 2;
	add(&audit, 0, 2, VERDICT_ACCEPTED)->refused = true;
	add(&audit, 0, 0, VERDICT_ACCEPTED)->mode = LIBRARY_ACCURATE;
	add(&audit, 1, 0, VERDICT_ACCEPTED);
	const struct audit_sum sum = audit_sum_of(&audit, 0);
	cr_assert_eq(sum.own, 1u);
	cr_assert_eq(sum.own_wrong, 1u);
	cr_assert_eq(sum.algorithms, 2u);
	cr_assert_eq(sum.wrong, 1u);
	cr_assert_eq(sum.refused, 1u);
	cr_assert_eq(sum.accurate, 1u);
	cr_assert_eq(sum.accurate_wrong, 0u);
	cr_assert_eq(sum.unrepeatable, 1u);
	cr_assert_eq(sum.worst_ratio, 3.5);
	audit_free(&audit);
}

Test(audit, versions_are_compared_by_their_own_choices)
{
	struct audit audit;
	make(&audit);
	add(&audit, 0, 0, VERDICT_WRONG_ANSWER)->algorithm.split_k = 4;
	add(&audit, 0, 1, VERDICT_WRONG_ANSWER);
	add(&audit, 0, 0, VERDICT_ACCEPTED)->mode = LIBRARY_ACCURATE;
	add(&audit, 1, 0, VERDICT_ACCEPTED)->algorithm.split_k = 1;
	add(&audit, 1, 1, VERDICT_ACCEPTED);
	add(&audit, 1, 0, VERDICT_ACCEPTED)->mode = LIBRARY_ACCURATE;
	struct audit_changes changes = audit_changes_of(&audit);
	cr_assert_eq(changes.pairs, 2u);
	cr_assert_eq(changes.count, 1u);
	cr_assert(changes.items[0].verdict && changes.items[0].algorithm && !changes.items[0].bits);
	cr_assert_eq(changes.items[0].before, &audit.rows[0]);
	cr_assert_eq(changes.items[0].after, &audit.rows[3]);
	free(changes.items);
	audit_free(&audit);
}

Test(audit, a_cut_is_told)
{
	struct audit audit;
	make(&audit);
	cr_assert_not(audit_is_cut(&audit));
	audit.units[1].audited = 0;
	cr_assert(audit_is_cut(&audit));
	audit_free(&audit);
}

Test(audit, versions_are_printed_as_NVIDIA_writes_them)
{
	char text[AUDIT_VERSION_TEXT];
	cr_assert_str_eq(audit_version_print(130100, text), "13.1.0");
	cr_assert_str_eq(audit_version_print(130203, text), "13.2.3");
	cr_assert_str_eq(audit_version_print(0, text), "of unknown version");
}
