/* The reservation is one PROT_NONE mapping; pages become readable when something
 * is allocated in them and are given back to the host when it is freed. The
 * written bits lie in a second lazy mapping at an eighth of the offset, so that
 * neither costs memory before it is touched.
 *
 * Live allocations are kept sorted by base in two parallel arrays: the bases are
 * contiguous, so that a lookup is a short binary search over one or two cache
 * lines. Addresses are handed out next-fit: a freed range is reused as late as
 * possible, which lets a use after free be told from a valid access. */
#define _GNU_SOURCE
#include "emulator/exec/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "emulator/exec/memory_pages.h"
#include "emulator/exec/shadow.h"

#define ALIGNMENT 256u
#define GAP 256u
#define FREED_KEPT 256u
/* Larger allocations are filled at their two ends only. */
#define FILL_WHOLE ((size_t)64 << 20)
#define SMALLEST_RESERVATION ((size_t)64 << 20)

/* A part of the reservation with a cursor of its own. */
struct region {
	uint64_t start, end;
	uint64_t cursor; /* where the next search for room starts */
};

static struct {
	pthread_mutex_t lock;
	uint64_t page;       /* of the host: 4 KiB on x86-64, up to 64 elsewhere */
	uint64_t start, end; /* the reservation */
	struct region device, host;
	bool closed; /* the device region, for the host's code */
	uint8_t *shadow;
	size_t limit, used, peak;
	uint64_t *bases;
	struct allocation **entries;
	size_t count, capacity;
	struct allocation freed[FREED_KEPT]; /* a ring */
	size_t freed_count;
	uint32_t numbered; /* allocations since one was named */
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

static uint64_t round_down(uint64_t value, uint64_t multiple)
{
	return value / multiple * multiple;
}

static bool reserve(size_t bytes)
{
	const size_t device = round_down(bytes / 4 * 3, memory.page);
	const uint64_t base = memory_pages_reserve(device, bytes);
	if (!base)
		return false;
	void *shadow = mmap(NULL, bytes / 8, PROT_READ | PROT_WRITE, PAGES_LAZY, -1, 0);
	if (shadow == MAP_FAILED) {
		munmap((void *)(uintptr_t)base, bytes);
		return false;
	}
	memory.start = base;
	memory.end = memory.start + bytes;
	memory.shadow = shadow;
	shadow_cover(memory.start, memory.end);
	const uint64_t middle = memory.start + device;
	memory.device = (struct region){memory.start, middle, memory.start + GAP};
	memory.host = (struct region){middle, memory.end, middle + GAP};
	return true;
}

bool memory_init(size_t limit)
{
	pthread_mutex_lock(&memory.lock);
	bool ready = memory.start != 0;
	memory.page = (uint64_t)sysconf(_SC_PAGESIZE);
	/* Twice the limit leaves room for late reuse; a host with an address-space
	 * limit gets what it allows. */
	size_t bytes = round_up(limit, memory.page) * 2 + SMALLEST_RESERVATION;
	struct rlimit space;
	if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur / 2 < bytes)
		bytes = round_down(space.rlim_cur / 2, memory.page);
	while (!ready && bytes >= SMALLEST_RESERVATION) {
		ready = reserve(bytes);
		if (!ready)
			bytes = round_up(bytes / 2, memory.page);
		else
			memory.limit = limit < bytes ? limit : bytes;
	}
	pthread_mutex_unlock(&memory.lock);
	return ready;
}

