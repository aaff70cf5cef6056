#include "cli/choose.h"

static void put_device(const struct backend *b, int index) {
    struct device *dev;
    struct diag d = {0};
    printf("%s %d: ", b->name, index);
    if (b->open(index, &dev, &d) != OPENING_DONE) {
        printf("cannot be used: %s\n", diag_first_error(&d));
        diag_free(&d);
        return;
    }
    printf("%s\n", dev->description);
    for (const char *const *p = dev->properties; p && *p; p += 2)
        printf("    %s: %s\n", p[0], p[1]);
    b->close(dev);
    diag_free(&d);
}

static void put_devices(const struct backend *b, struct arena *a) {
    const char *why = NULL;
    int n = b->count(a, &why);
    if (n == 0) printf("%s: none: %s\n", b->name, why);
    for (int k = 0; k < n; k++)
        put_device(b, k);
}

int command_devices(const struct options *o) {
    (void)o;
    struct arena *a = arena_open();
    for (const struct backend *const *b = backends; *b; b++)
        put_devices(*b, a);
    arena_close(a);
    return EXIT_FINE;
}
