// A file layer with faults: counts the calls that change files below one folder, and fails or kills at the chosen one.
//
// Loaded before the C library (LD_PRELOAD), so that it sees every call, whoever makes it: Python, NumPy, or the core.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

enum Mode { count_only, fail_once, fail_from, kill_before, kill_after };
enum Kind { needs_space = 1, frees = 2 };  // a full disk refuses calls that need space, never those that free it

char root[4096];
size_t root_size = 0;
long calls = 0, chosen = 0;
int error_number = 0;
Mode mode = count_only;
bool is_armed = false, is_short = false;
bool below_root[65536];  // descriptors of folders, and of files to write, below the root

template <class Function>
Function find_next(Function, const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
#define NEXT(name) static auto next = find_next(&::name, #name)

bool concerns(const char* path) { return is_armed && root_size && path && !strncmp(path, root, root_size); }
bool concerns(int file) { return is_armed && file >= 0 && file < 65536 && below_root[file]; }

bool is_folder(int file) {
    struct stat found;
    return !fstat(file, &found) && S_ISDIR(found.st_mode);
}

// Whether this call is to fail; errno is set then.
bool fails(Kind kind) {
    calls += 1;
    if (mode == kill_before && calls == chosen) kill(getpid(), SIGKILL);
    const bool hit = (mode == fail_once && calls == chosen) || (mode == fail_from && calls >= chosen);
    if (!hit || (mode == fail_from && error_number == ENOSPC && kind == frees)) return false;
    errno = error_number;
    return true;
}

template <class Value>
Value done(Value value) {
    if (mode == kill_after && calls == chosen) kill(getpid(), SIGKILL);
    return value;
}

template <class Call>
int change(bool mine, Kind kind, Call call) {
    if (!mine) return call();
    return fails(kind) ? -1 : done(call());
}

template <class Call>
int open_file(const char* path, int flags, Call call) {
    if (!concerns(path)) return call();
    const bool writes = flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
    if (writes && fails(needs_space)) return -1;
    const int file = call();
    if (file >= 0 && file < 65536) below_root[file] = writes || is_folder(file);
    return writes ? done(file) : file;
}

mode_t read_mode(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; }

}  // namespace

extern "C" {

void faults_arm(const char* folder, int how, long nth, int error) {
    strncpy(root, folder, sizeof root - 1);
    root_size = strlen(root);
    mode = static_cast<Mode>(how), chosen = nth, error_number = error, calls = 0, is_short = false;
    is_armed = true;
}

long faults_disarm() {
    is_armed = false;
    return calls;
}

#define OPEN(name)                                                              \
    int name(const char* path, int flags, ...) {                                \
        NEXT(name);                                                             \
        va_list list;                                                           \
        va_start(list, flags);                                                  \
        const mode_t bits = read_mode(flags, list);                             \
        va_end(list);                                                           \
        return open_file(path, flags, [&] { return next(path, flags, bits); }); \
    }
#define OPENAT(name)                                                                    \
    int name(int folder, const char* path, int flags, ...) {                            \
        NEXT(name);                                                                     \
        va_list list;                                                                   \
        va_start(list, flags);                                                          \
        const mode_t bits = read_mode(flags, list);                                     \
        va_end(list);                                                                   \
        return open_file(path, flags, [&] { return next(folder, path, flags, bits); }); \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

// A full disk takes the first half of what is written, and refuses the rest.
ssize_t write(int file, const void* data, size_t size) {
    NEXT(write);
    if (!concerns(file)) return next(file, data, size);
    if (!fails(needs_space)) return done(next(file, data, size));
    if (error_number != ENOSPC || size < 2 || is_short) return -1;
    is_short = true;
    if (mode == fail_once) chosen += 1;  // the next call fails as well
    return next(file, data, size / 2);
}

int fsync(int file) {
    NEXT(fsync);
    return change(concerns(file), needs_space, [&] { return next(file); });
}

int ftruncate(int file, off_t size) {
    NEXT(ftruncate);
    return change(concerns(file), needs_space, [&] { return next(file, size); });
}

// A descriptor is closed even if closing it reports an error.
int close(int file) {
    NEXT(close);
    if (!concerns(file)) return next(file);
    below_root[file] = false;
    const bool failed = fails(frees);
    const int result = next(file);
    if (failed) errno = error_number;
    return failed ? -1 : done(result);
}

int rename(const char* from, const char* to) {
    NEXT(rename);
    return change(concerns(to), needs_space, [&] { return next(from, to); });
}

int unlink(const char* path) {
    NEXT(unlink);
    return change(concerns(path), frees, [&] { return next(path); });
}

int rmdir(const char* path) {
    NEXT(rmdir);
    return change(concerns(path), frees, [&] { return next(path); });
}

int mkdir(const char* path, mode_t bits) {
    NEXT(mkdir);
    return change(concerns(path), needs_space, [&] { return next(path, bits); });
}

int chmod(const char* path, mode_t bits) {
    NEXT(chmod);
    return change(concerns(path), frees, [&] { return next(path, bits); });
}

int fchmodat(int folder, const char* path, mode_t bits, int flags) {
    NEXT(fchmodat);
    return change(concerns(path), frees, [&] { return next(folder, path, bits, flags); });
}
}
