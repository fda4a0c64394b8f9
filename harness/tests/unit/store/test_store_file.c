/* links: store; timeout: 120 */
/* The store keeps what it was given, whatever happens to its file. */
#include "store_questions.h"

TestSuite(store, .init = folder_begin, .fini = folder_end);

/* ---- files that are no store of this version --------------------------------------------- */

static void put(const char *path, const char *bytes, size_t count)
{
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file);
	fwrite(bytes, 1, count, file);
	fclose(file);
}

static bool holds(const char *path, const char *bytes, size_t count)
{
	char now[8192];
	FILE *file = fopen(path, "r");
	size_t size = fread(now, 1, sizeof now, file);
	fclose(file);
	return size == count && memcmp(now, bytes, count) == 0;
}

Test(store, a_file_of_somebody_else_stays_as_it_is)
{
	static char text[4096] = "extern \"C\" void solve() {}\n";
	put("victim.cu", text, sizeof text);
	is_refused("victim.cu", "is no store of gemmjudge; it stays as it is");
	cr_expect(holds("victim.cu", text, sizeof text));
	put("short.txt", "x", 1);
	is_refused("short.txt", "is no store of gemmjudge");
	cr_expect(holds("short.txt", "x", 1));
	tell("other.db", "CREATE TABLE bookmarks(url TEXT); INSERT INTO bookmarks VALUES('x')");
	is_refused("other.db", "is a database of another program");
	cr_expect_eq(ask("other.db", "SELECT count(*) FROM sqlite_schema"), 1);
	tell("versioned.db", "PRAGMA user_version = 1");
	is_refused("versioned.db", "is a database of another program");
	put("empty.db", "", 0); /* as mktemp leaves it */
	fixture_append("empty.db", fixture_judged("a.cu", "aa"), "judge");
	is_whole("empty.db");
}

Test(store, what_is_no_regular_file_is_refused)
{
	mkdir("folder", 0777);
	is_refused("folder", "it is a folder");
	is_refused("missing/s.db", "missing/s.db");
	mkfifo("pipe", 0666);
	is_refused("pipe", "no regular file");
	is_refused("/dev/full", "no regular file");
	is_refused("/proc/self/status/s.db", "Not a directory");
	is_refused("/proc/new.db", "/proc/new.db");
	cr_expect_eq(access("missing", F_OK), -1);
}

/* By a user who may not; root may. The exit status is 0 where the line says so. */
static int refusal_without_rights(const char *path, const char *says)
{
	pid_t child = fork();
	if (child == 0) {
		struct error err = {{0}};
		struct store_run run = {.path = path, .mode = "judge"};
		struct judgement_list list = fixture_judged("a.cu", "aa");
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(2);
		bool stored = store_append(&run, &list, &err);
		fprintf(stderr, "%s\n", err.message);
		_exit(!stored && strstr(err.message, says) != NULL ? 0 : 1);
	}
	int status = -1;
	waitpid(child, &status, 0);
	return status;
}

Test(store, what_may_not_be_written_is_told_with_the_reason)
{
	fixture_append("s.db", fixture_judged("a.cu", "aa"), "judge");
	chmod("s.db", 0444);
	chmod(folder, 0555);
	cr_expect_eq(refusal_without_rights("s.db", "s.db cannot be written"), 0);
	cr_expect_eq(refusal_without_rights("new.db", "in its folder: Permission denied"), 0);
	chmod("s.db", 0);
	cr_expect_eq(refusal_without_rights("s.db", "s.db: Permission denied"), 0);
	chmod(folder, 0755);
	chmod("s.db", 0644);
	is_whole("s.db");
	cr_expect_eq(access("new.db", F_OK), -1);
}

