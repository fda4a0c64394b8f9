/* Files of hashes: what a GPU printed, a row for each function and each form,
 *
 *     rcp.approx.f32 3f000000 HASH all HASH     its block from that input on; all blocks
 *     cvt.rn.f16.f32 8 HASH 500 HASH            as many rounds, all ranges
 *
 * where the first hash is for a short check. A hash is the sum of those of blocks or ranges.
 * Functions of 16 bits have only `all`. Lines that begin with # say which GPU it was. */
#include "bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* of 0.5 to 2, in f64 of high words between 2^-511 and 2^15 */
#define SAMPLED 0x3f

struct hash {
	char amount[12];
	uint64_t sum;
};

/* What a row says, or what this process has found. */
struct row {
	char name[BITS_NAME];
	struct hash hashes[2];
	unsigned count, line;
	bool used;
};

struct rows {
	const char *file;
	struct row *rows;
	size_t count;
};

struct check {
	struct rows file;
	bool all;
	size_t same, differ, absent;
};

/* ------------------------------------------------------------------------
 * What there is to find */

static bool find_block(const struct bits_function *function, struct row *row)
{
	snprintf(row->name, sizeof row->name, "%s", function->name);
	snprintf(row->hashes[0].amount, sizeof row->hashes[0].amount, "%08x", SAMPLED << 24);
	row->count = 1;
	return bits_hash_function(function, SAMPLED, 1, 1, &row->hashes[0].sum);
}

static bool find_all_blocks(const struct bits_function *function, struct row *row)
{
	uint64_t hashes[BITS_BLOCKS];
	const unsigned blocks = bits_is_half(function) ? 1 : BITS_BLOCKS;
	if (!bits_hash_function(function, 0, 1, blocks, hashes))
		return false;
	snprintf(row->name, sizeof row->name, "%s", function->name);
	row->count = 1;
	if (blocks == BITS_BLOCKS) {
		snprintf(row->hashes[0].amount, sizeof row->hashes[0].amount, "%08x", SAMPLED << 24);
		row->hashes[0].sum = hashes[SAMPLED];
		row->count = 2;
	}
	struct hash *whole = &row->hashes[row->count - 1];
	*whole = (struct hash){.amount = "all"};
	for (unsigned i = 0; i < blocks; i++)
		whole->sum += hashes[i];
	return true;
}

static bool find_function(const struct bits_function *function, bool all, struct row *row)
{
	return all || bits_is_half(function) ? find_all_blocks(function, row)
										 : find_block(function, row);
}

/* Adds a hash to each of the suite's rows. */
static bool find_rounds(const struct model_suite *suite, unsigned rounds, struct row *rows)
{
	const size_t forms = bits_form_count(suite);
	uint64_t *hashes = calloc(forms, MODEL_RANGES * sizeof *hashes);
	bool good = hashes && bits_hash_forms(suite, rounds, hashes);
	for (size_t i = 0; good && i < forms; i++) {
		struct hash *hash = &rows[i].hashes[rows[i].count++];
		snprintf(hash->amount, sizeof hash->amount, "%u", rounds);
		for (size_t range = 0; range < MODEL_RANGES; range++)
			hash->sum += hashes[range * forms + i];
	}
	free(hashes);
	return good;
}

/* A row for each form, for the caller to free; NULL where it did not run. */
static struct row *find_suite(const struct bits_suite *suite, bool all)
{
	const size_t forms = bits_form_count(suite->suite);
	struct row *rows = calloc(forms, sizeof *rows);
	for (size_t i = 0; rows && i < forms; i++)
		bits_form_name(suite->suite, i, rows[i].name);
	if (rows && find_rounds(suite->suite, suite->few, rows) &&
		(!all || find_rounds(suite->suite, suite->many, rows)))
		return rows;
	free(rows);
	return NULL;
}

/* ------------------------------------------------------------------------
 * The file */

static bool read_row(const char *line, struct row *row)
{
	unsigned long long sums[2];
	int parts = sscanf(line, "%159s %11s %16llx %11s %16llx", row->name, row->hashes[0].amount,
					   &sums[0], row->hashes[1].amount, &sums[1]);
	row->count = parts == 5 ? 2 : 1;
	for (unsigned i = 0; i < row->count && parts >= 3; i++)
		row->hashes[i].sum = sums[i];
	return parts == 3 || parts == 5;
}

static bool add_row(struct rows *rows, const char *line, unsigned number)
{
	if (rows->count % 256 == 0) {
		struct row *more = realloc(rows->rows, (rows->count + 256) * sizeof *more);
		if (!more)
			return false;
		rows->rows = more;
	}
	struct row *row = &rows->rows[rows->count];
	*row = (struct row){.line = number};
	if (!read_row(line, row)) {
		fprintf(stderr, "bits: %s:%u: not a name and one or two hashes, each with its amount\n",
				rows->file, number);
		return false;
	}
	rows->count++;
	return true;
}

