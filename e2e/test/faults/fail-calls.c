/*
 * Loaded before a program's own libraries (LD_PRELOAD): counts what it asks of files whose path holds FAULTS_MATCH, and
 * fails the calls that the control file FAULTS_CONTROL names. The kernel below and the database above are the real ones.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of 8 bytes each, as failing-files.ts writes and reads them. */
struct control {
  long count;  /* calls of the chosen kinds so far */
  long from;   /* the first that fails, counted from 1; 0: none does */
  long until;  /* the last that fails */
  long error;  /* what they fail with */
  long kinds;  /* 1 writes, 2 syncs, 4 reads, 8 opens */
  long failed; /* calls that were failed */
};

#define FDS 65536
static struct control *control;
static const char *match;
static unsigned char watched[FDS];

__attribute__((constructor)) static void prepare(void) {
  const char *path = getenv("FAULTS_CONTROL");
  match = getenv("FAULTS_MATCH");
  int fd = path && match ? open(path, O_RDWR) : -1;
  if (fd < 0) return;
  void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (shared != MAP_FAILED) control = shared;
}

static int fails(long kind) {
  if (!control || !(control->kinds & kind)) return 0;
  long at = __atomic_add_fetch(&control->count, 1, __ATOMIC_SEQ_CST);
  if (control->from == 0 || at < control->from || at > control->until) return 0;
  __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
  errno = (int)control->error;
  return 1;
}

static int is_watched(int fd) { return control && fd >= 0 && fd < FDS && watched[fd]; }

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int note(int fd, const char *path) {
  if (control && fd >= 0 && fd < FDS) watched[fd] = path && strstr(path, match) != NULL;
  return fd;
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *path, int flags, ...) {
  MODE(flags) REAL(open);
  if (control && strstr(path, match) && fails(8)) return -1;
  return note(real(path, flags, mode), path);
}
int open64(const char *path, int flags, ...) {
  MODE(flags) REAL(open64);
  if (control && strstr(path, match) && fails(8)) return -1;
  return note(real(path, flags, mode), path);
}
int close(int fd) {
  REAL(close);
  if (control && fd >= 0 && fd < FDS) watched[fd] = 0;
  return real(fd);
}
ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at) {
  REAL(pwrite);
  return is_watched(fd) && fails(1) ? -1 : real(fd, from, bytes, at);
}
ssize_t pwrite64(int fd, const void *from, size_t bytes, off64_t at) {
  REAL(pwrite64);
  return is_watched(fd) && fails(1) ? -1 : real(fd, from, bytes, at);
}
ssize_t write(int fd, const void *from, size_t bytes) {
  REAL(write);
  return is_watched(fd) && fails(1) ? -1 : real(fd, from, bytes);
}
int ftruncate(int fd, off_t bytes) {
  REAL(ftruncate);
  return is_watched(fd) && fails(1) ? -1 : real(fd, bytes);
}
int ftruncate64(int fd, off64_t bytes) {
  REAL(ftruncate64);
  return is_watched(fd) && fails(1) ? -1 : real(fd, bytes);
}
int fsync(int fd) {
  REAL(fsync);
  return is_watched(fd) && fails(2) ? -1 : real(fd);
}
int fdatasync(int fd) {
  REAL(fdatasync);
  return is_watched(fd) && fails(2) ? -1 : real(fd);
}
ssize_t pread(int fd, void *to, size_t bytes, off_t at) {
  REAL(pread);
  return is_watched(fd) && fails(4) ? -1 : real(fd, to, bytes, at);
}
ssize_t pread64(int fd, void *to, size_t bytes, off64_t at) {
  REAL(pread64);
  return is_watched(fd) && fails(4) ? -1 : real(fd, to, bytes, at);
}
ssize_t read(int fd, void *to, size_t bytes) {
  REAL(read);
  return is_watched(fd) && fails(4) ? -1 : real(fd, to, bytes);
}