Test(store, a_link_leads_to_the_store)
{
	mkdir("real", 0777);
	cr_assert_eq(symlink("real/s.db", "link.db"), 0);
	fixture_append("link.db", fixture_judged("a.cu", "aa"), "judge");
	fixture_append("link.db", fixture_judged("a.cu", "aa"), "judge");
	struct stat facts;
	cr_expect(lstat("link.db", &facts) == 0 && S_ISLNK(facts.st_mode));
	cr_expect_eq(ask("real/s.db", "SELECT count(*) FROM judgement"), 2);
	fixture_append(":memory:", fixture_judged("a.cu", "aa"), "judge");
	cr_expect_eq(access(":memory:", F_OK), 0, "a name like any other");
}

Test(store, a_newer_store_is_refused)
{
	fixture_append("s.db", fixture_judged("a.cu", "aa"), "judge");
	tell("s.db", "PRAGMA user_version = 99; CREATE TABLE later(x)");
	is_refused("s.db", "a newer gemmjudge wrote it");
	struct error err;
	struct measured_list list;
	cr_expect_not(store_find("s.db", &(struct store_filter){0}, &list, &err));
	cr_expect_not_null(strstr(err.message, "version 99"));
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM judgement"), 1);
}

/* The first bytes of a store, which stay as they are. */
static void is_refused_cut(const char *path, size_t bytes)
{
	char begin[8192];
	FILE *file = fopen(path, "r");
	cr_assert_eq(fread(begin, 1, bytes, file), bytes);
	fclose(file);
	put("cut.db", begin, bytes);
	is_refused("cut.db", "cut.db");
	cr_expect(holds("cut.db", begin, bytes), "%zu bytes were overwritten", bytes);
}

/* Page after page is overwritten: there is a line, and never a crash. */
Test(store, a_damaged_store_is_refused)
{
	for (int i = 0; i < 20; i++)
		fixture_append("s.db", fixture_timed("a.cu", "aa", 10.0, SEAL_CONFIRMED), "judge");
	struct stat facts;
	cr_assert_eq(stat("s.db", &facts), 0);
	size_t refused = 0;
	for (off_t page = 1; page < facts.st_size / 4096; page++) {
		cr_assert_eq(system("cp s.db broken.db"), 0);
		int fd = open("broken.db", O_WRONLY);
		for (int i = 0; i < 1024; i++)
			cr_assert_eq(pwrite(fd, "\xff\x13\x37\x80", 4, page * 4096 + 4 * i), 4);
		close(fd);
		struct error err = {{0}};
		struct measured_list list;
		if (!store_find("broken.db", &(struct store_filter){.counters = true}, &list, &err)) {
			refused++;
			cr_expect_not_null(strstr(err.message, "broken.db"), "%s", err.message);
		} else {
			measured_list_free(&list);
		}
		struct store_run run = {.path = "broken.db", .mode = "judge"};
		struct judgement_list judged = fixture_judged("b.cu", "bb");
		err.message[0] = '\0';
		cr_expect(store_append(&run, &judged, &err) || strstr(err.message, "broken.db") != NULL);
		store_run_free(&run);
		judgement_list_free(&judged);
	}
	cr_expect_gt(refused, 0);
	is_refused_cut("s.db", 50); /* of less than a page: SQLite would begin anew */
	is_refused_cut("s.db", 1000);
	is_refused_cut("s.db", 4096);
	is_refused_cut("s.db", 5000);
}

/* Steps that a later version could have. */
static const char *const later[] = {"CREATE TABLE one(x)",
									"CREATE TABLE two(x); INSERT INTO one "
									"VALUES(1)",
									NULL};
static const char *const failing[] = {"CREATE TABLE one(x)",
									  "CREATE TABLE two(x); INSERT INTO nowhere VALUES(1)", NULL};
static const char *const earlier[] = {"CREATE TABLE one(x)", NULL};

