// Makes calls to the disk fail in the program that loads this library (LD_PRELOAD).
//
// When the file FAULTS contains a number N, the Nth next call that writes, cuts or syncs the database or its log fails
// with EIO. So does every later call, because a failed disk does not recover. A write that fails may have written its
// first half.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long left = -1;

#define NEXT(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

// Returns whether this call fails.
static int fails(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strstr(path, "/mellow.db") == NULL || strstr(path, "-shm") != NULL) return 0;
  if (atomic_load(&left) < 0) {
    const char *name = getenv("FAULTS");
    FILE *file = name == NULL ? NULL : fopen(name, "r");
    long number = -1;
    if (file == NULL) return 0;
    if (fscanf(file, "%ld", &number) != 1) number = -1;
    fclose(file);
    if (number < 0) return 0;
    long unset = -1;
    atomic_compare_exchange_strong(&left, &unset, number);
  }
  long before = atomic_load(&left);
  while (before > 0 && !atomic_compare_exchange_weak(&left, &before, before - 1)) {
  }
  return before == 0;
}

static int failed(void) {
  errno = EIO;
  return -1;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  if (!fails(fd)) return NEXT(write)(fd, bytes, count);
  NEXT(write)(fd, bytes, count / 2);
  return failed();
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  if (!fails(fd)) return NEXT(pwrite)(fd, bytes, count, at);
  NEXT(pwrite)(fd, bytes, count / 2, at);
  return failed();
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  if (!fails(fd)) return NEXT(pwrite64)(fd, bytes, count, at);
  NEXT(pwrite64)(fd, bytes, count / 2, at);
  return failed();
}

int ftruncate(int fd, off_t length) { return fails(fd) ? failed() : NEXT(ftruncate)(fd, length); }
int ftruncate64(int fd, off64_t length) { return fails(fd) ? failed() : NEXT(ftruncate64)(fd, length); }
int fsync(int fd) { return fails(fd) ? failed() : NEXT(fsync)(fd); }
int fdatasync(int fd) { return fails(fd) ? failed() : NEXT(fdatasync)(fd); }
