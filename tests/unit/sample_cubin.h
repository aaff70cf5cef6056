/* A cubin of one kernel, with a line table and a table of jumps. */
#ifndef CULITMUS_SAMPLE_CUBIN_H
#define CULITMUS_SAMPLE_CUBIN_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "check/cubin.h"

/* A file with a section of each kind that is looked at. */
struct sample_cubin {
    Elf64_Ehdr header;
    Elf64_Shdr section[7];
    char names[80];
    unsigned char code[6 * SASS_BYTES];
    unsigned char lines[64];
    uint32_t table[2];
    unsigned char info[2][20];
};

static const char sample_names[] = "\0.text.f\0.debug_line\0.shstrtab\0.nv.constant2.f\0.nv.info\0.nv.info.f";

/* Special opcodes of this table: 10 + (change of line + 3) + 12 * (change of address). */
static const char sample_lines[] =
    "\x3a\0\0\0"               /* bytes that follow */
    "\2\0"                     /* DWARF 2 */
    "\x12\0\0\0"               /* bytes of the header */
    "\1\1\xfd\x0c\x0a"         /* instructions, statements, line base -3, 12 lines, first opcode */
    "\0\1\1\1\1\0\0\0\1"       /* operands of the standard opcodes */
    "\0\0\0\0"                 /* folders and files */
    "\0\x09\2\0\0\0\0\0\0\0\0" /* address 0 */
    "\3\xe4\0\1"               /* line + 100: a row */
    "\xce"                     /* address + 16, line + 1: a row */
    "\0\2\x90\7"               /* an extension */
    "\2\x20\3\x7e\1"           /* address + 32, line - 2: a row */
    "\4\2\x09\x10\0\1"         /* file 2, address + 16: a row */
    "\0\1\1";                  /* the end */
enum { SAMPLE_LINES = sizeof sample_lines - 1 };

static inline struct sample_cubin sample_cubin(void) {
    struct sample_cubin f = {
        .header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                   .e_shoff = offsetof(struct sample_cubin, section),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = 7,
                   .e_shstrndx = 3},
        .section =
            {{0},
             {.sh_name = 1, .sh_offset = offsetof(struct sample_cubin, code), .sh_size = sizeof f.code},
             {.sh_name = 9, .sh_offset = offsetof(struct sample_cubin, lines), .sh_size = SAMPLE_LINES},
             {.sh_name = 21,
              .sh_offset = offsetof(struct sample_cubin, names),
              .sh_size = sizeof sample_names},
             {.sh_name = 31, .sh_offset = offsetof(struct sample_cubin, table), .sh_size = sizeof f.table},
             {.sh_name = 47, .sh_offset = offsetof(struct sample_cubin, info), .sh_size = sizeof *f.info},
             {.sh_name = 56, .sh_offset = offsetof(struct sample_cubin, info[1]), .sh_size = sizeof *f.info}},
        .table = {0x40, 0x3ff00000},
        /* A number of two bytes; then an attribute of 8 bytes: a symbol and its 56 registers. */
        .info = {"\3\x2f\x63\0\4\x2f\x08\0\7\0\0\0\x38\0\0", "\4\x2f\x08\0\7\0\0\0\x63\0\0"}};
    memcpy(f.names, sample_names, sizeof sample_names);
    memcpy(f.lines, sample_lines, SAMPLE_LINES);
    return f;
}

#endif
