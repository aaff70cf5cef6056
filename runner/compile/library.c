#include "compile/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a file is shorter than its ELF head says, as after half a download. */
static bool is_cut_off(int file) {
    Elf64_Ehdr head;
    Elf64_Phdr part;
    struct stat is;
    if (fstat(file, &is) || pread(file, &head, sizeof head, 0) != sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
        return false; /* the loader will say what is wrong with it */
    for (int k = 0; k < head.e_phnum; k++) {
        off_t at = (off_t)(head.e_phoff + (Elf64_Off)k * sizeof part);
        if (pread(file, &part, sizeof part, at) != sizeof part) return true;
        if (part.p_type != PT_LOAD) continue;
        if (part.p_filesz > (Elf64_Xword)is.st_size ||
            part.p_offset > (Elf64_Xword)is.st_size - part.p_filesz)
            return true;
    }
    return false;
}

/* The loader would map a truncated file, and the process would die of SIGBUS at the first missing page. So
 * that is checked first. */
void *library_open(const char *path, const char **why) {
    int file = strchr(path, '/') ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool cut = file >= 0 && is_cut_off(file);
    if (file >= 0) close(file);
    void *library = cut ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *why = library ? NULL : cut ? "the file is cut off" : dlerror();
    return library;
}

bool library_resolve(void *library, const struct library_symbol *symbols, size_t n, const char *what,
                     struct diag *d) {
    for (size_t i = 0; i < n; i++) {
        *symbols[i].to = dlsym(library, symbols[i].name);
        if (*symbols[i].to) continue;
        diag_fail(d, "%s has no function %s: it is too old", what, symbols[i].name);
        return false;
    }
    return true;
}
