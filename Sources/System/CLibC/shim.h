// The functions of the C library that the validator calls, for builds without the Glibc overlay (Embedded Swift).
// Inline wrappers replace what Swift can't import (macros, variadic functions) and names that Swift code uses itself.
// Nothing else belongs here.
#ifndef PINTLE_CLIBC_SHIM_H
#define PINTLE_CLIBC_SHIM_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/random.h>
#endif
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static inline int pintle_errno(void) { return errno; }

static inline int pintle_open(const char *path, int flags) { return open(path, flags); }

static inline int pintle_openat(int folder, const char *name, int flags) { return openat(folder, name, flags); }

static inline int pintle_createat(int folder, const char *name, int flags, mode_t mode) {
  return openat(folder, name, flags | O_CREAT, mode);
}

// A new file without a name. If the file system doesn't support that, its name is removed right after it is created.
static inline int pintle_open_unnamed(const char *folder) {
#ifdef __O_TMPFILE // Linux
  int file = open(folder, __O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
#else
  int file;
#endif
  char path[4096];
  if (snprintf(path, sizeof path, "%s/.pintle-XXXXXX", folder) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  file = mkostemp(path, O_CLOEXEC);
  if (file >= 0) unlink(path);
  return file;
}

// A private mapping of a file, which may be changed without changing the file; null if that isn't possible.
static inline void *pintle_map(int descriptor, size_t count) {
  void *bytes = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
  return bytes == MAP_FAILED ? NULL : bytes;
}

static inline const char *pintle_name(const struct dirent *entry) { return entry->d_name; }

// At most 256 bytes from the system's random numbers; fewer, or -1, are possible.
static inline ssize_t pintle_random(void *bytes, size_t count) {
#ifdef __linux__
  return getrandom(bytes, count < 256 ? count : 256, 0);
#else
  errno = ENOSYS;
  return -1;
#endif
}

static inline ssize_t pintle_read(int descriptor, void *bytes, size_t count) { return read(descriptor, bytes, count); }

static inline ssize_t pintle_write(int descriptor, const void *bytes, size_t count) {
  return write(descriptor, bytes, count);
}

static inline int pintle_is_directory(mode_t mode) { return S_ISDIR(mode); }

static inline int pintle_is_regular(mode_t mode) { return S_ISREG(mode); }

static inline int pintle_is_link(mode_t mode) { return S_ISLNK(mode); }

#endif
