/* The tables. Columns of a judgement's facts are those that judgement/record.def names; a step that
 * was in a release is never changed: what comes later is one more. */
#include "store/database.h"

const char *const store_schema[] = {
	/* 1: a run of the program is what all of its judgements share. */
	"CREATE TABLE run (id INTEGER PRIMARY KEY, mode TEXT NOT NULL,\n" /* judge, bench, compare */
	"	source_commit TEXT, host TEXT, kernel TEXT" /* of gemmjudge, where it ran */
#define RECORD_RUN
#include "judgement/record_columns.h"
#define RECORD_DEVICE
#include "judgement/record_columns.h"
	") STRICT;\n"
	"CREATE TABLE submission (\n"
	"	id INTEGER PRIMARY KEY,\n"
	"	content TEXT NOT NULL,\n" /* compile/content.h */
	"	path TEXT NOT NULL,\n"    /* absolute */
	"	UNIQUE (path, content)) STRICT;\n"
	"CREATE INDEX submission_content ON submission(content);\n"
	"CREATE TABLE judgement (\n"
	"	id INTEGER PRIMARY KEY AUTOINCREMENT,\n" /* what people call it: never given twice */
	"	run INTEGER NOT NULL REFERENCES run, submission INTEGER NOT NULL REFERENCES submission,\n"
	"	ended TEXT NOT NULL"
#define RECORD_RESULT
#include "judgement/record_columns.h"
#define RECORD_COMPILE
#include "judgement/record_columns.h"
#define RECORD_BITS
#include "judgement/record_columns.h"
	") STRICT;\n"
	"CREATE INDEX judgement_submission ON judgement(submission);\n"
	"CREATE INDEX judgement_problem ON judgement(problem);\n"
	"CREATE TABLE test_case (\n"
	"	judgement INTEGER NOT NULL REFERENCES judgement, number INTEGER NOT NULL"
#define RECORD_CASE
#include "judgement/record_columns.h"
#define RECORD_TEST
#include "judgement/record_columns.h"
#define RECORD_CHECK
#include "judgement/record_columns.h"
	", PRIMARY KEY (judgement, number)) STRICT, WITHOUT ROWID;\n"
	"CREATE TABLE counter (\n" /* of the emulated GPU; what a solution wrote may be there twice */
	"	judgement INTEGER NOT NULL REFERENCES judgement, kernel TEXT NOT NULL,\n"
	"	name TEXT NOT NULL, value INTEGER NOT NULL) STRICT;\n"
	"CREATE INDEX counter_judgement ON counter(judgement);\n"
	"CREATE TABLE timing (\n" /* one shape, on which entries took turns */
	"	id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run"
#define RECORD_TIMING
#include "judgement/record_columns.h"
#define RECORD_TEST
#include "judgement/record_columns.h"
	") STRICT;\n"
	"CREATE TABLE entry (\n"
	"	timing INTEGER NOT NULL REFERENCES timing, number INTEGER NOT NULL,\n"
	"	judgement INTEGER REFERENCES judgement" /* NULL: a library */
#define RECORD_ENTRY
#include "judgement/record_columns.h"
#define RECORD_STEADY
#include "judgement/record_columns.h"
#define RECORD_SEAL
#include "judgement/record_columns.h"
	", PRIMARY KEY (timing, number)) STRICT, WITHOUT ROWID;\n"
	"CREATE INDEX entry_judgement ON entry(judgement);\n"
	/* Tuning. The newest of what is the same but for its values stands. */
	"CREATE TABLE trial (\n" /* what a schedule took; microseconds */
	"	device TEXT NOT NULL, problem TEXT NOT NULL, content TEXT NOT NULL,\n"
	"	epilogue TEXT NOT NULL, nvcc_flags TEXT NOT NULL, m INTEGER NOT NULL,\n"
	"	n INTEGER NOT NULL, k INTEGER NOT NULL, batch INTEGER NOT NULL,\n"
	"	group_size INTEGER NOT NULL, scalars TEXT NOT NULL, clock_mhz REAL NOT NULL,\n"
	"	driver TEXT NOT NULL, nvcc TEXT NOT NULL, constants TEXT NOT NULL,\n"
	"	outcome TEXT NOT NULL, detail TEXT NOT NULL, median REAL, low REAL, high REAL,\n"
	"	samples INTEGER, measured TEXT NOT NULL, UNIQUE (device, problem, content, epilogue,\n"
	"	nvcc_flags, m, n, k, batch, group_size, scalars, clock_mhz, driver, nvcc, constants)\n"
	"	ON CONFLICT REPLACE) STRICT;\n"
	"CREATE TABLE schedule (\n" /* that was chosen */
	"	device TEXT NOT NULL, problem TEXT NOT NULL, content TEXT NOT NULL,\n"
	"	epilogue TEXT NOT NULL, nvcc_flags TEXT NOT NULL, m INTEGER NOT NULL,\n"
	"	n INTEGER NOT NULL, k INTEGER NOT NULL, batch INTEGER NOT NULL,\n"
	"	group_size INTEGER NOT NULL, scalars TEXT NOT NULL, beta_is_0 INTEGER NOT NULL,\n"
	"	constants TEXT NOT NULL, median REAL, gain REAL, gain_low REAL, gain_high REAL,\n"
	"	library TEXT NOT NULL, library_ratio REAL, tried INTEGER, judged INTEGER NOT NULL,\n"
	"	chosen TEXT NOT NULL, UNIQUE (device, problem, content, epilogue, nvcc_flags, m, n, k,\n"
	"	batch, group_size, scalars) ON CONFLICT REPLACE) STRICT;\n"
	/* What the contents are: a file as number 0, then the headers beside it. */
	"CREATE TABLE source (\n"
	"	content TEXT NOT NULL, number INTEGER NOT NULL,\n"
	"	name TEXT NOT NULL,\n"      /* from the file's folder */
	"	length INTEGER NOT NULL,\n" /* of the text */
	"	text BLOB NOT NULL,\n"      /* compressed by zlib */
	"	PRIMARY KEY (content, number)) STRICT, WITHOUT ROWID;\n"
	/* What was submitted to `gemmjudge serve`, and by whom. Times are seconds of Unix. What is
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
	"	microseconds REAL,\n"     /* that count, of what was timed where its problem is */
	"	detail TEXT,\n"           /* why there is no verdict */
	"	content TEXT,\n"          /* as judgements have it */
	"	options TEXT NOT NULL,\n" /* a JSON object */
	"	source TEXT NOT NULL, result TEXT) STRICT;\n"
	"CREATE INDEX job_account ON job(account, number);\n"
	"CREATE INDEX job_ended ON job(ended);\n"
	"CREATE INDEX job_state ON job(state);\n"
	"CREATE INDEX job_content ON job(content);\n",
	/* 2: what a submission takes: source, options, result. What was withdrawn keeps its number of
	 * bytes, and nothing else. */
	"ALTER TABLE job ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;\n"
	"UPDATE job SET source = '' WHERE state = 'withdrawn';\n"
	"UPDATE job SET bytes = length(CAST(source AS BLOB)) + length(CAST(options AS BLOB)) +\n"
	"	coalesce(length(CAST(result AS BLOB)), 0);\n"
	"CREATE INDEX job_bytes ON job(account, state, ended, bytes);\n",
	/* 3: a user is an id, which job.account has from now on, so that a name may be another's later.
	 * Who was removed stays, without a token. What is older than the account of its name was
	 * submitted by an earlier one of that name. */
	"ALTER TABLE account RENAME TO account_1;\n"
	"CREATE TABLE account (\n"
	"	id TEXT NOT NULL PRIMARY KEY,\n" /* 128 bits in hexadecimal digits */
	"	name TEXT NOT NULL, role TEXT NOT NULL,\n"
	"	token TEXT UNIQUE,\n" /* its hash; NULL: removed */
	"	created REAL NOT NULL, removed REAL) STRICT, WITHOUT ROWID;\n"
	"CREATE UNIQUE INDEX account_name ON account(name) WHERE removed IS NULL;\n"
	"INSERT INTO account SELECT lower(hex(randomblob(16))), name, role, token, created, NULL FROM "
	"account_1;\n"
	"INSERT INTO account SELECT lower(hex(randomblob(16))), account, 'student', NULL, first, last "
	"FROM (SELECT account, min(created) AS first, max(coalesce(ended, created)) AS last FROM job "
	"WHERE account <> '' AND NOT EXISTS (SELECT 1 FROM account_1 a WHERE a.name = job.account AND "
	"a.created <= job.created) GROUP BY account);\n"
	"UPDATE job SET account = (SELECT id FROM account a WHERE a.name = job.account AND (a.removed "
	"IS NULL) = EXISTS (SELECT 1 FROM account_1 b WHERE b.name = job.account AND b.created <= "
	"job.created)) WHERE account <> '';\n"
	"DROP TABLE account_1;\n",
	/* 4: which submission to a server a run was of, and whether it was judged as all are. */
	"ALTER TABLE run ADD COLUMN job TEXT;\n" /* job.id */
	"ALTER TABLE job ADD COLUMN practice INTEGER NOT NULL DEFAULT 0;\n"
	"UPDATE job SET practice = iif(json_valid(options), EXISTS (SELECT 1 FROM json_each(options) "
	"WHERE key <> 'fail-fast' AND type NOT IN ('null', 'false')), 1);\n"
	"UPDATE run SET job = found.job FROM (SELECT j.run, b.id AS job FROM judgement j JOIN "
	"submission "
	"s ON s.id = j.submission JOIN job b ON b.content = s.content AND b.state = 'done' AND "
	"unixepoch(j.ended) BETWEEN b.started - 2 AND b.ended + 2 WHERE j.file = 'stdin') AS found "
	"WHERE found.run = run.id;\n",
	/* 5: what files that were judged alike, and copies of a file, are told by. */
	"ALTER TABLE run ADD COLUMN seed_given INTEGER;\n"
	"ALTER TABLE judgement ADD COLUMN tokens TEXT;\n",
	NULL,
};
