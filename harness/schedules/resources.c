/* The library is an ELF file whose section .nv_fatbin holds fat binaries, whose entries of kind 2
 * are ELF files again, one of each architecture (the layout is that of emulator/ptx/fatbin.c, which
 * reads their PTX). In those, .nv.info has a record of registers and stack for each function,
 * .text.NAME is a kernel's code and .nv.shared.NAME as large as its static shared memory. Every
 * offset is looked at before it is followed: the file is the solution's. */
#include "schedules/resources.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FATBIN_MAGIC 0xBA55ED50u
#define FATBIN_HEADER 16u
#define ENTRY_HEADER 64u
#define KIND_ELF 2u

/* Records of .nv.info: format, attribute, u16 bytes; these have a symbol and a number. */
#define INFO_VALUES 0x04u
#define INFO_REGISTERS 0x2fu
#define INFO_STACK 0x11u

#define RESERVED_SHARED                                                                            \
	1024 /* of the system, in .nv.shared.NAME where .nv.shared.reserved.0 is                       \
		  */

struct span {
	const uint8_t *at;
	size_t size;
};

static struct span part(struct span whole, uint64_t offset, uint64_t size)
{
	if (offset > whole.size || size > whole.size - offset)
		return (struct span){0};
	return (struct span){whole.at + offset, (size_t)size};
}

static bool fetch(struct span whole, uint64_t offset, void *out, size_t size)
{
	struct span from = part(whole, offset, size);
	if (from.at == NULL)
		return false;
	memcpy(out, from.at, size);
	return true;
}

/* ---- ELF -------------------------------------------------------------------------------- */

struct elf {
	struct span whole, names; /* of sections */
	Elf64_Ehdr header;
};

static bool section_at(const struct elf *elf, size_t index, Elf64_Shdr *out)
{
	return index < elf->header.e_shnum &&
		   fetch(elf->whole, elf->header.e_shoff + (uint64_t)index * sizeof *out, out, sizeof *out);
}

static struct span section_bytes(const struct elf *elf, const Elf64_Shdr *section)
{
	if (section->sh_type == SHT_NOBITS)
		return (struct span){0};
	return part(elf->whole, section->sh_offset, section->sh_size);
}

static bool elf_open(struct span whole, struct elf *out)
{
	Elf64_Shdr names;
	*out = (struct elf){.whole = whole};
	if (!fetch(whole, 0, &out->header, sizeof out->header) ||
		memcmp(out->header.e_ident, ELFMAG, SELFMAG) != 0 ||
		out->header.e_ident[EI_CLASS] != ELFCLASS64 || out->header.e_shoff > whole.size ||
		!section_at(out, out->header.e_shstrndx, &names))
		return false;
	out->names = section_bytes(out, &names);
	return out->names.at != NULL;
}

/* A string of a table; "" where it does not end in it. */
static const char *string_at(struct span table, uint64_t offset)
{
	struct span rest =
		offset < table.size ? part(table, offset, table.size - offset) : (struct span){0};
	return rest.at != NULL && memchr(rest.at, 0, rest.size) != NULL ? (const char *)rest.at : "";
}

static bool section_named(const struct elf *elf, const char *name, Elf64_Shdr *out)
{
	for (size_t i = 0; section_at(elf, i, out); i++)
		if (strcmp(string_at(elf->names, out->sh_name), name) == 0)
			return true;
	return false;
}

/* ---- kernels ---------------------------------------------------------------------------- */

/* The kernel of that name, made where there is none yet; NULL: no memory, or too many. */
static struct kernel_resources *kernel_of(struct resources *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->kernels[i].name, name) == 0)
			return &all->kernels[i];
	if (all->count == RESOURCES_KERNELS_MAX || strlen(name) >= RESOURCES_NAME_MAX)
		return NULL;
	struct kernel_resources *more = realloc(all->kernels, (all->count + 1) * sizeof *more);
	if (more == NULL)
		return NULL;
	all->kernels = more;
	struct kernel_resources *kernel = &more[all->count];
	*kernel = (struct kernel_resources){.name = strdup(name)};
	if (kernel->name == NULL)
		return NULL;
	all->count++;
	return kernel;
}

/* Code and shared memory, by the names of sections. */
static void take_sections(const struct elf *elf, struct resources *out)
{
	static const char text[] = ".text.", shared[] = ".nv.shared.";
	Elf64_Shdr section;
	struct kernel_resources *kernel;
	const bool reserved = section_named(elf, ".nv.shared.reserved.0", &section);
	for (size_t i = 0; section_at(elf, i, &section); i++) {
		const char *name = string_at(elf->names, section.sh_name);
		if (strncmp(name, text, sizeof text - 1) == 0) {
			if ((kernel = kernel_of(out, name + sizeof text - 1)) != NULL)
				kernel->code_bytes = (int64_t)section.sh_size;
		} else if (strncmp(name, shared, sizeof shared - 1) == 0 &&
				   strncmp(name, ".nv.shared.reserved", 19) != 0 &&
				   (kernel = kernel_of(out, name + sizeof shared - 1)) != NULL) {
			int64_t kept = reserved && section.sh_size >= RESERVED_SHARED ? RESERVED_SHARED : 0;
			kernel->static_shared = (int64_t)section.sh_size - kept;
		}
	}
}

