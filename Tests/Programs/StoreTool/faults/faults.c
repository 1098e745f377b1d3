// Makes file operations fail, or ends the process, at a step of one's choice; loaded with LD_PRELOAD by the tests.
//
// A step is one call below the folder PINTLE_FAULT_FOLDER: opening it, or anything that is done to it or to files opened
// in it. Steps count from 1.
//
//   PINTLE_FAULT        what happens at the step: `kill` before it, `after` it (a write is then half done), or the number
//                       of an error that it gives, once; with a `+` behind the number, all later calls that change
//                       anything give it too, as on a disk that is full; or `interrupt`, for which no step is chosen:
//                       every call that can wait is interrupted once, before it succeeds
//   PINTLE_FAULT_STEP   the step; 0 for none
//   PINTLE_FAULT_COUNT  a file for the number of steps, written at the end
//
// It also counts what is allocated, for pintle_allocations().
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>

static int steps;
static int failing;
static char ours[1024];

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

enum what { looks = 0, changes = 1, waits = 2 };

// Counts a step. 0: go on. 1: go on, then die. -1: errno is set, fail.
static int step(int what) {
  static int interrupted;
  steps += 1;
  const char *fault = setting("PINTLE_FAULT");
  if (what & waits && !strcmp(fault, "interrupt")) {
    interrupted = !interrupted;
    // Also before the call that succeeds: after a success, errno says nothing.
    errno = EINTR;
    return -interrupted;
  }
  if (steps == atoi(setting("PINTLE_FAULT_STEP"))) {
    if (!strcmp(fault, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(fault, "after")) return 1;
    errno = atoi(fault);
    failing = fault[0] && fault[strlen(fault) - 1] == '+';
    return -1;
  }
  if (failing && what & changes) {
    errno = atoi(fault);
    return -1;
  }
  return 0;
}

static int is_ours(int descriptor) { return descriptor >= 0 && descriptor < 1024 && ours[descriptor]; }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define STEP(what, call)                    \
  int fate = step(what);                    \
  if (fate < 0) return -1;                  \
  __typeof__(call) result = (call);         \
  if (fate > 0) kill(getpid(), SIGKILL);    \
  return result

static int opened(int descriptor) {
  if (descriptor >= 0 && descriptor < 1024) ours[descriptor] = 1;
  return descriptor;
}

static mode_t mode_of(int flags, va_list list) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0; }

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  if (!*setting("PINTLE_FAULT_FOLDER") || strcmp(path, setting("PINTLE_FAULT_FOLDER")))
    return REAL(open)(path, flags, mode);
  STEP(looks, opened(REAL(open)(path, flags, mode)));
}

int openat(int folder, const char *name, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  if (!is_ours(folder)) return REAL(openat)(folder, name, flags, mode);
  STEP(flags & O_CREAT ? changes : looks, opened(REAL(openat)(folder, name, flags, mode)));
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  if (!is_ours(descriptor)) return REAL(read)(descriptor, bytes, count);
  STEP(waits, REAL(read)(descriptor, bytes, count));
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (!is_ours(descriptor)) return REAL(write)(descriptor, bytes, count);
  STEP(changes | waits, REAL(write)(descriptor, bytes, fate > 0 ? count / 2 : count));
}

int fsync(int descriptor) {
  if (!is_ours(descriptor)) return REAL(fsync)(descriptor);
  STEP(changes, REAL(fsync)(descriptor));
}

int flock(int descriptor, int operation) {
  if (!is_ours(descriptor)) return REAL(flock)(descriptor, operation);
  STEP(operation & LOCK_EX ? waits : looks, REAL(flock)(descriptor, operation));
}

int renameat(int from, const char *old, int to, const char *new) {
  if (!is_ours(from)) return REAL(renameat)(from, old, to, new);
  STEP(changes, REAL(renameat)(from, old, to, new));
}

int unlinkat(int folder, const char *name, int flags) {
  if (!is_ours(folder)) return REAL(unlinkat)(folder, name, flags);
  STEP(looks, REAL(unlinkat)(folder, name, flags));
}

int close(int descriptor) {
  if (is_ours(descriptor)) ours[descriptor] = 0;
  return REAL(close)(descriptor);
}

__attribute__((destructor)) static void count(void) {
  if (!*setting("PINTLE_FAULT_COUNT")) return;
  FILE *file = fopen(setting("PINTLE_FAULT_COUNT"), "w");
  if (!file) return;
  fprintf(file, "%d", steps);
  fclose(file);
}

// What glibc's own functions are called, so that no lookup is needed, which would allocate.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long allocations;

long pintle_allocations(void) { return allocations; }

void *malloc(size_t size) {
  allocations += 1;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocations += 1;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  allocations += 1;
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  allocations += 1;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  allocations += 1;
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}
