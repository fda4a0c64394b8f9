/* links: store; seeds: harness/tests/fuzz/seeds/store */
/* words: harness/store/schema.c harness/store/query.c harness/judgement/names.c */
/* Stores that anybody could have written. An input is made of lines, with which somebody changes a
 * good store: SQL, or "! OFFSET HEX", bytes of the file. */
#include <ctype.h>
#include <unistd.h>

#include "../unit/store/store_fixture.h"
#include "base/clock.h"
#include "fuzz.h"
#include "store/database.h"
#include "store/show/show.h"

#define SECONDS_MAX 10.0
#define STEPS_MAX 100 /* of 1000 of SQLite's machine, for a line of SQL */

/* ---- the store ------------------------------------------------------------------------- */

static struct {
	uint8_t *bytes;
	size_t size;
} good;

static void good_make(void)
{
	struct measured_list none;
	struct error err;
	const char *path = fuzz_file("good.db", "", 0);
	struct judgement_list counted = fixture_judged("c.cu", "cccc");
	struct kernel_counters *kernel = counted.items[0].kernels = calloc(1, sizeof *kernel);
	*kernel = (struct kernel_counters){
		strdup("k"), strdup("k"), 1, calloc(1, sizeof(struct counter)), 0, NULL};
	snprintf(kernel->counters[0].name, sizeof kernel->counters[0].name, "launches");
	counted.items[0].kernel_count = 1;
	counted.items[0].has_counters = true;
	fixture_append(path, fixture_timed("a.cu", "aaaa", 12.5, SEAL_CONFIRMED), "judge");
	fixture_append(path, fixture_timed("b.cu", "bbbb", 25.0, SEAL_HOST_SIDE), "judge");
	fixture_append(path, counted, "judge");
	if (!store_find(path, &(struct store_filter){.counters = true}, &none, &err))
		fuzz_found(err.message);
	measured_list_free(&none);
	FILE *file = fopen(path, "r");
	fseek(file, 0, SEEK_END);
	good.size = (size_t)ftell(file);
	good.bytes = malloc(good.size);
	rewind(file);
	if (good.bytes == NULL || fread(good.bytes, good.size, 1, file) != 1)
		fuzz_found("no store to begin with");
	fclose(file);
}

/* ---- what is done to it ------------------------------------------------------------------ */

static int allow(void *context, int action, const char *a, const char *b, const char *c,
				 const char *d)
{
	(void)context, (void)b, (void)c, (void)d;
	static const char *const pragmas[] = {"writable_schema", "user_version", "application_id",
										  "foreign_keys"};
	for (size_t i = 0; action == SQLITE_PRAGMA && i < sizeof pragmas / sizeof *pragmas; i++)
		if (strcmp(a, pragmas[i]) == 0)
			return SQLITE_OK;
	return action == SQLITE_ATTACH || action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

static int count_step(void *left)
{
	return (*(int *)left)-- <= 0;
}

static void tell(const char *path, const char *sql)
{
	sqlite3 *database;
	int left = STEPS_MAX;
	if (sqlite3_open(path, &database) == SQLITE_OK) {
		sqlite3_exec(database, "PRAGMA synchronous = OFF; PRAGMA writable_schema = ON", NULL, NULL,
					 NULL);
		sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 20);
		sqlite3_set_authorizer(database, allow, NULL);
		sqlite3_progress_handler(database, 1000, count_step, &left);
		sqlite3_exec(database, sql, NULL, NULL, NULL);
	}
	sqlite3_close(database);
}

static void patch(const char *path, const char *line)
{
	char *at;
	const long offset = strtol(line, &at, 0);
	FILE *file = fopen(path, "r+");
	if (file == NULL)
		return;
	if (offset >= 0 && (size_t)offset < good.size && fseek(file, offset, SEEK_SET) == 0)
		for (; at[0] == ' ' || (isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1]));
			 at += at[0] == ' ' ? 1 : 2)
			if (at[0] != ' ')
				fputc((int)strtol((char[]){at[0], at[1], '\0'}, NULL, 16), file);
	fclose(file);
}

/* ---- what is shown of it ------------------------------------------------------------------- */

static void is_shown(void (*show)(const void *what, FILE *out), const void *what)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	show(what, out);
	fclose(out);
	for (const char *p = text; *p != '\0'; p++) {
		const unsigned char c = (unsigned char)p[0], next = (unsigned char)p[1];
		if ((c < 0x20 && c != '\n') || c == 0x7F || (c == 0xC2 && next < 0xA0))
			fuzz_found("a control character is shown");
		if (strncmp(p, "##[", 3) == 0 ||
			(p[0] == '\n' && strncmp(p + 1 + strspn(p + 1, " "), "::", 2) == 0))
			fuzz_found("a command of a CI runner is shown");
	}
	free(text);
}

static void look_at(struct shown_history *history)
{
	struct shown_leaderboard board = {.shape_count = 0};
	struct measured_list *list = &history->list;
	struct pair pair;
	struct error err;
	is_shown(show_history, history);
	is_shown(show_history_json, history);
	for (size_t i = 1; i < list->count && i < 4; i++) {
		if (!pair_make(&list->items[0], &list->items[i], &pair, &err))
			continue;
		is_shown(show_pairs, &(struct shown_pairs){1, &pair});
		pair_free(&pair);
	}
	if (!leaderboard_make(list, true, &board.all, &err))
		return;
	is_shown(show_leaderboard, &board);
	is_shown(show_leaderboard_json, &board);
	leaderboard_free(&board.all);
}

static void clean_up(const char *path)
{
	static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
	char name[600];
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		snprintf(name, sizeof name, "%s%s", path, ends[i]);
		unlink(name);
	}
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct shown_history history = {.by_file = size % 2 == 0};
	struct error err;
	char path[512], *text = strndup((const char *)data, size), *rest = text;
	if (good.bytes == NULL)
		good_make();
	snprintf(path, sizeof path, "%s", fuzz_file("store.db", good.bytes, good.size));
	for (char *line; (line = strsep(&rest, "\n")) != NULL;)
		if (line[0] == '!')
			patch(path, line + 1);
		else if (line[0] != '\0')
			tell(path, line);
	free(text);
	const double begun = clock_seconds();
	if (store_find(path, &(struct store_filter){.counters = true}, &history.list, &err)) {
		look_at(&history);
		measured_list_free(&history.list);
	}
	if (clock_seconds() - begun > SECONDS_MAX)
		fuzz_found("it takes too long");
	clean_up(path);
}
