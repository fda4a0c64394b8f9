/* The numbers are the kernel's, written out, as the headers of older systems lack some of them. */
#include "process/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* System calls, the same on all machines. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { ASK_VERSION = 1, RULE_PATH_BENEATH = 1, ALL_THREADS = 1 << 3 /* ABI 8 */ };

enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_FOLDER = 1 << 3,
	REMOVE_FOLDER = 1 << 4,
	REMOVE_FILE = 1 << 5,
	MAKE_FOLDER = 1 << 7,
	MAKE_FILE = 1 << 8,
	REFER = 1 << 13,    /* renames and links from folder to folder; ABI 2 */
	TRUNCATE = 1 << 14, /* ABI 3 */
};

#define FOR_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE)
#define BOTH_WAYS_OF_TCP 3  /* bind and connect */
#define BOTH_WAYS_TO_TELL 3 /* abstract sockets and signals */

struct ruleset {
	uint64_t files, tcp, scoped;
};

struct beneath {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

/* All the rights on files that the ABI knows. */
static uint64_t rights_known(int abi)
{
	static const uint64_t known[] = {0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff};
	int last = (int)(sizeof known / sizeof *known) - 1;
	return known[abi < last ? abi : last];
}

int landlock_abi(void)
{
	long abi = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
	return abi > 0 ? (int)abi : 0;
}

int landlock_begin(struct error *err)
{
	int abi = landlock_abi();
	if (abi == 0) {
		error_set(err, "this kernel has no Landlock: %s", strerror(errno));
		return -1;
	}
	const struct ruleset all = {rights_known(abi), BOTH_WAYS_OF_TCP, BOTH_WAYS_TO_TELL};
	size_t bytes = abi >= 6   ? sizeof all
				   : abi >= 4 ? offsetof(struct ruleset, scoped)
							  : offsetof(struct ruleset, tcp);
	long rules = syscall(CREATE_RULESET, &all, bytes, 0); /* close-on-exec by itself */
	if (rules < 0)
		error_set(err, "Landlock: no rules: %s", strerror(errno));
	return (int)rules;
}

bool landlock_allow(int rules, int fd, enum landlock_access access, struct error *err)
{
	static const uint64_t rights[] = {[LANDLOCK_READS] = READ_FILE | READ_FOLDER,
									  [LANDLOCK_RUNS] = READ_FILE | READ_FOLDER | EXECUTE,
									  [LANDLOCK_WRITES] = READ_FILE | READ_FOLDER | WRITE_FILE |
														  TRUNCATE | MAKE_FILE | REMOVE_FILE |
														  MAKE_FOLDER | REMOVE_FOLDER | REFER};
	struct stat facts;
	if (fstat(fd, &facts) != 0)
		return error_set(err, "Landlock: %s", strerror(errno));
	struct beneath rule = {.allowed = rights[access] & rights_known(landlock_abi()), .fd = fd};
	if (!S_ISDIR(facts.st_mode)) /* the kernel refuses the rights of folders */
		rule.allowed &= FOR_FILES;
	return syscall(ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0) == 0 ||
		   error_set(err, "Landlock: %s", strerror(errno));
}

bool landlock_allow_path(int rules, const char *path, enum landlock_access access,
						 struct error *err)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, "%s: %s", path, strerror(errno));
	bool allowed = landlock_allow(rules, fd, access, err) || error_prefix(err, "%s", path);
	close(fd);
	return allowed;
}

bool landlock_restrict(int rules)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(RESTRICT_SELF, rules, 0) == 0;
}

bool landlock_restrict_process(int rules)
{
	return landlock_abi() >= 8 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		   syscall(RESTRICT_SELF, rules, ALL_THREADS) == 0;
}
