/* links: site store; timeout: 60 */
/* Pages of a leaderboard: whose files are replaced, and what they say. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../store/store_fixture.h"
#include "report/html/page.h"
#include "site/site.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static char work[64], store[96], folder[96];

static void begin(void)
{
	strcpy(work, "/tmp/test-site-XXXXXX");
	cr_assert_not_null(mkdtemp(work));
	snprintf(store, sizeof store, "%s/store.db", work);
	snprintf(folder, sizeof folder, "%s/pages", work);
}

static void end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", work);
	cr_expect_eq(system(command), 0);
}

TestSuite(site, .init = begin, .fini = end);

/* What the store knows, as pages. */
static bool written(struct error *err)
{
	struct leaderboard all;
	struct measured_list runs = fixture_all(store);
	size_t pages;
	cr_assert(leaderboard_make(&runs, true, &all, err), "%s", err->message);
	bool ok = site_write(folder, &all, "1.2.3", &pages, err);
	leaderboard_free(&all);
	return ok;
}

static void is_written(void)
{
	struct error err;
	cr_assert(written(&err), "%s", err.message);
}

static void is_refused(const char *why)
{
	struct error err;
	cr_assert_not(written(&err));
	cr_expect_not_null(strstr(err.message, why), "%s", err.message);
}

static char *path_of(const char *name)
{
	static char path[4][256];
	static int next;
	next = (next + 1) % 4;
	snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
	return path[next];
}

static bool is_there(const char *name)
{
	struct stat facts;
	return lstat(path_of(name), &facts) == 0;
}

/* Owned; NULL where there is none. */
static char *content_of(const char *name)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = fopen(path_of(name), "r"), *out = open_memstream(&text, &size);
	for (int c; file != NULL && (c = getc(file)) != EOF;)
		putc(c, out);
	fclose(out);
	if (file != NULL)
		fclose(file);
	return text;
}

static void says(const char *name, const char *part, bool wanted)
{
	char *text = content_of(name);
	cr_expect((strstr(text, part) != NULL) == wanted, "%s in %s", part, name);
	free(text);
}

