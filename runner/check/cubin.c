#include "check/cubin.h"

#include <elf.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

/* ---- bytes with a bound: what is read beyond it is 0 ---- */

struct bytes {
    const unsigned char *at, *end;
};

static struct bytes part_of(const void *data, size_t size, uint64_t offset, uint64_t n) {
    const unsigned char *begin = data;
    if (offset > size || n > size - offset) return (struct bytes){begin, begin};
    return (struct bytes){begin + offset, begin + offset + n};
}

static struct bytes take_bytes(struct bytes *b, uint64_t n) {
    size_t left = (size_t)(b->end - b->at);
    struct bytes taken = {b->at, b->at + (n < left ? n : left)};
    b->at = taken.end;
    return taken;
}

static uint64_t take(struct bytes *b, int n) {
    uint64_t value = 0;
    for (int k = 0; k < n && b->at < b->end; k++)
        value |= (uint64_t)*b->at++ << 8 * k;
    return value;
}

/* Reads a LEB128 number of DWARF, 7 bits in a byte; a negative one is returned as two's complement. */
static uint64_t take_leb(struct bytes *b, bool is_signed) {
    uint64_t value = 0;
    unsigned shift = 0, byte = 0x80;
    for (; (byte & 0x80) && b->at < b->end && shift < 63; shift += 7) {
        byte = *b->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
    }
    if (is_signed && (byte & 0x40)) value |= ~(uint64_t)0 << shift;
    return value;
}

/* ---- sections ---- */

static bool read_header(const void *cubin, size_t size, Elf64_Ehdr *h) {
    if (size < sizeof *h) return false;
    memcpy(h, cubin, sizeof *h);
    return memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 && h->e_ident[EI_CLASS] == ELFCLASS64 &&
           h->e_ident[EI_DATA] == ELFDATA2LSB && h->e_shentsize == sizeof(Elf64_Shdr);
}

static Elf64_Shdr section_at(const void *cubin, size_t size, const Elf64_Ehdr *h, unsigned k) {
    Elf64_Shdr s = {0};
    struct bytes b = part_of(cubin, size, h->e_shoff + k * sizeof s, sizeof s);
    if (b.at < b.end) memcpy(&s, b.at, sizeof s);
    return s;
}

/* Returns section k if its name begins with `begin`, and the rest of its name as *name; else *name is
 * empty. */
static struct bytes section_of(const void *cubin, size_t size, const Elf64_Ehdr *h, unsigned k,
                               const char *begin, size_t length, struct bytes *name) {
    Elf64_Shdr s = section_at(cubin, size, h, k), names = section_at(cubin, size, h, h->e_shstrndx);
    *name = part_of(cubin, size, names.sh_offset + s.sh_name, length);
    if (name->at < name->end && memcmp(name->at, begin, length) == 0)
        return part_of(cubin, size, s.sh_offset, s.sh_size);
    name->end = name->at;
    return *name;
}

/* Returns the only section whose name begins with `begin`; empty when there is none, or more than one. */
static struct bytes find_bytes(const void *cubin, size_t size, const Elf64_Ehdr *h, const char *begin,
                               size_t length) {
    const struct bytes none = part_of(cubin, size, 0, 0);
    struct bytes found = none;
    for (unsigned k = 0, n = 0; k < h->e_shnum; k++) {
        struct bytes name, section = section_of(cubin, size, h, k, begin, length, &name);
        if (name.at < name.end) found = n++ ? none : section;
    }
    return found;
}

static struct bytes find_section(const void *cubin, size_t size, const Elf64_Ehdr *h, const char *begin) {
    return find_bytes(cubin, size, h, begin, strlen(begin));
}

/* ---- the line table ---- */

/* The opcodes of a line program. An extended one follows EXTENDED and its length. */
enum {
    EXTENDED,
    COPY,
    ADVANCE_PC,
    ADVANCE_LINE,
    SET_FILE,
    CONST_ADD_PC = 8,
    FIXED_ADVANCE_PC,
};
enum { END_SEQUENCE = 1, SET_ADDRESS };

/* marks an instruction without a row of its own: it has the line of the instruction before */
enum { NO_ROW = -1 };

/* The state machine of DWARF's line programs (DWARF 4, section 6.2). */
struct line_program {
    struct bytes code;
    unsigned min_length, line_range, opcode_base;
    int line_base;
    unsigned char operands[256]; /* how many operands each standard opcode has */
    uint64_t address, line, file;
};

static bool read_program(struct bytes *section, struct line_program *p) {
    struct bytes unit = take_bytes(section, take(section, 4));
    uint64_t version = take(&unit, 2), header = take(&unit, 4);
    struct bytes h = take_bytes(&unit, header);
    *p = (struct line_program){.code = unit, .line = 1, .file = 1};
    p->min_length = (unsigned)take(&h, 1);
    if (version >= 4) take(&h, 1);
    take(&h, 1);
    p->line_base = (signed char)take(&h, 1);
    p->line_range = (unsigned)take(&h, 1);
    p->opcode_base = (unsigned)take(&h, 1);
    for (unsigned k = 1; k < p->opcode_base; k++)
        p->operands[k] = (unsigned char)take(&h, 1);
    return version >= 2 && version <= 4 && p->line_range > 0;
}

/* Adds a row of the table: the code from this address on belongs to this line. Lines of other files are
 * ignored. */
static void put_row(const struct line_program *p, struct cubin_code *out) {
    uint64_t i = p->address / SASS_BYTES;
    if (i < (uint64_t)out->n) out->line[i] = p->file == 1 && p->line <= INT_MAX ? (int)p->line : 0;
}

