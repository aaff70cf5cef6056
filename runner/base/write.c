#include "base/write.h"

#include <errno.h>
#include <unistd.h>

bool write_all(int fd, const void *data, size_t size) {
    for (const char *p = data; size > 0;) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}
