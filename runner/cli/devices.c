#include "cli/cli.h"
#include "run/backend.h"

static void put_device(const struct backend *b, int index) {
    struct device *dev;
    struct diag d = {0};
    printf("%s %d: ", b->name, index);
    if (!b->open(index, &dev, &d)) {
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

int command_devices(const struct options *o) {
    (void)o;
    struct arena *a = arena_open();
    const char *why = NULL;
    int n = cuda_device_count(a, &why);
    if (n == 0) printf("cuda: none: %s\n", why);
    for (int k = 0; k < n; k++)
        put_device(&backend_cuda, k);
    put_device(&backend_cpu, 0);
    arena_close(a);
    return EXIT_FINE;
}
