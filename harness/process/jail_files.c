/* Landlock. The numbers are the kernel's, written out, as the headers of older systems lack some;
 * which of them this kernel knows its ABI tells. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/jail_layers.h"

/* The same on all machines that have them. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { ASK_VERSION = 1, RULE_PATH_BENEATH = 1, RESTRICT_ALL_THREADS = 1 << 3 /* ABI 8 */ };

enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_FOLDER = 1 << 3,
	REMOVE_FOLDER = 1 << 4,
	REMOVE_FILE = 1 << 5,
	MAKE_FOLDER = 1 << 7,
	MAKE_FILE = 1 << 8,
	TRUNCATE = 1 << 14,
};
/* What is refused wherever no rule allows it, by ABI: all that this ABI knows. */
static const uint64_t handled[] = {
	[0] = 0, [1] = 0x1fff, [2] = 0x3fff, [3] = 0x7fff, [4] = 0x7fff, [5] = 0xffff};
#define HANDLED_LAST 5
#define TCP_ALL 3   /* bind and connect, from ABI 4 on */
#define SCOPE_ALL 3 /* abstract sockets and signals stay inside, from ABI 6 on */

struct ruleset {
	uint64_t files, tcp, scoped;
};

struct beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

static size_t ruleset_bytes(long abi)
{
	return abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
}

static bool allow(int rules, const char *path, uint64_t rights, struct error *err)
{
	struct stat facts;
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &facts) != 0) {
		error_set(err, "%.200s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (!S_ISDIR(facts.st_mode)) /* the kernel takes no rights of folders for a file */
		rights &= EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;
	const struct beneath rule = {.allowed = rights, .parent = fd};
	bool ok = syscall(ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0) == 0 ||
			  error_set(err, "%.200s: no rule: %s", path, strerror(errno));
	close(fd);
	return ok;
}

static bool allow_all(int rules, const char *const *paths, uint64_t rights, struct error *err)
{
	for (size_t i = 0; paths != NULL && paths[i] != NULL; i++)
		if (!allow(rules, paths[i], rights, err))
			return false;
	return true;
}

static int restrict_thread(long rules)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(RESTRICT_SELF, rules, 0) != 0)
		return errno;
	return 0;
}

static bool restrict_all(int rules, long abi, struct error *err)
{
	int error_number = 0;
	if (abi >= 8 && syscall(RESTRICT_SELF, rules, RESTRICT_ALL_THREADS) == 0)
		return true;
	return jail_every_thread(restrict_thread, rules, &error_number, err) &&
		   (error_number == 0 || error_set(err, "Landlock refuses: %s", strerror(error_number)));
}

bool jail_files_close(const struct jail *what, struct error *err)
{
	const uint64_t reading = READ_FILE | READ_FOLDER;
	const uint64_t writing =
		reading | WRITE_FILE | REMOVE_FOLDER | REMOVE_FILE | MAKE_FOLDER | MAKE_FILE | TRUNCATE;
	long abi = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
	if (abi < 1)
		return error_set(err, "this kernel has no Landlock: %s", strerror(errno));
	uint64_t known = handled[abi < HANDLED_LAST ? abi : HANDLED_LAST];
	const struct ruleset all = {.files = known, .tcp = TCP_ALL, .scoped = SCOPE_ALL};
	int rules = (int)syscall(CREATE_RULESET, &all, ruleset_bytes(abi), 0);
	if (rules < 0)
		return error_set(err, "Landlock has no ruleset: %s", strerror(errno));
	bool closed = allow_all(rules, what->readable, reading & known, err) &&
				  allow_all(rules, what->writable, writing & known, err) &&
				  restrict_all(rules, abi, err);
	close(rules);
	return closed;
}
