// Makes one system call on a folder's files fail: preloaded before the C library.
//
// `fault_arm(folder, at, error, lasting)` lets the calls on files below `folder` be counted from 1
// and call number `at` fail with `error`, and with `lasting` all that follow; at 0 none fails.
// `fault_count()` returns how many there were since, `fault_name()` the name of the one that failed.
// A write that fails has written half of its bytes: the worst that a full disk may do.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[PATH_MAX];
static long at, count;
static int error, lasting;
static const char *failed = "";

void fault_arm(const char *path, long number, int code, int keep) {
  snprintf(folder, sizeof folder, "%s", path);
  at = number, error = code, lasting = keep, failed = "";
  __atomic_store_n(&count, 0, __ATOMIC_SEQ_CST);
}

long fault_count(void) { return count; }

const char *fault_name(void) { return failed; }

static int below(const char *path) {
  return folder[0] && strncmp(path, folder, strlen(folder)) == 0;
}

static int fails(const char *name, const char *path) {
  if (!below(path)) return 0;
  const long number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
  if (at == 0 || number < at || (number > at && !lasting)) return 0;
  if (number == at) failed = name;
  errno = error;
  return 1;
}

static int fd_fails(const char *name, int fd) {
  if (!folder[0]) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails(name, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t size) {
  if (!fd_fails("write", fd)) return REAL(write)(fd, data, size);
  const int code = errno;
  (void)!REAL(write)(fd, data, size / 2);
  errno = code;
  return -1;
}

static ssize_t half(int fd, const void *data, size_t size, off_t where) {
  const int code = errno;
  (void)!REAL(pwrite)(fd, data, size / 2, where);
  errno = code;
  return -1;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t where) {
  return fd_fails("pwrite", fd) ? half(fd, data, size, where) : REAL(pwrite)(fd, data, size, where);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t where) {
  return fd_fails("pwrite64", fd) ? half(fd, data, size, where)
                                  : REAL(pwrite64)(fd, data, size, where);
}

#define ON_FD(name, parameters, arguments) \
  int name parameters { return fd_fails(#name, fd) ? -1 : REAL(name) arguments; }
#define ON_PATH(name, parameters, arguments) \
  int name parameters { return fails(#name, path) ? -1 : REAL(name) arguments; }

ON_FD(fsync, (int fd), (fd))
ON_FD(fdatasync, (int fd), (fd))
ON_FD(ftruncate, (int fd, off_t size), (fd, size))
ON_FD(ftruncate64, (int fd, off64_t size), (fd, size))
ON_FD(posix_fallocate, (int fd, off_t from, off_t size), (fd, from, size))
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode))
ON_PATH(unlink, (const char *path), (path))
ON_PATH(rmdir, (const char *path), (path))
ON_PATH(rename, (const char *path, const char *to), (path, to))

int unlinkat(int fd, const char *name, int flags) {
  return fd_fails("unlinkat", fd) ? -1 : REAL(unlinkat)(fd, name, flags);
}
