#include "cuda/cuda_identity.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

const char *identity_uuid(const unsigned char uuid[16], char *out) {
    int n = snprintf(out, IDENTITY_TEXT, "GPU");
    for (int k = 0; k < 16; k++)
        n += snprintf(out + n, (size_t)(IDENTITY_TEXT - n), "%s%02x",
                      k == 0 || k == 4 || k == 6 || k == 8 || k == 10 ? "-" : "", uuid[k]);
    return out;
}

/* Reads the value of a line that begins with `key`, such as "Video BIOS: \t 96.00". */
static bool read_value(const char *line, const char *key, char *out) {
    size_t n = strlen(key);
    if (strncmp(line, key, n) != 0 || line[n] != ':') return false;
    line += n + 1;
    line += strspn(line, " \t");
    snprintf(out, IDENTITY_TEXT, "%.*s", (int)strcspn(line, " \t\r\n"), line);
    return *out != '\0';
}

/* Reads the BIOS from the file if the file is of this GPU. */
static bool read_vbios(const char *path, const char *uuid, char *out) {
    char line[256], text[IDENTITY_TEXT];
    bool mine = false, found = false;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (read_value(line, "GPU UUID", text)) mine = strcmp(text, uuid) == 0;
        found = read_value(line, "Video BIOS", out) || found;
    }
    if (f) fclose(f);
    return mine && found && !strchr(out, '?'); /* "??.??" stands for one that could not be read */
}

bool identity_vbios(const char *folder, const char *uuid, char *out) {
    char path[512];
    bool found = false;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && !found && (e = readdir(d)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s/information", folder, e->d_name);
        found = read_vbios(path, uuid, out);
    }
    if (d) closedir(d);
    return found;
}

/* Takes the first word that is a version from "NVRM version: NVIDIA UNIX x86_64 Kernel Module 570.86.15
 * ...". */
bool identity_driver(const char *file, char *out) {
    char line[256] = "", *save = NULL;
    FILE *f = fopen(file, "r");
    bool read = f && fgets(line, sizeof line, f);
    if (f) fclose(f);
    for (char *word = read ? strtok_r(line, " \t\n", &save) : NULL; word;
         word = strtok_r(NULL, " \t\n", &save)) {
        if (word[strspn(word, "0123456789.")] || !strchr(word, '.')) continue;
        snprintf(out, IDENTITY_TEXT, "%s", word);
        return true;
    }
    return false;
}
