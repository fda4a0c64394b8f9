/* A library's fat binaries begin with a magic number at a multiple of 8; emulator/ptx/fatbin.c has
 * their layout. Every size is looked at before it is followed. */
#include "judge/submission/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "judge/submission/sass.h"

#define MAGIC 0xBA55ED50u
#define HEADER 16u
#define ENTRY 64u
#define KEEP_PATH (PATHS_MAX + 32)

enum { KIND_PTX = 1, KIND_ELF = 2, KINDS };
static const char *const endings[KINDS] = {[KIND_PTX] = "ptx", [KIND_ELF] = "cubin"};

struct keeper {
	const uint8_t *at;
	size_t size;
	char stem[PATHS_MAX]; /* FOLDER/NAME */
	unsigned written[KINDS];
};

static bool fetch(const struct keeper *keeper, uint64_t at, void *out, size_t size)
{
	if (at > keeper->size || size > keeper->size - at)
		return false;
	memcpy(out, keeper->at + at, size);
	return true;
}

/* The first of a kind is NAME.ptx, the second NAME.2.ptx. */
static void path_of(const struct keeper *keeper, unsigned number, const char *ending,
					char out[KEEP_PATH])
{
	if (number > 1)
		snprintf(out, KEEP_PATH, "%s.%u.%s", keeper->stem, number, ending);
	else
		snprintf(out, KEEP_PATH, "%s.%s", keeper->stem, ending);
}

static bool write_part(struct keeper *keeper, unsigned kind, const uint8_t *from, size_t size,
					   struct error *err)
{
	char path[KEEP_PATH];
	path_of(keeper, ++keeper->written[kind], endings[kind], path);
	if (kind == KIND_PTX)
		size = strnlen((const char *)from, size); /* it is padded */
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 && errno == EEXIST)
		return error_set(err, "--code: %s is there already, and is not replaced", path);
	FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
	bool ok = file != NULL && fwrite(from, 1, size, file) == size;
	if (file != NULL)
		ok = fclose(file) == 0 && ok;
	else if (fd >= 0)
		close(fd);
	return ok || error_set(err, "--code: cannot write %s: %s", path, strerror(errno));
}

/* The entries of a fat binary; *end is what follows it. */
static bool write_parts(struct keeper *keeper, uint64_t at, uint64_t *end, struct error *err)
{
	uint16_t kind, header;
	uint32_t entry;
	uint64_t rest, payload;
	if (!fetch(keeper, at + 6, &header, sizeof header) ||
		!fetch(keeper, at + 8, &rest, sizeof rest) || header < HEADER ||
		rest > keeper->size - at - HEADER || header > keeper->size - at - rest)
		return true; /* none, but bytes that look like one */
	*end = at + header + rest;
	for (at += header; *end - at >= ENTRY; at += entry + payload) {
		if (!fetch(keeper, at, &kind, sizeof kind) ||
			!fetch(keeper, at + 4, &entry, sizeof entry) ||
			!fetch(keeper, at + 8, &payload, sizeof payload) || entry < ENTRY ||
			entry > *end - at || payload > *end - at - entry)
			return true;
		if (kind < KINDS && endings[kind] != NULL &&
			!write_part(keeper, kind, keeper->at + at + entry, (size_t)payload, err))
			return false;
	}
	return true;
}

static bool write_all(struct keeper *keeper, struct error *err)
{
	for (uint64_t at = 0, end; at + HEADER <= keeper->size; at = end) {
		uint32_t magic = 0;
		end = at + 8;
		fetch(keeper, at, &magic, sizeof magic);
		if (magic == MAGIC && !write_parts(keeper, at, &end, err))
			return false;
		end = (end + 7) / 8 * 8;
	}
	return keeper->written[KIND_PTX] + keeper->written[KIND_ELF] > 0 ||
		   error_set(err, "--code: the compiled file has no code for a GPU");
}

/* Of each cubin, where there is a disassembler. */
static bool write_sass(const struct keeper *keeper, struct error *err)
{
	char cubin[KEEP_PATH], path[KEEP_PATH];
	struct sass_tool tool;
	struct error none;
	if (!sass_find(&tool, &none))
		return true;
	for (unsigned i = 1; i <= keeper->written[KIND_ELF]; i++) {
		path_of(keeper, i, endings[KIND_ELF], cubin);
		path_of(keeper, i, "sass", path);
		if (!sass_write(&tool, cubin, path, err))
			return false;
	}
	return true;
}

bool keep_write(const char *library, const char *file, const char *folder, struct error *err)
{
	struct keeper keeper = {.size = 0};
	struct stat facts;
	const char *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file;
	const char *dot = strrchr(name, '.');
	int length = dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name);
	if (snprintf(keeper.stem, sizeof keeper.stem, "%s/%.*s", folder, length, name) >= PATHS_MAX)
		return error_set(err, "--code: path too long");
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return error_set(err, "--code %s: %s", folder, strerror(errno));
	int fd = open(library, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && fstat(fd, &facts) == 0 && facts.st_size > 0;
	void *bytes =
		ok ? mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (bytes == MAP_FAILED) {
		ok = error_set(err, "--code: the compiled file cannot be read");
	} else {
		keeper.at = bytes;
		keeper.size = (size_t)facts.st_size;
		ok = write_all(&keeper, err) && write_sass(&keeper, err);
		munmap(bytes, keeper.size);
	}
	if (fd >= 0)
		close(fd);
	return ok;
}