static void do_extended(struct line_program *p) {
    struct bytes b = take_bytes(&p->code, take_leb(&p->code, false));
    uint64_t opcode = take(&b, 1);
    if (opcode == SET_ADDRESS) p->address = take(&b, 8);
    if (opcode != END_SEQUENCE) return;
    p->address = 0;
    p->line = p->file = 1;
}

static void do_special(struct line_program *p, unsigned opcode, struct cubin_code *out) {
    unsigned adjusted = opcode - p->opcode_base;
    p->address += adjusted / p->line_range * p->min_length;
    p->line += (uint64_t)(p->line_base + (int)(adjusted % p->line_range));
    put_row(p, out);
}

static void do_standard(struct line_program *p, unsigned opcode, struct cubin_code *out) {
    switch (opcode) {
    case EXTENDED: do_extended(p); break;
    case COPY: put_row(p, out); break;
    case ADVANCE_PC: p->address += take_leb(&p->code, false) * p->min_length; break;
    case ADVANCE_LINE: p->line += take_leb(&p->code, true); break;
    case SET_FILE: p->file = take_leb(&p->code, false); break;
    case CONST_ADD_PC: p->address += (255 - p->opcode_base) / p->line_range * p->min_length; break;
    case FIXED_ADVANCE_PC: p->address += take(&p->code, 2); break;
    default:
        for (int k = 0; k < p->operands[opcode]; k++)
            take_leb(&p->code, false);
    }
}

static bool read_lines(struct bytes section, struct cubin_code *out) {
    struct line_program p;
    for (int i = 0; i < out->n; i++)
        out->line[i] = i ? NO_ROW : 0;
    while (section.at < section.end) {
        if (!read_program(&section, &p)) return false;
        while (p.code.at < p.code.end) {
            unsigned opcode = (unsigned)take(&p.code, 1);
            if (opcode >= p.opcode_base)
                do_special(&p, opcode, out);
            else
                do_standard(&p, opcode, out);
        }
    }
    for (int i = 1; i < out->n; i++)
        if (out->line[i] == NO_ROW) out->line[i] = out->line[i - 1];
    return true;
}

/* Marks the instructions that jump tables name. A section may also hold other constants of ptxas. */
static void read_tables(struct bytes section, struct cubin_code *out) {
    while (section.at < section.end) {
        uint64_t i = take(&section, 4) / SASS_BYTES;
        if (i < (uint64_t)out->n) out->in_table[i] = true;
    }
}

/* Returns the instructions of a section, without lines and jump tables. */
static struct cubin_code code_of(struct arena *a, struct bytes section) {
    size_t n = (size_t)(section.end - section.at) / SASS_BYTES;
    return (struct cubin_code){section.at, (int)n, arena_array(a, n, sizeof(int)),
                               arena_array(a, n, sizeof(bool))};
}

bool cubin_read(struct arena *a, const void *cubin, size_t size, struct cubin_code *out) {
    Elf64_Ehdr h;
    if (!read_header(cubin, size, &h)) return false;
    *out = code_of(a, find_section(cubin, size, &h, ".text."));
    read_tables(find_section(cubin, size, &h, ".nv.constant2."), out);
    return out->n > 0 && read_lines(find_section(cubin, size, &h, ".debug_line"), out);
}

int cubin_kernels(struct arena *a, const void *cubin, size_t size, struct cubin_kernel **out) {
    enum { MAX_NAME = 256 };
    Elf64_Ehdr h;
    int n = 0;
    *out = NULL;
    if (!read_header(cubin, size, &h)) return 0;
    *out = arena_array(a, (size_t)h.e_shnum + 1, sizeof **out);
    for (unsigned k = 0; k < h.e_shnum; k++) {
        struct bytes name, section = section_of(cubin, size, &h, k, ".text.", strlen(".text."), &name);
        if (name.at == name.end) continue;
        size_t left = size - (size_t)(name.end - (const unsigned char *)cubin);
        (*out)[n].name = arena_strndup(a, (const char *)name.end,
                                       strnlen((const char *)name.end, left < MAX_NAME ? left : MAX_NAME));
        (*out)[n].code = code_of(a, section);
        n += (*out)[n].code.n > 0;
    }
    return n;
}

bool cubin_same_code(const void *x, size_t x_size, const void *y, size_t y_size) {
    struct arena *a = arena_open();
    struct cubin_code first, second;
    bool same = cubin_read(a, x, x_size, &first) && cubin_read(a, y, y_size, &second) &&
                first.n == second.n && memcmp(first.bytes, second.bytes, (size_t)first.n * SASS_BYTES) == 0;
    arena_close(a);
    return same;
}

/* Searches .nv.info, whose entries are a form, an attribute and a number; for some forms the number is the
 * length of the bytes behind it. One attribute is a symbol and its number of registers. */
int cubin_registers(const void *cubin, size_t size) {
    enum { SIZED = 4, REGISTERS = 0x2f };
    /* compared with its end, since each kernel has a ".nv.info.NAME" of its own, too */
    static const char info_name[] = ".nv.info";
    Elf64_Ehdr h;
    uint64_t most = 0;
    if (!read_header(cubin, size, &h)) return 0;
    struct bytes info = find_bytes(cubin, size, &h, info_name, sizeof info_name);
    while (info.at < info.end) {
        unsigned form = (unsigned)take(&info, 1), attribute = (unsigned)take(&info, 1);
        uint64_t n = take(&info, 2);
        struct bytes value = form == SIZED ? take_bytes(&info, n) : (struct bytes){info.at, info.at};
        if (form != SIZED || attribute != REGISTERS) continue;
        take(&value, 4);
        uint64_t registers = take(&value, 4);
        if (registers > most) most = registers;
    }
    return most <= 255 ? (int)most : 0;
}
