#include "run/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum keeper_order { ORDER_START = 'S', ORDER_REAP = 'R' };

/* What comes back: a new worker (with its socket beside the message), or how it ended. */
struct reply {
    pid_t pid;
    int status;
};

pid_t keeper_fork(int *fd) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        /* A terminal's Ctrl-C and what timeout(1) sends reach the whole group: the first process says when to stop. */
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
    }
    close(ends[pid == 0 ? 0 : 1]);
    *fd = ends[pid == 0 ? 1 : 0];
    if (pid < 0) close(*fd);
    return pid;
}

/* ---- the keeper ---- */

/* Sends a reply; with fd >= 0 also that file. */
static void send_reply(int to, struct reply reply, int fd) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof fd)];
    } control = {.space = {0}};
    struct iovec data = {&reply, sizeof reply};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = &control;
        m.msg_controllen = sizeof control;
        control.header = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    }
    sendmsg(to, &m, MSG_NOSIGNAL);
}

static pid_t start_worker(int to, void (*work)(void *ctx, int fd), void *ctx) {
    int fd = -1;
    pid_t pid = keeper_fork(&fd);
    if (pid == 0) {
        close(to);
        work(ctx, fd);
        _exit(0);
    }
    send_reply(to, (struct reply){.pid = pid}, pid > 0 ? fd : -1);
    if (pid > 0) close(fd);
    return pid;
}

static void keep(int fd, void (*work)(void *ctx, int fd), void *ctx) {
    pid_t worker = 0;
    char order;
    while (recv(fd, &order, 1, 0) == 1) {
        struct reply reply = {0};
        if (order == ORDER_START) {
            worker = start_worker(fd, work, ctx);
            continue;
        }
        reply.pid = waitpid(worker, &reply.status, 0);
        send_reply(fd, reply, -1);
    }
}

/* ---- its parent ---- */

bool keeper_open(struct keeper *k, void (*work)(void *ctx, int fd), void *ctx) {
    int fd = -1;
    pid_t pid = keeper_fork(&fd);
    if (pid == 0) {
        keep(fd, work, ctx);
        _exit(0);
    }
    *k = (struct keeper){pid > 0 ? pid : 0, fd};
    return pid > 0;
}

/* The reply, and the file that came with it (-1: none). */
static bool receive_reply(const struct keeper *k, struct reply *reply, int *fd) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof *fd)];
    } control;
    struct iovec data = {reply, sizeof *reply};
    struct msghdr m = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n;
    do
        n = recvmsg(k->fd, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    *fd = -1;
    struct cmsghdr *header = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (header && header->cmsg_type == SCM_RIGHTS) memcpy(fd, CMSG_DATA(header), sizeof *fd);
    return n == (ssize_t)sizeof *reply;
}

static bool give_order(const struct keeper *k, enum keeper_order order) {
    char byte = (char)order;
    return k->pid > 0 && send(k->fd, &byte, 1, MSG_NOSIGNAL) == 1;
}

bool keeper_start(struct keeper *k, pid_t *pid, int *fd) {
    struct reply reply = {0};
    errno = EIO;
    if (!give_order(k, ORDER_START) || !receive_reply(k, &reply, fd) || reply.pid <= 0) return false;
    *pid = reply.pid;
    return *fd >= 0;
}

bool keeper_reap(struct keeper *k, double seconds, int *status) {
    struct reply reply = {0};
    struct pollfd p = {.fd = k->fd, .events = POLLIN};
    int fd, n;
    if (!give_order(k, ORDER_REAP)) return false;
    do
        n = poll(&p, 1, (int)(seconds * 1e3));
    while (n < 0 && errno == EINTR);
    if (n <= 0 || !receive_reply(k, &reply, &fd)) return false;
    *status = reply.status;
    return true;
}

void keeper_close(struct keeper *k) {
    if (k->pid <= 0) return;
    close(k->fd);
    kill(k->pid, SIGKILL);
    waitpid(k->pid, NULL, 0);
    k->pid = 0;
}
