#include "check/sass.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/path.h"
#include "base/temporary.h"
#include "base/text.h"
#include "base/write.h"

/* ---- running nvdisasm ---- */

char *sass_find_tool(struct arena *a, const char *name) {
    const char *const homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    char *found = path_find(a, name);
    for (int k = 0; k < 3 && !found; k++)
        if (homes[k]) found = path_find(a, arena_printf(a, "%s/bin/%s", homes[k], name));
    return found;
}

static char disassembler[4096]; /* found once; "": there is none */

static void find_disassembler(void) {
    struct arena *a = arena_open();
    const char *found = sass_find_tool(a, "nvdisasm");
    if (found && strlen(found) < sizeof disassembler) strcpy(disassembler, found);
    arena_close(a);
}

const char *sass_disassembler(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_disassembler);
    return *disassembler ? disassembler : NULL;
}

enum { DISASSEMBLE_SECONDS = 60 }; /* it takes less than one */

/* Runs nvdisasm on a file. Its name for "sm_90a" is SM90a. Returns false when it failed or printed
 * nothing. */
static bool run(const char *arch, const char *file, const atomic_int *stop, struct text *listing) {
    char target[16], part[4096];
    snprintf(target, sizeof target, "SM%s", arch + strcspn(arch, "0123456789"));
    char *argv[] = {disassembler, (char[]){"-b"}, target, (char[]){"-ndf"}, (char *)file, NULL};
    int out = memfd_create("listing", MFD_CLOEXEC), none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool ok = out >= 0 && none >= 0 &&
              helper_run(&(struct helper){
                  .argv = argv, .out = out, .err = none, .seconds = DISASSEMBLE_SECONDS, .stop = stop}) == 0;
    for (ssize_t got; ok && (got = pread(out, part, sizeof part, (off_t)listing->len)) > 0;)
        text_add_n(listing, part, (size_t)got);
    if (out >= 0) close(out);
    if (none >= 0) close(none);
    return ok && listing->len > 0;
}

/* Has the code of all kernels disassembled, one after another. */
static bool disassemble(const char *arch, const struct cubin_code *codes, int n, const atomic_int *stop,
                        struct text *listing) {
    struct temporary file;
    bool ok = sass_disassembler() && temporary_file(&file), made = ok;
    for (int k = 0; k < n && ok; k++) {
        size_t size = (size_t)codes[k].n * SASS_BYTES;
        ok = write_all(file.fd, codes[k].bytes, size);
    }
    ok = ok && run(arch, file.path, stop, listing);
    if (made) temporary_remove(&file);
    return ok;
}

/* ---- reading its output ---- */

bool sass_is_one_of(const char *kinds, const char *name) {
    size_t len = strcspn(name, ".");
    for (const char *s = kinds; s && *s; s += strcspn(s, " "), s += strspn(s, " "))
        if (strcspn(s, " ") == len && strncmp(name, s, len) == 0) return true;
    return false;
}

/* Returns the index of the instruction that the operands name as the target of a jump, a call or a BSSY: "@P0
 * BRA 0x190", "BSSY B0, 0x1a0"; -1: none. */
static int find_target(const struct sass_kernel *kernel, unsigned long begin,
                       const struct sass_instruction *code) {
    const char *target = NULL;
    for (const char *s = code->operands; (s = strstr(s, "0x")); s += 2)
        target = s;
    unsigned long i = target ? (strtoul(target, NULL, 16) - begin) / SASS_BYTES : (unsigned long)kernel->n;
    return i < (unsigned long)kernel->n ? (int)i : -1;
}

/* Whether a jump is conditional: "@P0 BRA 0x190", "BRA.DIV UR4, 0x190", "BRA !P1, 0x190". */
static bool is_conditional(const struct sass_instruction *code) {
    return *code->guard || strncmp(code->operands, "0x", 2) != 0 || strchr(code->name, '.');
}

static void land(struct sass_instruction *code, const char *by) {
    code->lands = !code->lands || strcmp(code->lands, by) == 0 ? by : "*";
}

/* Finds where control may go from an instruction. Lanes that wait at a BSYNC go on at the target of its BSSY,
 * which usually is right behind the BSYNC. If it is elsewhere, the target is not known exactly (`strays`),
 * and neither is that of a RET. */
