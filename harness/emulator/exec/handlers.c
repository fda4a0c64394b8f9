/* The handlers that this machine can run. Every table of handlers is named here
 * once. */
#include <string.h>

#include "emulator/exec/exec.h"
#include "emulator/simd/level.h"

#define TABLES(X) X(exec_integer) X(exec_compare) X(exec_float) X(exec_memory) X(exec_convert)

#define DECLARE(name)                                                                              \
	extern const struct exec_entry name##_v2[], name##_v3[], name##_v4[];                          \
	extern const size_t name##_count_v2, name##_count_v3, name##_count_v4;
TABLES(DECLARE)
#define COMMON_TABLES(X)                                                                           \
	X(exec_control)                                                                                \
	X(exec_async) X(exec_atomics) X(exec_bulk) X(exec_matrix) X(exec_wgmma) X(exec_call)
#define DECLARE_COMMON(name)                                                                       \
	extern const struct exec_entry name[];                                                         \
	extern const size_t name##_count;
COMMON_TABLES(DECLARE_COMMON)
enum exec_status exec_run_warp_v2(struct warp *warp, uint32_t quantum);
enum exec_status exec_run_warp_v3(struct warp *warp, uint32_t quantum);
enum exec_status exec_run_warp_v4(struct warp *warp, uint32_t quantum);

#define SLOTS 4096 /* a power of two, well above the number of handlers */

static struct {
	pthread_once_t once;
	struct exec_level level;
	const struct exec_entry *slots[SLOTS];
} levels = {.once = PTHREAD_ONCE_INIT};

static uint32_t hash(const char *name)
{
	uint32_t value = 2166136261u;
	for (; *name; name++)
		value = (value ^ (unsigned char)*name) * 16777619u;
	return value ^ value >> 13;
}

static void add_table(const struct exec_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t slot = hash(entries[i].name) % SLOTS;
		while (levels.slots[slot])
			slot = (slot + 1) % SLOTS;
		levels.slots[slot] = &entries[i];
	}
}

static void choose(void)
{
	int level = simd_level();
#define ADD(name)                                                                                  \
	if (level == 4)                                                                                \
		add_table(name##_v4, name##_count_v4);                                                     \
	else if (level == 3)                                                                           \
		add_table(name##_v3, name##_count_v3);                                                     \
	else                                                                                           \
		add_table(name##_v2, name##_count_v2);
	TABLES(ADD)
#define ADD_COMMON(name) add_table(name, name##_count);
	COMMON_TABLES(ADD_COMMON)
	levels.level.run_warp = level == 4   ? exec_run_warp_v4
							: level == 3 ? exec_run_warp_v3
										 : exec_run_warp_v2;
}

const struct exec_level *exec_level(void)
{
	pthread_once(&levels.once, choose);
	return &levels.level;
}

exec_handler exec_find(const char *name)
{
	exec_level();
	for (uint32_t slot = hash(name) % SLOTS; levels.slots[slot]; slot = (slot + 1) % SLOTS)
		if (strcmp(levels.slots[slot]->name, name) == 0)
			return levels.slots[slot]->handler;
	return NULL;
}
