/* The tables. A step that was in a release is never changed: what comes later is one more. */
#include "store/database.h"

const char *const store_schema[] = {
	/* 1 */
	"CREATE TABLE run (\n" /* a run of the program: what all of its judgements share */
	"	id INTEGER PRIMARY KEY,\n"
	"	started TEXT NOT NULL,\n" /* ISO 8601, UTC */
	"	mode TEXT NOT NULL,\n"    /* judge, bench, compare */
	"	host TEXT, kernel TEXT,\n"
	"	version TEXT, source_commit TEXT,\n" /* of gemmjudge */
	"	command TEXT, seed TEXT, suite TEXT, sizes TEXT, max_dim INTEGER, multiple_of INTEGER,\n"
	"	tolerance TEXT NOT NULL, nvcc_flags TEXT NOT NULL, epilogue TEXT NOT NULL,\n"
	"	tool TEXT NOT NULL,\n"
	"	device_kind TEXT NOT NULL, device TEXT NOT NULL, architecture TEXT,\n"
	"	multiprocessors INTEGER, memory_bytes INTEGER, l2_bytes INTEGER, sm_clock_mhz REAL,\n"
	"	pci_bus_id TEXT, driver TEXT, runtime TEXT, library TEXT) STRICT;\n"
	"CREATE TABLE submission (\n"
	"	id INTEGER PRIMARY KEY,\n"
	"	content TEXT NOT NULL,\n" /* compile/content.h */
	"	path TEXT NOT NULL,\n"    /* absolute */
	"	UNIQUE (path, content)) STRICT;\n"
	"CREATE INDEX submission_content ON submission(content);\n"
	"CREATE TABLE judgement (\n"
	"	id INTEGER PRIMARY KEY AUTOINCREMENT,\n" /* what people call it: never given twice */
	"	run INTEGER NOT NULL REFERENCES run, submission INTEGER NOT NULL REFERENCES submission,\n"
	"	ended TEXT NOT NULL, file TEXT NOT NULL,\n" /* as it was given */
	"	problem TEXT NOT NULL, verdict TEXT NOT NULL, detail TEXT NOT NULL,\n"
	"	guarantees TEXT,\n" /* NULL: nothing of it was run */
	"	compile_seconds REAL, compile_cached INTEGER,\n"
	"	cases INTEGER NOT NULL, accepted INTEGER NOT NULL, timing_note TEXT) STRICT;\n"
	"CREATE INDEX judgement_submission ON judgement(submission);\n"
	"CREATE INDEX judgement_problem ON judgement(problem);\n"
	"CREATE TABLE test_case (\n"
	"	judgement INTEGER NOT NULL REFERENCES judgement, number INTEGER NOT NULL,\n"
	"	name TEXT NOT NULL, m INTEGER, n INTEGER, k INTEGER, batch INTEGER, group_size INTEGER,\n"
	"	scalars TEXT NOT NULL, seed TEXT NOT NULL, exact INTEGER NOT NULL,\n"
	"	verdict TEXT NOT NULL, detail TEXT NOT NULL, seconds REAL, wrong INTEGER,\n"
	"	worst_ratio REAL, PRIMARY KEY (judgement, number)) STRICT, WITHOUT ROWID;\n"
	"CREATE TABLE counter (\n" /* of the emulated GPU; what a solution wrote may be there twice */
	"	judgement INTEGER NOT NULL REFERENCES judgement, kernel TEXT NOT NULL,\n"
	"	name TEXT NOT NULL, value INTEGER NOT NULL) STRICT;\n"
	"CREATE INDEX counter_judgement ON counter(judgement);\n"
	"CREATE TABLE timing (\n" /* one shape, on which entries took turns */
	"	id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run,\n"
	"	problem TEXT NOT NULL, name TEXT NOT NULL,\n"
	"	m INTEGER, n INTEGER, k INTEGER, batch INTEGER, group_size INTEGER,\n"
	"	scalars TEXT NOT NULL, clock TEXT NOT NULL,\n" /* span, event */
	"	sm_clock_mhz_min REAL, sm_clock_mhz_median REAL, sm_clock_mhz_limit REAL,\n"
	"	throttled INTEGER, throttle_reason TEXT, wide INTEGER, seconds REAL,\n"
	"	input_sets INTEGER) STRICT;\n"
	"CREATE TABLE entry (\n" /* microseconds */
	"	timing INTEGER NOT NULL REFERENCES timing, number INTEGER NOT NULL,\n"
	"	judgement INTEGER REFERENCES judgement,\n" /* NULL: a library */
	"	label TEXT NOT NULL, role TEXT NOT NULL, ran INTEGER NOT NULL, verdict TEXT NOT NULL,\n"
	"	detail TEXT NOT NULL,\n"
	"	clock TEXT NOT NULL,\n" /* of the time that counts: span, event, outside */
	"	samples INTEGER, median REAL, low REAL, high REAL, min REAL, p95 REAL,\n"
	"	seal TEXT NOT NULL, seal_why TEXT, outside REAL, uncertainty REAL, floor REAL,\n"
	"	sealed_calls INTEGER, sealed_passes INTEGER,\n"
	"	tflops REAL, wrong INTEGER, passes TEXT NOT NULL,\n" /* a JSON list */
	"	PRIMARY KEY (timing, number)) STRICT, WITHOUT ROWID;\n"
	"CREATE INDEX entry_judgement ON entry(judgement);\n",
	/* 2: tuning. The newest of what is the same but for its values stands. */
	"CREATE TABLE trial (\n" /* what a schedule took; microseconds */
	"	device TEXT NOT NULL, problem TEXT NOT NULL, content TEXT NOT NULL,\n"
	"	epilogue TEXT NOT NULL, nvcc_flags TEXT NOT NULL, m INTEGER NOT NULL,\n"
	"	n INTEGER NOT NULL, k INTEGER NOT NULL, batch INTEGER NOT NULL,\n"
	"	group_size INTEGER NOT NULL, scalars TEXT NOT NULL, clock_mhz REAL NOT NULL,\n"
	"	driver TEXT NOT NULL, constants TEXT NOT NULL, outcome TEXT NOT NULL,\n"
	"	detail TEXT NOT NULL, median REAL, low REAL, high REAL, samples INTEGER,\n"
	"	measured TEXT NOT NULL, UNIQUE (device, problem, content, epilogue, nvcc_flags, m, n, k,\n"
	"	batch, group_size, scalars, clock_mhz, driver, constants) ON CONFLICT REPLACE) STRICT;\n"
	"CREATE TABLE schedule (\n" /* that was chosen */
	"	device TEXT NOT NULL, problem TEXT NOT NULL, content TEXT NOT NULL,\n"
	"	epilogue TEXT NOT NULL, nvcc_flags TEXT NOT NULL, m INTEGER NOT NULL,\n"
	"	n INTEGER NOT NULL, k INTEGER NOT NULL, batch INTEGER NOT NULL,\n"
	"	group_size INTEGER NOT NULL, scalars TEXT NOT NULL, beta_is_0 INTEGER NOT NULL,\n"
	"	constants TEXT NOT NULL, median REAL, gain REAL, gain_low REAL, gain_high REAL,\n"
	"	library TEXT NOT NULL, library_ratio REAL, tried INTEGER, judged INTEGER NOT NULL,\n"
	"	chosen TEXT NOT NULL, UNIQUE (device, problem, content, epilogue, nvcc_flags, m, n, k,\n"
	"	batch, group_size, scalars) ON CONFLICT REPLACE) STRICT;\n"
	"ALTER TABLE judgement ADD COLUMN schedule TEXT;\n", /* with --tuned: its constants */
	/* 3: all suites of a run, a JSON list as nvcc_flags is; before, a text of 63 characters with
	 * commas between them. */
	"ALTER TABLE run RENAME COLUMN suite TO suites;\n"
	"UPDATE run SET suites = CASE coalesce(suites, '') WHEN '' THEN '[]'\n"
	"	ELSE '[' || replace(json_quote(suites), ',', '\",\"') || ']' END;\n",
	/* 4: contents are BLAKE2b's 64 digits from here on (compile/content.h). Older rows keep the 32
	 * of XXH3, which could be forged: no content of the one kind equals one of the other, so that
	 * what was found of a file before is nobody's now, good or bad. */
	"ALTER TABLE run ADD COLUMN epilogue_content TEXT;\n",
	/* 5: what the contents are: a file as number 0, then the headers beside it. */
	"CREATE TABLE source (\n"
	"	content TEXT NOT NULL, number INTEGER NOT NULL,\n"
	"	name TEXT NOT NULL,\n" /* from the file's folder */
	"	text BLOB NOT NULL, PRIMARY KEY (content, number)) STRICT, WITHOUT ROWID;\n",
	/* 6: compressed by zlib; NULL: `text` is the text itself, as before. */
	"ALTER TABLE source ADD COLUMN length INTEGER;\n", /* of the text */
	/* 7: what was submitted to `gemmjudge serve`, and by whom. Times are seconds of Unix. What is
	 * long stands last, so that the rest is read without it. */
	"CREATE TABLE account (\n"
	"	name TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL,\n"
	"	token TEXT NOT NULL UNIQUE,\n" /* its hash */
	"	created REAL NOT NULL) STRICT, WITHOUT ROWID;\n"
	"CREATE TABLE job (\n"
	"	number INTEGER PRIMARY KEY AUTOINCREMENT,\n" /* in the order in which they came */
	"	id TEXT NOT NULL UNIQUE,\n"                  /* 128 bits that nobody can guess */
	"	account TEXT NOT NULL,\n"                    /* \"\": of nobody who needs a name */
	"	problem TEXT NOT NULL, name TEXT NOT NULL,\n"
	"	state TEXT NOT NULL,\n" /* waiting, judging, done, withdrawn */
	"	created REAL NOT NULL, started REAL, ended REAL, seconds REAL NOT NULL,\n"
	"	attempts INTEGER NOT NULL, verdict TEXT, seed TEXT,\n"
	"	detail TEXT,\n"           /* why there is no verdict */
	"	content TEXT,\n"          /* as judgements have it */
	"	options TEXT NOT NULL,\n" /* a JSON object */
	"	source TEXT NOT NULL, result TEXT) STRICT;\n"
	"CREATE INDEX job_account ON job(account, number);\n"
	"CREATE INDEX job_ended ON job(ended);\n"
	"CREATE INDEX job_state ON job(state);\n"
	"CREATE INDEX job_content ON job(content);\n",
	/* 8: which compiler; NULL: a run of before. */
	"ALTER TABLE run ADD COLUMN nvcc TEXT;\n"
	/* Trials of another compiler are of other machine code. A table's UNIQUE cannot be changed. */
	"ALTER TABLE trial RENAME TO trial_before;\n"
	"CREATE TABLE trial (\n"
	"	device TEXT NOT NULL, problem TEXT NOT NULL, content TEXT NOT NULL,\n"
	"	epilogue TEXT NOT NULL, nvcc_flags TEXT NOT NULL, m INTEGER NOT NULL,\n"
	"	n INTEGER NOT NULL, k INTEGER NOT NULL, batch INTEGER NOT NULL,\n"
	"	group_size INTEGER NOT NULL, scalars TEXT NOT NULL, clock_mhz REAL NOT NULL,\n"
	"	driver TEXT NOT NULL, nvcc TEXT NOT NULL, constants TEXT NOT NULL,\n"
	"	outcome TEXT NOT NULL, detail TEXT NOT NULL, median REAL, low REAL, high REAL,\n"
	"	samples INTEGER, measured TEXT NOT NULL, UNIQUE (device, problem, content, epilogue,\n"
	"	nvcc_flags, m, n, k, batch, group_size, scalars, clock_mhz, driver, nvcc, constants)\n"
	"	ON CONFLICT REPLACE) STRICT;\n"
	"INSERT INTO trial SELECT device, problem, content, epilogue, nvcc_flags, m, n, k, batch,\n"
	"	group_size, scalars, clock_mhz, driver, '', constants, outcome, detail, median, low, "
	"high,\n"
	"	samples, measured FROM trial_before;\n"
	"DROP TABLE trial_before;\n",
	/* 9: microseconds that count, of a submission that was timed where its problem is. */
	"CREATE TABLE job_time (\n"
	"	number INTEGER PRIMARY KEY, microseconds REAL NOT NULL) STRICT;\n",
	NULL,
};
