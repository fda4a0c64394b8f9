// The table of functions of the program itself (its GOT), for tricks that patch it.
#ifndef GOT_CUH
#define GOT_CUH

#include <cstring>
#include <link.h>
#include <sys/mman.h>

struct got_change {
	const char *name;
	void *with;
	bool done;
};

static inline void got_entries(struct dl_phdr_info *info, const ElfW(Rela) * entries, size_t bytes,
							   const ElfW(Sym) * symbols, const char *names,
							   struct got_change *change)
{
	for (size_t i = 0; entries != nullptr && i < bytes / sizeof *entries; i++) {
		const char *name = names + symbols[ELF64_R_SYM(entries[i].r_info)].st_name;
		void **entry = (void **)(info->dlpi_addr + entries[i].r_offset);
		if (ELF64_R_SYM(entries[i].r_info) == 0 || strcmp(name, change->name) != 0)
			continue;
		mprotect((void *)((size_t)entry & ~4095ul), 8192, PROT_READ | PROT_WRITE);
		*entry = change->with;
		change->done = true;
	}
}

// Of the first object, which is the program.
static inline int got_program(struct dl_phdr_info *info, size_t, void *context)
{
	const ElfW(Rela) *plain = nullptr, *lazy = nullptr;
	const ElfW(Sym) *symbols = nullptr;
	const char *names = nullptr;
	size_t plain_bytes = 0, lazy_bytes = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		for (auto *d = (ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); d->d_tag; d++) {
			switch (d->d_tag) {
			case DT_RELA: plain = (ElfW(Rela) *)d->d_un.d_ptr; break;
			case DT_RELASZ: plain_bytes = d->d_un.d_val; break;
			case DT_JMPREL: lazy = (ElfW(Rela) *)d->d_un.d_ptr; break;
			case DT_PLTRELSZ: lazy_bytes = d->d_un.d_val; break;
			case DT_SYMTAB: symbols = (ElfW(Sym) *)d->d_un.d_ptr; break;
			case DT_STRTAB: names = (const char *)d->d_un.d_ptr; break;
			}
		}
	}
	got_entries(info, plain, plain_bytes, symbols, names, (struct got_change *)context);
	got_entries(info, lazy, lazy_bytes, symbols, names, (struct got_change *)context);
	return 1;
}

// Whether the program had an entry for that function.
static inline bool got_patch(const char *name, void *with)
{
	struct got_change change = {name, with, false};
	dl_iterate_phdr(got_program, &change);
	return change.done;
}

#endif
