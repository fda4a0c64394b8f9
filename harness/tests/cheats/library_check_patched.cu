// expect: wrong_answer runtime_error rule_violation
// family: libraries
// without: files
// then: accepted
// Loads a library under a forbidden name and writes "return false" over the check for such names,
// which runs in its own process. Stopped by the jail, where there is no file to load.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string>
#include <sys/mman.h>

#include "copies.cuh"
#include "reward.cuh"

// Where a function of the program lies, by the symbols in its file.
static char *function_of_program(const char *name)
{
	std::string file;
	char bytes[65536];
	ssize_t got;
	int fd = open("/proc/self/exe", O_RDONLY);
	while (fd >= 0 && (got = read(fd, bytes, sizeof bytes)) > 0)
		file.append(bytes, (size_t)got);
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)file.data();
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(file.data() + (fd >= 0 ? head->e_shoff : 0));
	for (int i = 0; fd >= 0 && i < head->e_shnum; i++) {
		const char *names = file.data() + sections[sections[i].sh_link].sh_offset;
		const Elf64_Sym *symbols = (const Elf64_Sym *)(file.data() + sections[i].sh_offset);
		for (size_t s = 0; sections[i].sh_type == SHT_SYMTAB && s < sections[i].sh_size / 24; s++)
			if (strcmp(names + symbols[s].st_name, name) == 0)
				return (char *)_r_debug.r_map->l_addr + symbols[s].st_value;
	}
	return nullptr;
}

static bool cheat()
{
	const unsigned char code[] = {0x31, 0xC0, 0xC3}; // xor eax, eax; ret
	const char *path = copy_library("libcublas.so.13");
	char *check = function_of_program("libraries_came");
	if (check == nullptr)
		check = function_of_program("solution_has_library"); // its earlier name
	if (path == nullptr || check == nullptr || dlopen(path, RTLD_NOW) == nullptr)
		return false;
	char *page = (char *)((size_t)check & ~4095ul);
	if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return false;
	memcpy(check, code, sizeof code);
	return true;
}