Test(store, an_older_store_is_brought_up_in_one_transaction)
{
	struct error err;
	struct store *store = database_open("s.db", earlier, true, &err);
	cr_assert_not_null(store, "%s", err.message);
	database_close(store);
	cr_expect_eq(ask("s.db", "PRAGMA user_version"), 1);
	cr_expect_null(database_open("s.db", failing, true, &err));
	cr_expect_eq(ask("s.db", "PRAGMA user_version"), 1);
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM sqlite_schema"), 1, "half a step");
	store = database_open("s.db", later, true, &err);
	cr_assert_not_null(store, "%s", err.message);
	database_close(store);
	cr_expect_eq(ask("s.db", "PRAGMA user_version"), 2);
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM one"), 1);
	cr_expect_null(database_open("s.db", earlier, true, &err));
	cr_expect_not_null(strstr(err.message, "newer"));
}

Test(store, where_there_is_none_readers_say_so)
{
	struct error err;
	struct measured_list list;
	cr_expect_not(store_find("none.db", &(struct store_filter){0}, &list, &err));
	cr_expect_not_null(strstr(err.message, "there is no store none.db yet"));
	cr_expect_eq(access("none.db", F_OK), -1);
	cr_expect(store_probe("none.db", &err));
	cr_expect_eq(access("none.db", F_OK), -1, "a run that judges nothing leaves nothing");
}

/* ---- what happens to processes and disks -------------------------------------------------- */

/* What the disk does not take is not there; what was there is. */
Test(store, a_full_disk_loses_nothing)
{
	fixture_append("s.db", fixture_judged("a.cu", "aa"), "judge");
	struct stat facts;
	cr_assert_eq(stat("s.db", &facts), 0);
	signal(SIGXFSZ, SIG_IGN);
	struct rlimit before, small;
	getrlimit(RLIMIT_FSIZE, &before);
	size_t failed = 0;
	for (rlim_t room = 0; room < 40960; room += 4096) {
		small = before;
		small.rlim_cur = (rlim_t)facts.st_size + room;
		setrlimit(RLIMIT_FSIZE, &small);
		struct error err = {{0}};
		struct store_run run = {.path = "s.db", .mode = "judge"};
		struct judgement_list list = fixture_timed("big.cu", "bb", 10.0, SEAL_CONFIRMED);
		struct timing_passes *passes = &list.items[0].timing.entries[0].passes;
		for (passes->count = 0; passes->count < PASSES_KEPT; passes->count++)
			passes->microseconds[passes->count] = 1.2345678f;
		bool ok = true;
		while (ok) { /* until the room is used up */
			ok = store_append(&run, &list, &err);
			memset(run.stored, 0, sizeof *run.stored);
		}
		setrlimit(RLIMIT_FSIZE, &before);
		failed++;
		cr_expect_not_null(strstr(err.message, "s.db"), "%s", err.message);
		is_whole("s.db");
		cr_expect_eq(ask("s.db", "SELECT count(*) FROM judgement WHERE file = 'a.cu'"), 1);
		store_run_free(&run);
		judgement_list_free(&list);
	}
	cr_expect_gt(failed, 0);
	fixture_append("s.db", fixture_judged("a.cu", "aa"), "judge");
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM judgement WHERE file = 'a.cu'"), 2);
}

/* Appends for ever; a byte into the pipe after each judgement that is said to be there. */
static pid_t start_writer(const char *path, int acknowledge)
{
	pid_t child = fork();
	if (child != 0)
		return child;
	for (;;) {
		struct error err;
		struct store_run run = {.path = path, .mode = "judge"};
		struct judgement_list list = fixture_timed("a.cu", "aa", 10.0, SEAL_CONFIRMED);
		if (!store_append(&run, &list, &err)) {
			fprintf(stderr, "%s\n", err.message);
			_exit(1);
		}
		store_run_free(&run);
		judgement_list_free(&list);
		if (write(acknowledge, "", 1) != 1)
			_exit(2);
	}
}

static size_t acknowledged(int fd)
{
	char bytes[4096];
	size_t count = 0;
	ssize_t more;
	while ((more = read(fd, bytes, sizeof bytes)) > 0)
		count += (size_t)more;
	return count;
}

/* Two writers, one killed at a random moment, again and again: all that was there is there. A slow
 * disk takes more rounds until enough was written to tell. */
