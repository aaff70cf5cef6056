#include "compile/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

/* This variable is set in the new process. A program that does not know the hidden command would otherwise
 * start itself again and again. */
static const char mark[] = "CULITMUS_OWN_PROCESS";

static char **marked_environment(void) {
    static char entry[] = "CULITMUS_OWN_PROCESS=1";
    size_t n = 0;
    while (environ[n])
        n++;
    char **marked = memory_new(n + 2, sizeof *marked);
    marked[0] = entry;
    memcpy(marked + 1, environ, n * sizeof *marked);
    return marked;
}

/* Blocks the signals that go to a group until the new process has said that it ignores them. */
static void hold_signals(posix_spawnattr_t *attr) {
    sigset_t held;
    pthread_sigmask(SIG_BLOCK, NULL, &held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    posix_spawnattr_setsigmask(attr, &held);
    posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK);
}

/* Starts the process. Returns 0 or an error number. `fd` and `shared` are open in the new process under the
 * same numbers. */
static int spawn(const struct process_kind *kind, int fd, int shared, pid_t *pid) {
    char fd_text[16], shared_text[16], parent[16];
    snprintf(fd_text, sizeof fd_text, "%d", fd);
    snprintf(shared_text, sizeof shared_text, "%d", shared);
    snprintf(parent, sizeof parent, "%d", (int)getpid());
    char program[] = "/proc/self/exe";
    char *argv[] = {program_invocation_name,
                    (char *)kind->command,
                    (char *)kind->name,
                    fd_text,
                    shared_text,
                    parent,
                    NULL};
    char **env = marked_environment();
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, fd); /* so that exec does not close it */
    if (shared >= 0) posix_spawn_file_actions_adddup2(&actions, shared, shared);
    posix_spawnattr_init(&attr);
    hold_signals(&attr);
    int error = posix_spawn(pid, program, &actions, &attr, argv, env);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    free(env);
    return error;
}

bool process_start(const struct process_kind *kind, int shared, pid_t *pid, int *fd) {
    int ends[2];
    errno = ELOOP;
    if (getenv(mark) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    int error = spawn(kind, ends[1], shared, pid);
    close(ends[1]);
    *fd = ends[0];
    if (error) close(ends[0]);
    errno = error;
    return error == 0;
}

bool process_reap(pid_t pid, double seconds, int *status) {
    double deadline = clock_now() + seconds;
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended < 0) *status = -1; /* somebody else has waited for it */
        if (ended == pid || (ended < 0 && errno != EINTR)) return true;
        if (clock_now() > deadline) return false;
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    }
}

static void ignore_group(void) {
    sigset_t held;
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    pthread_sigmask(SIG_UNBLOCK, &held, NULL);
}

bool process_serves(int argc, char **argv, const struct process_kind *kind, int *fd, int *shared) {
    if (argc != 6 || strcmp(argv[1], kind->command) != 0 || strcmp(argv[2], kind->name) != 0 || !getenv(mark))
        return false;
    if (kind->ends_with_thread) prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)atoi(argv[5])) _exit(1); /* the first process has ended already */
    ignore_group();
    *fd = atoi(argv[3]);
    *shared = atoi(argv[4]);
    fcntl(*fd, F_SETFD, FD_CLOEXEC);
    return true;
}
