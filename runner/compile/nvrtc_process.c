/* The processes in which NVRTC compiles. Each serves one thread at a time, and then waits to serve another
 * one. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "compile/nvrtc_call.h"
#include "compile/process.h"
#include "compile/ptxas.h"
#include "compile/wire.h"

static const struct process_kind kind = {"compiler-process", "nvrtc", .ends_with_thread = false};

enum { GRACE = 5 /* seconds to end */, MAX_FOLDERS = 1000 };
static const struct timeval patience = {.tv_sec =
                                            NVRTC_SECONDS}; /* from a message's first byte to its last */

/* ---- the other process ---- */

/* Ends this process when the first process is gone, whatever NVRTC is doing. */
static void *watch(void *arg) {
    struct pollfd p = {.fd = *(int *)arg, .events = POLLRDHUP};
    while (poll(&p, 1, -1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

/* Which input becomes which output. */
enum nvrtc_work { WORK_PTX, WORK_CUBIN, WORK_ASSEMBLE };

static bool do_work(const struct nvrtc_source *s, enum nvrtc_work work, struct text *ptx, void **cubin,
                    size_t *size, struct diag *d) {
    if (work == WORK_ASSEMBLE) return nvrtc_call_assembler(s, cubin, size, d);
    return nvrtc_call(s, ptx, work == WORK_CUBIN ? cubin : NULL, size, d);
}

/* A request: text, name, library or "", architecture, C++, lines?, folders of headers, what to make. The
 * answer: fine?, messages; if fine: PTX, the cubin's size and the cubin. */
static void serve_source(struct wire *w) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct text ptx = {0};
    struct nvrtc_source s = {.text = wire_get_text(w, a), .name = wire_get_text(w, a)};
    const char *library = wire_get_text(w, a);
    void *cubin = NULL;
    size_t size = 0;
    s.library = library && *library ? library : NULL;
    s.arch = wire_get_text(w, a);
    s.std = wire_get_text(w, a);
    s.lines = wire_get_int(w) != 0;
    s.nfolders = (int)wire_get_int(w);
    if (s.nfolders < 0 || s.nfolders > MAX_FOLDERS) w->bad = true;
    const char **folders = w->bad ? NULL : arena_array(a, (size_t)s.nfolders + 1, sizeof *folders);
    for (int k = 0; folders && k < s.nfolders; k++)
        folders[k] = wire_get_text(w, a);
    s.folders = s.nfolders ? folders : NULL;
    enum nvrtc_work work = (enum nvrtc_work)wire_get_int(w);
    bool fine = !w->bad && do_work(&s, work, &ptx, &cubin, &size, &d);
    wire_clear(w);
    wire_put_int(w, fine);
    wire_put_diag(w, &d);
    if (fine) {
        wire_put_text(w, ptx.s ? ptx.s : "");
        wire_put_int(w, (long long)size);
        wire_put(w, cubin, size);
    }
    free(cubin);
    text_free(&ptx);
    diag_free(&d);
    arena_close(a);
}

bool nvrtc_serve(int argc, char **argv) {
    int fd, shared;
    pthread_t watcher;
    struct wire w = {0};
    if (!process_serves(argc, argv, &kind, &fd, &shared)) return false;
    setenv("CUDA_VISIBLE_DEVICES", "",
           1); /* NVRTC looks for a driver and opens it, which takes time, or hangs */
    if (pthread_create(&watcher, NULL, watch, &fd) != 0) return true;
    while (wire_receive(fd, &w)) {
        serve_source(&w);
        if (!wire_send(fd, &w)) break;
    }
    wire_free(&w);
    return true;
}

/* ---- this process ---- */

struct nvrtc_process {
    pid_t pid;
    int fd;
    char *library; /* the library that it has loaded */
    struct nvrtc_process *next;
};

static struct nvrtc_process *idle; /* the processes that wait for work */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Takes a waiting process that has loaded this library, or NULL. */
static struct nvrtc_process *take_idle(const char *library) {
    pthread_mutex_lock(&lock);
    struct nvrtc_process **at = &idle;
    while (*at && strcmp((*at)->library, library) != 0)
        at = &(*at)->next;
    struct nvrtc_process *p = *at;
    if (p) *at = p->next;
    pthread_mutex_unlock(&lock);
    return p;
}

/* Takes a waiting process, else starts one. NULL and an error when it cannot be started. */
static struct nvrtc_process *take(const char *library, struct diag *d) {
    struct nvrtc_process *p = take_idle(library);
    if (p) return p;
    p = memory_new(1, sizeof *p);
    p->library = memory_check(strdup(library));
    if (process_start(&kind, -1, &p->pid, &p->fd)) {
        setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(p->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        return p;
    }
    diag_fail(d, "cannot start a process for NVRTC: %s", strerror(errno));
    free(p->library);
    free(p);
    return NULL;
}

static void give_back(struct nvrtc_process *p) {
    pthread_mutex_lock(&lock);
    p->next = idle;
    idle = p;
    pthread_mutex_unlock(&lock);
}

/* Kills the process if it has not ended, and waits for it. Returns its status. */
static int end_process(struct nvrtc_process *p) {
    int status = -1;
    kill(p->pid, SIGKILL);
    process_reap(p->pid, GRACE, &status);
    close(p->fd);
    free(p->library);
    free(p);
    return status;
}

void nvrtc_close(void) {
    pthread_mutex_lock(&lock);
    struct nvrtc_process *first = idle;
    idle = NULL;
    pthread_mutex_unlock(&lock);
    for (struct nvrtc_process *p = first; p; p = p->next)
        kill(p->pid, SIGKILL); /* kills all before it waits for any, so that they end at the same time */
    for (struct nvrtc_process *p = first, *next; p; p = next) {
        next = p->next;
        end_process(p);
    }
}

/* Reports how the process ended. */
static void report_end(int status, const char *name, struct diag *d) {
    if (status != -1 && WIFSIGNALED(status))
        diag_fail(d, "NVRTC was ended by signal %d (%s) on '%s'", WTERMSIG(status),
                  strsignal(WTERMSIG(status)), name);
    else
        diag_fail(d, "the process of NVRTC ended on '%s'", name);
}

/* Waits for the answer. If there is none, ends the process and leaves an error that says why. */
static bool await(struct nvrtc_process *p, const struct nvrtc_source *s, struct wire *w, struct diag *d) {
    int seconds = s->seconds ? s->seconds : NVRTC_SECONDS;
    double deadline = clock_now() + seconds;
    struct pollfd answer = {.fd = p->fd, .events = POLLIN};
    for (;;) {
        int n = poll(&answer, 1, 20);
        if (n > 0 && wire_receive(p->fd, w)) return true;
        if (n > 0) {
            report_end(end_process(p), s->name, d);
            return false;
        }
        bool stopped = s->stop && *s->stop;
        if (!stopped && clock_now() < deadline) continue;
        end_process(p);
        if (stopped)
            diag_fail(d, "interrupted while '%s' was compiled", s->name);
        else
            diag_fail(d, "NVRTC took longer than %d s on '%s': it was ended", seconds, s->name);
        return false;
    }
}

static void put_source(struct wire *w, const struct nvrtc_source *s, enum nvrtc_work work) {
    wire_put_text(w, s->text);
    wire_put_text(w, s->name);
    wire_put_text(w, s->library ? s->library : "");
    wire_put_text(w, s->arch);
    wire_put_text(w, s->std ? s->std : "c++17");
    wire_put_int(w, s->lines);
    wire_put_int(w, s->nfolders);
    for (int k = 0; k < s->nfolders; k++)
        wire_put_text(w, s->folders[k]);
    wire_put_int(w, work);
}

static bool get_code(struct wire *w, struct text *ptx, void **cubin, size_t *size, struct diag *d) {
    bool fine = wire_get_int(w) != 0;
    wire_get_diag(w, d);
    if (!fine) return false;
    struct arena *a = arena_open();
    const char *text = wire_get_text(w, a);
    size_t n = (size_t)wire_get_int(w);
    const void *bytes = wire_get_bytes(w, n);
    if (text && ptx) text_add(ptx, text);
    if (bytes && cubin) {
        *size = n;
        *cubin = memcpy(memory_new(1, n), bytes, n);
    }
    arena_close(a);
    return !w->bad;
}

static bool make(const struct nvrtc_source *s, enum nvrtc_work work, struct text *ptx, void **cubin,
                 size_t *size, struct diag *d) {
    struct wire w = {0};
    struct nvrtc_process *p = take(s->library ? s->library : "", d);
    if (!p) return false;
    put_source(&w, s, work);
    wire_send(p->fd, &w);
    bool fine = await(p, s, &w, d);
    if (fine) {
        give_back(p);
        fine = get_code(&w, ptx, cubin, size, d);
    }
    wire_free(&w);
    return fine;
}

bool nvrtc_ptx(const struct nvrtc_source *s, struct text *ptx, struct diag *d) {
    return make(s, WORK_PTX, ptx, NULL, NULL, d);
}

bool nvrtc_cubin(const struct nvrtc_source *s, struct text *ptx, void **cubin, size_t *size, struct diag *d) {
    if (s->ptxas) return nvrtc_ptx(s, ptx, d) && ptxas_assemble(s, ptx->s, cubin, size, d);
    return make(s, WORK_CUBIN, ptx, cubin, size, d);
}

bool nvrtc_assemble(const struct nvrtc_source *s, void **cubin, size_t *size, struct diag *d) {
    if (s->ptxas) return ptxas_assemble(s, s->text, cubin, size, d);
    return make(s, WORK_ASSEMBLE, NULL, cubin, size, d);
}