Test(store, killed_writers_lose_nothing)
{
	const size_t enough = 10;
	size_t there = 1;
	fixture_append("s.db", fixture_judged("first.cu", "aa"), "judge");
	srandom((unsigned)getpid());
	for (int i = 0; i < 10 || (there <= enough && i < 100); i++) {
		int both[2][2];
		pid_t children[2];
		for (int k = 0; k < 2; k++) {
			cr_assert_eq(pipe(both[k]), 0);
			children[k] = start_writer("s.db", both[k][1]);
			close(both[k][1]);
		}
		usleep((useconds_t)(20000 + random() % 150000));
		for (int k = 0; k < 2; k++) {
			kill(children[k], SIGKILL);
			int status;
			waitpid(children[k], &status, 0);
			cr_expect(WIFSIGNALED(status), "a writer gave up: status %d", status);
			there += acknowledged(both[k][0]);
			close(both[k][0]);
		}
		struct measured_list all = fixture_all("s.db"); /* plays back the journal */
		/* a writer may have been killed between the commit and its word */
		cr_expect_geq(all.count, there, "%zu stored, %zu acknowledged", all.count, there);
		cr_expect_leq(all.count, there + 2 * (size_t)(i + 1));
		cr_expect_str_eq(all.items[0].file, "first.cu");
		measured_list_free(&all);
		is_whole("s.db");
	}
	cr_expect_gt(there, enough);
}

/* ---- where it lies --------------------------------------------------------------------------- */

Test(store, lies_where_it_is_told_to)
{
	char place[PATHS_MAX], here[128];
	struct error err;
	cr_assert_not_null(getcwd(here, sizeof here));
	unsetenv("GEMMJUDGE_STORE");
	setenv("XDG_DATA_HOME", "relative", 1); /* the specification: to be ignored */
	setenv("HOME", here, 1);
	cr_assert(store_place(NULL, place, &err));
	cr_expect_not_null(strstr(place, "/.local/share/gemmjudge/store.db"));
	cr_expect_eq(access(".local/share/gemmjudge", W_OK), 0);
	char data[256];
	snprintf(data, sizeof data, "%s/data", here);
	setenv("XDG_DATA_HOME", data, 1);
	cr_assert(store_place(NULL, place, &err));
	cr_expect_not_null(strstr(place, "/data/gemmjudge/store.db"));
	setenv("GEMMJUDGE_STORE", "mine.db", 1);
	cr_assert(store_place(NULL, place, &err));
	cr_expect_str_eq(place, "mine.db");
	cr_assert(store_place("asked.db", place, &err));
	cr_expect_str_eq(place, "asked.db");
	setenv("GEMMJUDGE_STORE", "none", 1);
	cr_assert(store_place(NULL, place, &err));
	cr_expect_str_eq(place, "");
}

Test(store, lies_in_tmpdir_where_there_is_no_home)
{
	char place[PATHS_MAX], here[128], folder_name[256];
	struct error err;
	cr_assert_not_null(getcwd(here, sizeof here));
	unsetenv("GEMMJUDGE_STORE");
	unsetenv("XDG_DATA_HOME");
	setenv("HOME", "/proc/nowhere", 1);
	setenv("TMPDIR", here, 1);
	cr_assert(store_place(NULL, place, &err));
	snprintf(folder_name, sizeof folder_name, "%s/gemmjudge-%u", here, (unsigned)geteuid());
	cr_expect_eq(strncmp(place, folder_name, strlen(folder_name)), 0, "%s", place);
	struct stat facts;
	cr_assert_eq(stat(folder_name, &facts), 0);
	cr_expect_eq(facts.st_mode & 0777, 0700);
	/* what somebody else could have put there is not taken */
	rmdir(folder_name);
	mkdir("elsewhere", 0777);
	cr_assert_eq(symlink("elsewhere", folder_name), 0);
	cr_expect_not(store_place(NULL, place, &err));
	cr_expect_not_null(strstr(err.message, "GEMMJUDGE_STORE"));
}
