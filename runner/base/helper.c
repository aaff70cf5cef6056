#include "base/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* Turns the forked child into the program. It gets a process group of its own, so that Ctrl-C reaches this
 * process only, and so that its descendants end with it. It ends when the thread that started it ends, and
 * each of its processes after so many seconds of processor time. */
static void become_helper(const struct helper *h, pid_t parent) {
    const struct rlimit most = {(rlim_t)h->seconds, (rlim_t)h->seconds};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    setrlimit(RLIMIT_CPU, &most);
    if (h->memory) setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)h->memory, (rlim_t)h->memory});
    if (h->file) setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)h->file, (rlim_t)h->file});
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    int in = open("/dev/null", O_RDONLY);
    if (in >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(h->out, STDOUT_FILENO) >= 0 &&
        dup2(h->err, STDERR_FILENO) >= 0)
        execve(h->argv[0], h->argv, h->env ? h->env : environ);
}

/* Ends the whole process group, and waits for its first process. */
static void end_helper(pid_t child) {
    kill(-child, SIGKILL);
    kill(child, SIGKILL); /* in case the child has not made its group yet */
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

static int await_helper(pid_t child, const struct helper *h) {
    double deadline = clock_now() + h->seconds;
    for (int status;;) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) return status;
        if (ended < 0 && errno != EINTR) return -1;
        bool stopped = h->stop && *h->stop;
        if (stopped || clock_now() > deadline) {
            end_helper(child);
            errno = stopped ? ECANCELED : ETIME;
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    }
}

int helper_run(const struct helper *h) {
    pid_t parent = getpid();
    volatile int error = 0; /* the child shares this process's memory until it executes the program */
    pid_t child = vfork();
    if (child == 0) {
        become_helper(h, parent);
        error = errno;
        _exit(127);
    }
    if (child < 0) error = errno;
    int status = child < 0 ? -1 : await_helper(child, h);
    if (error) errno = error;
    return error ? -1 : status;
}