/* Registers and stack, by records that name a symbol. */
static void take_info(const struct elf *elf, struct resources *out)
{
	Elf64_Shdr section, symbols, strings;
	if (!section_named(elf, ".nv.info", &section) || !section_named(elf, ".symtab", &symbols) ||
		!section_at(elf, symbols.sh_link, &strings))
		return;
	const struct span records = section_bytes(elf, &section);
	const struct span table = section_bytes(elf, &symbols), names = section_bytes(elf, &strings);
	for (uint64_t at = 0; at + 4 <= records.size;) {
		uint8_t format = records.at[at], attribute = records.at[at + 1];
		uint16_t bytes = 0;
		uint32_t values[2];
		Elf64_Sym symbol;
		memcpy(&bytes, records.at + at + 2, sizeof bytes);
		at += 4;
		if (format != INFO_VALUES)
			continue; /* the two bytes were its value */
		if ((attribute == INFO_REGISTERS || attribute == INFO_STACK) &&
			fetch(records, at, values, sizeof values) &&
			fetch(table, (uint64_t)values[0] * sizeof symbol, &symbol, sizeof symbol)) {
			const char *name = string_at(names, symbol.st_name);
			struct kernel_resources *kernel = name[0] != '\0' ? kernel_of(out, name) : NULL;
			if (kernel != NULL && attribute == INFO_REGISTERS)
				kernel->registers = (int)(values[1] & 0xffff);
			else if (kernel != NULL)
				kernel->stack_bytes = values[1];
		}
		at += bytes;
	}
}

/* All of a fat binary at the start of the bytes; how many it has, or 0. */
static size_t take_fatbin(struct span bytes, struct resources *out)
{
	uint32_t magic, header;
	uint16_t kind, size_of_header;
	uint64_t rest, payload;
	if (!fetch(bytes, 0, &magic, sizeof magic) || magic != FATBIN_MAGIC ||
		!fetch(bytes, 6, &size_of_header, sizeof size_of_header) ||
		!fetch(bytes, 8, &rest, sizeof rest) || size_of_header < FATBIN_HEADER ||
		part(bytes, size_of_header, rest).at == NULL)
		return 0;
	const uint64_t end = size_of_header + rest;
	for (uint64_t at = size_of_header; end - at >= ENTRY_HEADER;) {
		struct elf elf;
		if (!fetch(bytes, at, &kind, sizeof kind) ||
			!fetch(bytes, at + 4, &header, sizeof header) ||
			!fetch(bytes, at + 8, &payload, sizeof payload) || header < ENTRY_HEADER ||
			header > end - at || payload > end - at - header)
			break;
		if (kind == KIND_ELF && elf_open(part(bytes, at + header, payload), &elf)) {
			take_sections(&elf, out);
			take_info(&elf, out);
		}
		at += header + payload;
	}
	return (size_t)end;
}

bool resources_parse(const void *bytes, size_t size, struct resources *out, struct error *err)
{
	struct elf elf;
	Elf64_Shdr section;
	*out = (struct resources){0};
	if (!elf_open((struct span){bytes, size}, &elf))
		return error_set(err, "is no library");
	if (!section_named(&elf, ".nv_fatbin", &section))
		return error_set(err, "has no kernels");
	struct span left = section_bytes(&elf, &section);
	while (left.size >= FATBIN_HEADER) {
		size_t taken = take_fatbin(left, out);
		left = part(left, taken > 0 ? taken : 8, left.size - (taken > 0 ? taken : 8));
	}
	return out->count > 0 || error_set(err, "has no machine code that could be read");
}

bool resources_read(const char *library, struct resources *out, struct error *err)
{
	struct stat facts;
	bool ok = false;
	*out = (struct resources){0};
	int fd = open(library, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &facts) != 0 || facts.st_size <= 0) {
		error_set(err, "%s: cannot be read", library);
	} else {
		void *bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes == MAP_FAILED) {
			error_set(err, "%s: cannot be read", library);
		} else {
			ok = resources_parse(bytes, (size_t)facts.st_size, out, err) ||
				 error_prefix(err, "%s", library);
			munmap(bytes, (size_t)facts.st_size);
		}
	}
	if (fd >= 0)
		close(fd);
	return ok;
}

void resources_free(struct resources *resources)
{
	for (size_t i = 0; i < resources->count; i++)
		free(resources->kernels[i].name);
	free(resources->kernels);
	*resources = (struct resources){0};
}

const struct kernel_resources *resources_find(const struct resources *resources, const char *name)
{
	for (size_t i = 0; i < resources->count; i++)
		if (strcmp(resources->kernels[i].name, name) == 0)
			return &resources->kernels[i];
	return NULL;
}