static bool read_rows(struct rows *rows)
{
	char line[512];
	unsigned number = 0;
	FILE *from = fopen(rows->file, "r");
	bool good = from;
	if (!from)
		perror(rows->file);
	while (good && fgets(line, sizeof line, from)) {
		number++;
		if (line[0] != '#' && line[0] != '\n')
			good = add_row(rows, line, number);
	}
	if (from)
		fclose(from);
	if (good && rows->count == 0)
		fprintf(stderr, "bits: %s has no rows\n", rows->file);
	return good && rows->count > 0;
}

static struct row *row_named(const struct rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->count; i++)
		if (strcmp(rows->rows[i].name, name) == 0)
			return &rows->rows[i];
	return NULL;
}

/* ------------------------------------------------------------------------
 * bits check */

static bool hash_differs(const struct check *check, const struct row *wanted,
						 const struct hash *found)
{
	for (unsigned i = 0; i < wanted->count; i++) {
		const struct hash *hash = &wanted->hashes[i];
		if (strcmp(hash->amount, found->amount) != 0)
			continue;
		if (hash->sum != found->sum)
			printf("%s: %s: %016llx, expected %016llx\n", wanted->name, found->amount,
				   (unsigned long long)found->sum, (unsigned long long)hash->sum);
		return hash->sum != found->sum;
	}
	printf("%s: %s:%u has no hash of %s\n", wanted->name, check->file.file, wanted->line,
		   found->amount);
	return true;
}

static void compare(struct check *check, const struct row *found)
{
	struct row *wanted = row_named(&check->file, found->name);
	if (!wanted) {
		check->absent++;
		return;
	}
	bool differs = false;
	for (unsigned i = 0; i < found->count && !differs; i++)
		differs = hash_differs(check, wanted, &found->hashes[i]);
	wanted->used = true;
	*(differs ? &check->differ : &check->same) += 1;
}

static bool is_named(const char *name, int count, char **names)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return count == 0;
}

static bool check_functions(struct check *check, int count, char **names)
{
	for (size_t i = 0; i < bits_function_count; i++) {
		struct row row = {0};
		if (!is_named(bits_functions[i].name, count, names))
			continue;
		if (!find_function(&bits_functions[i], check->all, &row))
			return false;
		compare(check, &row);
	}
	return true;
}

static bool check_suites(struct check *check, int count, char **names)
{
	for (size_t i = 0; i < bits_suite_count; i++) {
		if (!is_named(bits_suites[i].suite->name, count, names))
			continue;
		struct row *rows = find_suite(&bits_suites[i], check->all);
		if (!rows)
			return false;
		for (size_t j = 0; j < bits_form_count(bits_suites[i].suite); j++)
			compare(check, &rows[j]);
		free(rows);
	}
	return true;
}

/* Where everything was run, each row belongs to something. */
static void count_unused(struct check *check, int count)
{
	for (size_t i = 0; i < check->file.count && count == 0; i++) {
		const struct row *row = &check->file.rows[i];
		if (!row->used)
			printf("%s: %s:%u is of nothing that is here\n", row->name, check->file.file,
				   row->line);
		check->differ += !row->used;
	}
}

int bits_check(const char *file, bool all, int count, char **names)
{
	struct check check = {.file = {.file = file}, .all = all};
	bool good = read_rows(&check.file) && check_functions(&check, count, names) &&
				check_suites(&check, count, names);
	if (good) {
		count_unused(&check, count);
		printf("bits: %zu of %zu differ", check.differ, check.differ + check.same);
		if (check.absent)
			printf("; %zu more have no row in %s", check.absent, file);
		printf("\n");
	}
	free(check.file.rows);
	return !good ? 2 : check.differ > 0 || check.absent > 0;
}

/* ------------------------------------------------------------------------
 * bits record */

static void print_row(const struct row *row)
{
	printf("%s", row->name);
	for (unsigned i = 0; i < row->count; i++)
		printf(" %s %016llx", row->hashes[i].amount, (unsigned long long)row->hashes[i].sum);
	printf("\n");
}

int bits_record(int count, char **names)
{
	for (size_t i = 0; i < bits_function_count; i++) {
		struct row row = {0};
		if (!is_named(bits_functions[i].name, count, names))
			continue;
		if (!find_function(&bits_functions[i], true, &row))
			return 2;
		print_row(&row);
	}
	for (size_t i = 0; i < bits_suite_count; i++) {
		if (!is_named(bits_suites[i].suite->name, count, names))
			continue;
		struct row *rows = find_suite(&bits_suites[i], true);
		for (size_t j = 0; rows && j < bits_form_count(bits_suites[i].suite); j++)
			print_row(&rows[j]);
		if (!rows)
			return 2;
		free(rows);
	}
	return 0;
}