/* Index of the first live allocation whose base is above `address`. */
static size_t index_above(uint64_t address)
{
	size_t low = 0, high = memory.count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (memory.bases[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool grow(void)
{
	if (memory.count < memory.capacity)
		return true;
	size_t capacity = memory.capacity ? memory.capacity * 2 : 64;
	uint64_t *bases = realloc(memory.bases, capacity * sizeof *bases);
	if (bases == NULL)
		return false;
	memory.bases = bases;
	struct allocation **entries = realloc(memory.entries, capacity * sizeof *entries);
	if (entries == NULL)
		return false;
	memory.entries = entries;
	memory.capacity = capacity;
	return true;
}

static struct allocation *insert(uint64_t base, size_t size, const char *kind)
{
	struct allocation *entry = grow() ? calloc(1, sizeof *entry) : NULL;
	if (entry == NULL)
		return NULL;
	*entry = (struct allocation){.base = base, .size = size, .kind = kind};
	size_t at = index_above(base), tail = memory.count - at;
	memmove(memory.bases + at + 1, memory.bases + at, tail * sizeof *memory.bases);
	memmove(memory.entries + at + 1, memory.entries + at, tail * sizeof *memory.entries);
	memory.bases[at] = base;
	memory.entries[at] = entry;
	memory.count++;
	return entry;
}

static void remove_at(size_t at)
{
	memory.freed[memory.freed_count++ % FREED_KEPT] = *memory.entries[at];
	free(memory.entries[at]);
	size_t tail = memory.count - at - 1;
	memmove(memory.bases + at, memory.bases + at + 1, tail * sizeof *memory.bases);
	memmove(memory.entries + at, memory.entries + at + 1, tail * sizeof *memory.entries);
	memory.count--;
}

/* First room of `size` bytes within [from, to), gaps on both sides; 0: none. */
static uint64_t find_room(uint64_t from, uint64_t to, size_t size)
{
	uint64_t candidate = round_up(from, ALIGNMENT);
	size_t next = index_above(candidate);
	if (next > 0) {
		const struct allocation *below = memory.entries[next - 1];
		uint64_t clear = round_up(below->base + below->size + GAP, ALIGNMENT);
		if (clear > candidate)
			candidate = clear;
	}
	for (; next < memory.count && memory.bases[next] < to; next++) {
		if (candidate + size + GAP <= memory.bases[next])
			break;
		const struct allocation *entry = memory.entries[next];
		candidate = round_up(entry->base + entry->size + GAP, ALIGNMENT);
	}
	return candidate + size + GAP <= to ? candidate : 0;
}

static void fill_fresh(uint64_t base, size_t size)
{
	unsigned char *bytes = (unsigned char *)(uintptr_t)base;
	if (size <= FILL_WHOLE) {
		memset(bytes, MEMORY_FILL, size);
		return;
	}
	memset(bytes, MEMORY_FILL, FILL_WHOLE / 2);
	memset(bytes + size - FILL_WHOLE / 2, MEMORY_FILL, FILL_WHOLE / 2);
}

static uint8_t *shadow_of(uint64_t base)
{
	return memory.shadow + (base - memory.start) / 8;
}

static uint64_t find_room_in(const struct region *region, size_t size)
{
	uint64_t base = find_room(region->cursor, region->end, size);
	return base ? base : find_room(region->start + GAP, region->end, size);
}

static size_t index_of(uint64_t base);

static uint64_t allocate_locked(struct region *region, size_t size, const char *kind)
{
	if (!memory.start || size == 0 || size > memory.limit - memory.used)
		return 0;
	uint64_t base = find_room_in(region, size);
	uint64_t first = round_down(base, memory.page), last = round_up(base + size, memory.page);
	if (!base || !memory_pages_set_access(first, last, true) || insert(base, size, kind) == NULL)
		return 0;
	fill_fresh(base, size);
	if (region == &memory.device && memory.closed)
		memory_pages_set_access(first, last, false);
	if (strncmp(kind, "cu", 2) == 0) /* the program's own */
		memory.entries[index_of(base)]->number = ++memory.numbered;
	region->cursor = base + size + GAP;
	memory.used += size;
	if (memory.used > memory.peak)
		memory.peak = memory.used;
	return base;
}

uint64_t memory_allocate(size_t size, const char *kind)
{
	pthread_mutex_lock(&memory.lock);
	uint64_t base = allocate_locked(&memory.device, size, kind);
	if (base)
		memory.entries[index_of(base)]->written = shadow_of(base);
	pthread_mutex_unlock(&memory.lock);
	return base;
}

uint64_t memory_allocate_host(size_t size, const char *kind)
{
	pthread_mutex_lock(&memory.lock);
	uint64_t base = allocate_locked(&memory.host, size, kind);
	pthread_mutex_unlock(&memory.lock);
	return base;
}

static bool in_device_memory(uint64_t base)
{
	return base >= memory.device.start && base < memory.device.end;
}

/* Opens or closes the pages of the i-th allocation and of those behind it without a page between.
 * Returns the index behind the last of these. */
static size_t guard_span(size_t i, bool closed)
{
	const uint64_t first = round_down(memory.bases[i], memory.page);
	uint64_t end = first;
	for (; i < memory.count && in_device_memory(memory.bases[i]) &&
		   round_down(memory.bases[i], memory.page) <= end;
		 i++)
		end = round_up(memory.bases[i] + memory.entries[i]->size, memory.page);
	memory_pages_set_access(first, end, !closed);
	return i;
}

/* What was freed is closed: a guard that went through all memory that ever was allocated would take
 * longer with every call. */
void memory_guard(bool closed)
{
	pthread_mutex_lock(&memory.lock);
	for (size_t i = 0; closed != memory.closed && i < memory.count;)
		i = in_device_memory(memory.bases[i]) ? guard_span(i, closed) : i + 1;
	memory.closed = closed;
	pthread_mutex_unlock(&memory.lock);
}

/* Index of the live allocation that starts at `base`; memory.count: none. */
static size_t index_of(uint64_t base)
{
	size_t above = index_above(base);
	return above > 0 && memory.bases[above - 1] == base ? above - 1 : memory.count;
}

bool memory_name(uint64_t base, const char *name)
{
	pthread_mutex_lock(&memory.lock);
	size_t at = index_of(base);
	bool found = at < memory.count;
	if (found) {
		snprintf(memory.entries[at]->name, sizeof memory.entries[at]->name, "%s", name);
		memory.numbered = 0;
	}
	pthread_mutex_unlock(&memory.lock);
	return found;
}

bool memory_set_site(uint64_t base, const char *site)
{
	pthread_mutex_lock(&memory.lock);
	size_t at = index_of(base);
	bool found = at < memory.count;
	if (found)
		snprintf(memory.entries[at]->site, sizeof memory.entries[at]->site, "%s", site);
	pthread_mutex_unlock(&memory.lock);
	return found;
}

const char *memory_describe(const struct allocation *allocation, char text[MEMORY_TEXT])
{
	unsigned long long size = allocation->size;
	const char *site = allocation->site, *at = site[0] ? " at " : "";
	if (allocation->name[0])
		snprintf(text, MEMORY_TEXT, "%llu-byte allocation (%s)", size, allocation->name);
	else if (allocation->number && memory.numbered > 1)
		snprintf(text, MEMORY_TEXT, "%llu-byte allocation (%.32s number %u%s%s)", size,
				 allocation->kind, allocation->number, at, site);
	else
		snprintf(text, MEMORY_TEXT, "%llu-byte allocation (%.32s%s%s)", size, allocation->kind, at,
				 site);
	return text;
}

/* Gives pages back to the host, those that hold no neighbour. */
static void release(uint64_t base, size_t size)
{
	uint64_t first = round_up(base, memory.page), last = round_down(base + size, memory.page);
	if (first < last)
		madvise((void *)(uintptr_t)first, last - first, MADV_DONTNEED);
	uint8_t *bits = shadow_of(base);
	size_t bit_bytes = (size + 7) / 8;
	uint64_t low = round_up((uint64_t)(uintptr_t)bits, memory.page);
	uint64_t high = round_down((uint64_t)(uintptr_t)bits + bit_bytes, memory.page);
	if (low >= high) {
		memset(bits, 0, bit_bytes);
		return;
	}
	madvise((void *)(uintptr_t)low, high - low, MADV_DONTNEED);
	memset(bits, 0, low - (uint64_t)(uintptr_t)bits);
	memset((void *)(uintptr_t)high, 0, (uint64_t)(uintptr_t)bits + bit_bytes - high);
}

static bool within_reservation(uint64_t address)
{
	return address >= memory.start && address < memory.end;
}

/* Of memory that was freed, where number `at` is by now what lay behind it: the pages that it had
 * alone. */
static void close_pages(size_t at, uint64_t base, size_t size)
{
	uint64_t first = round_down(base, memory.page), end = round_up(base + size, memory.page);
	if (at > 0) {
		const uint64_t below =
			round_up(memory.bases[at - 1] + memory.entries[at - 1]->size, memory.page);
		first = below > first ? below : first;
	}
	if (at < memory.count && round_down(memory.bases[at], memory.page) < end)
		end = round_down(memory.bases[at], memory.page);
	if (first < end)
		memory_pages_set_access(first, end, false);
}

static void free_at(size_t at)
{
	uint64_t base = memory.bases[at];
	size_t size = memory.entries[at]->size;
	remove_at(at);
	release(base, size);
	if (in_device_memory(base))
		close_pages(at, base, size);
	shadow_forget(base, size);
	memory.used -= size;
}

bool memory_free(uint64_t base)
{
	pthread_mutex_lock(&memory.lock);
	size_t at = within_reservation(base) ? index_of(base) : memory.count;
	bool found = at < memory.count;
	if (found)
		free_at(at);
	pthread_mutex_unlock(&memory.lock);
	return found;
}

void memory_free_all(void)
{
	pthread_mutex_lock(&memory.lock);
	while (memory.count > 0) {
		size_t last = memory.count - 1;
		memory.entries[last]->reset = true;
		if (within_reservation(memory.bases[last]))
			free_at(last);
		else
			remove_at(last);
	}
	pthread_mutex_unlock(&memory.lock);
}

const struct allocation *memory_find(uint64_t address)
{
	size_t above = index_above(address);
	if (above == 0)
		return NULL;
	const struct allocation *entry = memory.entries[above - 1];
	return address - entry->base < entry->size ? entry : NULL;
}

const struct allocation *memory_nearest(uint64_t address, bool *freed)
{
	size_t above = index_above(address);
	const struct allocation *nearest = above > 0 ? memory.entries[above - 1] : NULL;
	*freed = false;
	size_t kept = memory.freed_count < FREED_KEPT ? memory.freed_count : FREED_KEPT;
	for (size_t i = 0; i < kept; i++) {
		const struct allocation *old = &memory.freed[i];
		if (old->base > address || (nearest != NULL && nearest->base > old->base))
			continue;
		bool live_is_closer =
			nearest != NULL && !*freed && nearest->base + nearest->size >= old->base + old->size;
		if (live_is_closer)
			continue;
		nearest = old;
		*freed = true;
	}
	return nearest;
}

const struct allocation *memory_following(uint64_t address)
{
	size_t above = index_above(address);
	return above < memory.count ? memory.entries[above] : NULL;
}

/* The part of [address, address + size) inside the allocation, as bit offsets. */
static bool clip(const struct allocation *allocation, uint64_t address, size_t size,
				 uint64_t *first, uint64_t *end)
{
	if (allocation->written == NULL || address < allocation->base)
		return false;
	*first = address - allocation->base;
	if (*first >= allocation->size || size == 0)
		return false;
	*end = size < allocation->size - *first ? *first + size : allocation->size;
	return true;
}

void memory_mark_written(const struct allocation *allocation, uint64_t address, size_t size)
{
	uint64_t first, end;
	if (!clip(allocation, address, size, &first, &end))
		return;
	uint8_t *bits = allocation->written;
	for (; first < end && first % 8; first++)
		bits[first / 8] |= (uint8_t)(1u << first % 8);
	if (end - first >= 8) {
		memset(bits + first / 8, 0xFF, (end - first) / 8);
		first = round_down(end, 8);
	}
	for (; first < end; first++)
		bits[first / 8] |= (uint8_t)(1u << first % 8);
}

/* Other host threads may set bits meanwhile. What a block has to find it finds, as a fence or an
 * ordered access of the kernel is between. */
static bool bit_at(const uint8_t *bits, uint64_t at)
{
	return __atomic_load_n(&bits[at / 8], __ATOMIC_RELAXED) >> at % 8 & 1;
}

/* Allocations are aligned, and their bits. */
static uint64_t word_at(const uint8_t *bits, uint64_t at)
{
	return __atomic_load_n((const uint64_t *)(const void *)(bits + at / 8), __ATOMIC_RELAXED);
}

bool memory_is_written(const struct allocation *allocation, uint64_t address, size_t size)
{
	uint64_t first, end;
	if (!clip(allocation, address, size, &first, &end))
		return true;
	const uint8_t *bits = allocation->written;
	while (first < end) {
		if (first % 64 == 0 && end - first >= 64 && word_at(bits, first) == UINT64_MAX)
			first += 64;
		else if (first % 8 == 0 && end - first >= 8 &&
				 __atomic_load_n(&bits[first / 8], __ATOMIC_RELAXED) == 0xFF)
			first += 8;
		else if (bit_at(bits, first))
			first++;
		else
			return false;
	}
	return true;
}

bool memory_has_undefined(const struct allocation *allocation, uint64_t address, size_t size)
{
	return allocation->undefined[0] && !memory_is_written(allocation, address, size);
}

void memory_mark_undefined(const struct allocation *allocation, uint64_t address, size_t size)
{
	uint64_t first, end;
	if (!clip(allocation, address, size, &first, &end))
		return;
	for (; first < end; first++)
		__atomic_fetch_and(&allocation->written[first / 8], (uint8_t) ~(1u << first % 8),
						   __ATOMIC_RELAXED);
}

void memory_copy_written(const struct allocation *to, uint64_t to_address,
						 const struct allocation *from, uint64_t from_address, size_t size)
{
	if (memory_is_written(from, from_address, size)) {
		memory_mark_written(to, to_address, size);
		return;
	}
	if (from->undefined[0] && !to->undefined[0])
		memcpy(memory.entries[index_of(to->base)]->undefined, from->undefined,
			   sizeof from->undefined);
	for (size_t i = 0; to->written != NULL && i < size; i++) {
		uint64_t at = to_address + i - to->base;
		if (memory_is_written(from, from_address + i, 1))
			to->written[at / 8] |= (uint8_t)(1u << at % 8);
		else
			to->written[at / 8] &= (uint8_t) ~(1u << at % 8);
	}
}

bool memory_set_read_only(uint64_t base, bool read_only)
{
	pthread_mutex_lock(&memory.lock);
	size_t at = index_of(base);
	bool found = at < memory.count;
	if (found)
		memory.entries[at]->read_only = read_only;
	pthread_mutex_unlock(&memory.lock);
	return found;
}

bool memory_register_host(void *pointer, size_t size)
{
	uint64_t base = (uint64_t)(uintptr_t)pointer;
	if (base == 0 || size == 0 || base + size < base)
		return false;
	pthread_mutex_lock(&memory.lock);
	size_t above = index_above(base);
	const struct allocation *below = above > 0 ? memory.entries[above - 1] : NULL;
	bool free_range = !(below != NULL && below->base + below->size > base) &&
					  !(above < memory.count && memory.bases[above] < base + size) &&
					  !within_reservation(base);
	bool done = free_range && insert(base, size, "host memory") != NULL;
	pthread_mutex_unlock(&memory.lock);
	return done;
}

bool memory_unregister_host(void *pointer)
{
	uint64_t base = (uint64_t)(uintptr_t)pointer;
	pthread_mutex_lock(&memory.lock);
	size_t at = within_reservation(base) ? memory.count : index_of(base);
	bool found = at < memory.count;
	if (found)
		remove_at(at);
	pthread_mutex_unlock(&memory.lock);
	return found;
}

bool memory_reserved(uint64_t address)
{
	return within_reservation(address);
}

size_t memory_used(void)
{
	return memory.used;
}

size_t memory_peak(void)
{
	size_t peak = memory.peak;
	memory.peak = memory.used;
	return peak;
}

size_t memory_count(void)
{
	return memory.count;
}

size_t memory_limit(void)
{
	return memory.limit;
}