static void find_ways(struct arena *a, struct sass_kernel *kernel, unsigned long begin,
                      struct sass_instruction *code) {
    int target = find_target(kernel, begin, code);
    code->jumps = code->calls = -1;
    bool waits = sass_is_one_of("BSYNC", code->name);
    bool ends = sass_is_one_of("EXIT RET BRX BRXU JMX JMXU KILL BPT", code->name);
    if (sass_is_one_of("BRA JMP", code->name)) {
        code->jumps = target;
        code->goes_on = is_conditional(code);
        return;
    }
    code->by_table = sass_is_one_of("BRX BRXU JMX JMXU", code->name);
    if (sass_is_one_of("CALL", code->name)) {
        code->calls = target;
        if (code + 1 < kernel->code + kernel->n) land(code + 1, "");
    }
    if (sass_is_one_of("RET", code->name)) code->strays = "";
    if (waits) code->strays = code->operands;
    if (sass_is_one_of("BSSY", code->name) && target > 0) {
        land(&kernel->code[target], arena_strndup(a, code->operands, strcspn(code->operands, ",")));
        kernel->code[target - 1].goes_on = true;
    }
    if (!waits) code->goes_on = *code->guard || !ends;
}

/* Reads an instruction, from behind the comment with its address: "@!P0 LDG.E R2, [R4.64] ;" */
static void read_instruction(struct arena *a, struct sass_kernel *kernel, unsigned long begin, int i,
                             const char *s) {
    struct sass_instruction *code = &kernel->code[i];
    s += strspn(s, " \t");
    size_t guard = *s == '@' ? strcspn(s, " \t") : 0;
    code->guard = arena_strndup(a, s, guard);
    s += guard;
    s += strspn(s, " \t");
    size_t len = strcspn(s, " \t;");
    code->name = arena_strndup(a, s, len);
    s += len;
    s += strspn(s, " \t");
    for (len = strcspn(s, ";\n"); len > 0 && s[len - 1] == ' ';)
        len--;
    code->operands = arena_strndup(a, s, len);
    find_ways(a, kernel, begin, code);
}

/* Returns the bit of the scoreboard in a three-bit field; 7 is none, and gives 0. */
static unsigned scoreboard(uint64_t field) {
    return (field & 7) < 6 ? 1u << (field & 7) : 0;
}

/* Reads the scoreboards of an instruction from its bits 110 to 121. A DEPBAR waits for more, which its
 * operands name: "SB2, 0x0" waits until nothing uses SB2, "{4,3}" for both. */
static void read_control(struct sass_instruction *code, const unsigned char *bytes) {
    uint64_t high = 0;
    for (int k = 0; k < 8; k++)
        high |= (uint64_t)bytes[8 + k] << 8 * k;
    code->waits = high >> 52 & SASS_ALL;
    code->results = scoreboard(high >> 46);
    code->reads = scoreboard(high >> 49);
    if (strncmp(code->name, "DEPBAR", 6) != 0) return;
    const char *list = strchr(code->operands, '{'), *one = code->operands;
    for (; list && *list && *list != '}'; list++)
        if (*list >= '0' && *list <= '5') code->waits |= 1u << (*list - '0');
    if (strncmp(one, "SB", 2) == 0 && one[2] >= '0' && one[2] <= '5' && strncmp(one + 3, ", 0x0", 5) == 0)
        code->waits |= 1u << (one[2] - '0');
}

bool sass_parse(struct arena *a, const char *listing, const struct cubin_code *codes, int n,
                struct sass_kernel *kernels) {
    unsigned long begin = 0; /* of kernel k, of which instruction i comes next */
    int k = 0, i = 0;
    for (const char *s = listing; *s && k < n; s += strcspn(s, "\n"), s += *s == '\n') {
        char *rest;
        s += strspn(s, " \t");
        if (strncmp(s, "/*", 2) != 0) continue;
        unsigned long address = strtoul(s + 2, &rest, 16);
        if (address != begin + (unsigned long)i * SASS_BYTES) return false;
        if (i == 0) {
            kernels[k].n = codes[k].n;
            kernels[k].code = arena_array(a, (size_t)codes[k].n, sizeof *kernels[k].code);
        }
        kernels[k].code[i].address = arena_printf(a, "%04lx", address - begin);
        kernels[k].code[i].line = codes[k].line[i];
        kernels[k].code[i].in_table = codes[k].in_table[i];
        read_instruction(a, &kernels[k], begin, i, rest + strspn(rest, "*/"));
        if (codes[k].bytes)
            read_control(&kernels[k].code[i], (const unsigned char *)codes[k].bytes + (size_t)i * SASS_BYTES);
        if (++i < codes[k].n) continue;
        begin = address + SASS_BYTES;
        i = 0;
        k++;
    }
    return k == n;
}

bool sass_read(struct arena *a, const char *arch, const struct cubin_code *codes, int n,
               const atomic_int *stop, struct sass_kernel *kernels) {
    struct text listing = {0};
    bool fine = disassemble(arch, codes, n, stop, &listing) && sass_parse(a, listing.s, codes, n, kernels);
    text_free(&listing);
    return fine;
}