static void put(const char *name, const char *text)
{
	mkdir(folder, 0777);
	FILE *file = fopen(path_of(name), "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

static size_t files(void)
{
	size_t count = 0;
	DIR *list = opendir(folder);
	for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (list != NULL)
		closedir(list);
	return count;
}

static void add(const char *file, const char *content, double median)
{
	fixture_append(store, fixture_timed(file, content, median, SEAL_CONFIRMED), "judge");
}

/* ---- what they say ------------------------------------------------------------------------ */

Test(site, each_content_has_a_page_and_boards_lead_there)
{
	add("a.cu", A, 10.0);
	add("b.cu", B, 20.0);
	is_written();
	cr_expect_eq(files(), 4, "index, a board's shapes, two submissions");
	says("index.html", "<a href=\"" A ".html\">a.cu</a>", true);
	says("index.html", "a.cu takes 10.00 us, 1.000 of the speed of cuBLAS", true);
	says(A ".html", "1 of 2", true);
	says(B ".html", "2 of 2", true);
	says(B ".html", HTML_GENERATOR " 1.2.3\"", true);
}

Test(site, the_last_content_of_a_file_has_those_before_in_its_history)
{
	add("/x/a.cu", A, 10.0);
	add("/x/a.cu", B, 9.0);
	add("/elsewhere/a.cu", "cccccccccccccccccccccccccccccccc", 5.0);
	is_written();
	says(B ".html", "2 runs: 10.00 us at first, 9.00 us at last, 9.00 us at best.", true);
	says(B ".html", "Another content. Faster: 0.900 times as long", true);
	says(B ".html", "cccccccc", false);
	says(A ".html", "The file has changed since: <a href=\"" B ".html\">", true);
	says(A ".html", "2 runs", false);
}

static struct judgement_list benched(const char *file, const char *content, size_t shapes)
{
	struct judgement_list list = fixture_judged(file, content);
	list.bench_count = shapes;
	list.bench = calloc(shapes, sizeof *list.bench);
	for (size_t i = 0; i < shapes; i++)
		list.bench[i] = fixture_timing(file, 64 * (int)(i + 1), 3.0 + (double)i, SEAL_CONFIRMED);
	return list;
}

Test(site, of_many_shapes_some_have_a_plot_and_all_a_place)
{
	fixture_append(store, benched("a.cu", A, 15), "bench");
	fixture_append(store, benched("a.cu", A, 14), "bench");
	is_written();
	char *text = content_of(A ".html"), *rows = strstr(text, "Other shapes that were timed");
	size_t plots = 0;
	for (const char *p = text; (p = strstr(p, "<svg class=\"plot\"")) != NULL; p++)
		plots++;
	cr_expect_eq(plots, 12);
	cr_assert_not_null(rows);
	rows = strstr(rows, "<tbody>");
	cr_expect_not_null(strstr(rows, ">832x832x832 "));
	cr_expect_not_null(strstr(rows, ">896x896x896 "), "the 14th");
	cr_expect_null(strstr(rows, ">960x960x960 "), "timed once");
	free(text);
	text = content_of("index.html");
	char *link = strstr(text, "<a href=\"board-"), name[64] = "";
	cr_assert_not_null(link);
	sscanf(link, "<a href=\"%63[^\"]", name);
	says(name,
		 "As fast or faster at 8 of 15 shapes; from 0.588 at 960x960x960 to 3.333 at 64x64x64.",
		 true);
	free(text);
}

Test(site, what_ranks_nowhere_has_a_page_that_says_why)
{
	struct judgement_list list = fixture_judged("bad.cu", A);
	list.items[0].verdict = VERDICT_WRONG_ANSWER;
	strcpy(list.items[0].detail, "3 of 4 elements are wrong");
	fixture_append(store, list, "judge");
	is_written();
	says("index.html", "Nothing is ranked", true);
	says("index.html", "had a wrong answer", true);
	says(A ".html", "Not ranked for gemm-f16 on NVIDIA H200: had a wrong answer.", true);
	says(A ".html", "3 of 4 elements are wrong", true);
}

Test(site, names_of_strangers_are_words)
{
	add("<script>alert(1)</script>\"'.cu", "../../../etc/evil\"><b>", 10.0);
	is_written();
	cr_expect_eq(files(), 3);
	says("index.html", "&lt;script&gt;alert(1)", true);
	says("index.html", "<script>alert", false);
	says("index.html", "etc/evil", false);
}

/* ---- whose files are replaced ------------------------------------------------------------- */

Test(site, pages_that_are_no_longer_wanted_go_and_nothing_else_does)
{
	add("a.cu", A, 10.0);
	add("b.cu", B, 20.0);
	is_written();
	put("CNAME", "gemm.example\n");
	put("ffffffffffffffffffffffffffffffff.html", "<h1>not ours</h1>");
	put("run.html", "<!DOCTYPE html>\n" HTML_GENERATOR " 1\">\n"); /* of judge --html */
	put(".gemmjudge-index.html", "");                              /* of a run that was killed */
	put(".gemmjudge-" B ".html", "<!DOCTYPE html>\n" HTML_GENERATOR);
	put(".gemmjudge-notes", "mine");
	unlink(store);
	add("a.cu", A, 10.0);
	is_written();
	cr_expect_not(is_there(B ".html"));
	cr_expect_not(is_there(".gemmjudge-" B ".html"));
	cr_expect_eq(files(), 7, "three pages of the board, four files of others");
	says(".gemmjudge-notes", "mine", true);
	says("ffffffffffffffffffffffffffffffff.html", "not ours", true);
}

Test(site, a_folder_of_somebody_else_stays_as_it_is)
{
	add("a.cu", A, 10.0);
	put(".git", "hidden files may be there");
	is_written();
	unlink(path_of("index.html"));
	put("thesis.txt", "years of work");
	is_refused("it holds thesis.txt, which is no page of gemmjudge; name a new folder");
	cr_expect_not(is_there("index.html"));
}

Test(site, a_page_of_somebody_else_stays_as_it_is)
{
	add("a.cu", A, 10.0);
	put("index.html", "<h1>my home page</h1>");
	is_refused("index.html, which is no page of gemmjudge");
	unlink(path_of("index.html"));
	put("../elsewhere", "<!DOCTYPE html>\n" HTML_GENERATOR " 1\">\n");
	cr_assert_eq(symlink("../elsewhere", path_of("index.html")), 0);
	is_refused("index.html, which is no page of gemmjudge");
	unlink(path_of("index.html"));
	is_written();
	put(A ".html", "<h1>mine</h1>");
	put("index.html", "<!DOCTYPE html>\n" HTML_GENERATOR " of before\">\n");
	is_refused("a file of that name is there that is no page of gemmjudge");
	says("index.html", "of before", true);
	says(A ".html", "mine", true);
	cr_expect_eq(files(), 3, "and nothing unfinished");
}

Test(site, what_is_no_folder_is_said)
{
	add("a.cu", A, 10.0);
	FILE *file = fopen(folder, "w");
	fclose(file);
	is_refused("it is a file, and a folder is needed");
	unlink(folder);
	strcat(folder, "/deep");
	is_refused("No such file or directory");
}

/* ---- what may go wrong -------------------------------------------------------------------- */

Test(site, a_full_disk_leaves_the_pages_of_before)
{
	add("a.cu", A, 10.0);
	is_written();
	char *before = content_of("index.html");
	add("b.cu", B, 9.0);
	struct rlimit limit;
	getrlimit(RLIMIT_FSIZE, &limit);
	signal(SIGXFSZ, SIG_IGN);
	const struct rlimit little = {.rlim_cur = 10000, .rlim_max = limit.rlim_max};
	struct leaderboard all;
	struct error err;
	struct measured_list runs = fixture_all(store);
	size_t pages;
	cr_assert(leaderboard_make(&runs, true, &all, &err), "%s", err.message);
	setrlimit(RLIMIT_FSIZE, &little);
	bool ok = site_write(folder, &all, "1.2.3", &pages, &err);
	char other[128];
	snprintf(other, sizeof other, "%s/new", work);
	bool also = site_write(other, &all, "1.2.3", &pages, &err);
	setrlimit(RLIMIT_FSIZE, &limit);
	leaderboard_free(&all);
	cr_expect_not(ok);
	cr_expect_not(also);
	cr_expect_not_null(strstr(err.message, "File too large"), "%s", err.message);
	cr_expect_neq(access(other, F_OK), 0, "a folder that was made for it");
	char *after = content_of("index.html");
	cr_expect_str_eq(before, after);
	cr_expect_eq(files(), 3);
	free(before);
	free(after);
}

Test(site, two_at_once_do_not_mix)
{
	add("a.cu", A, 10.0);
	is_written();
	int fd = open(folder, O_RDONLY | O_DIRECTORY);
	cr_assert_eq(flock(fd, LOCK_EX), 0);
	is_refused("another gemmjudge is writing there");
	close(fd);
	is_written();
}
