#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static MrcStatus lock_cannot_open(const char *folder, MrcError *error) {
    if (errno == ELOOP)
        return error_set(error, MRC_FOLDER,
                         "'%s/run.lock' is a symbolic link: remove it, or choose another folder with -o",
                         folder);
    // A full disk is no mistake in the choice of the folder.
    bool full = errno == ENOSPC || errno == EDQUOT || errno == EIO;
    return error_set(error, full ? MRC_WRITE_FAILED : MRC_FOLDER, "cannot write in '%s': %s", folder,
                     strerror(errno));
}

static MrcStatus lock_taken(int file, const char *folder, MrcError *error) {
    char holder[32] = "";
    ssize_t length = pread(file, holder, sizeof holder - 1, 0);
    holder[length > 0 ? strspn(holder, "0123456789") : 0] = '\0';
    return error_set(error, MRC_FOLDER,
                     "another run%s%s%s is working in '%s'; wait for it, or choose another folder with -o",
                     *holder ? " (process " : "", holder, *holder ? ")" : "", folder);
}

// The file that was locked may have been removed by its last holder between our opening and locking it: then
// the lock is on a file that no other process can find.
static bool lock_is_still_there(const FolderLock *lock) {
    struct stat held, named;
    return fstat(lock->file, &held) == 0 && lstat(lock->path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

static void lock_write_holder(int file) {
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    // For the message of a second run only: a full disk is found by the first real write.
    if (ftruncate(file, 0) != 0 || pwrite(file, text, (size_t)length, 0) != length) return;
}

MrcStatus folder_lock(FolderLock *lock, const char *folder, MrcError *error) {
    snprintf(lock->path, sizeof lock->path, "%s/run.lock", folder);
    for (;;) {
        lock->file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (lock->file < 0) return lock_cannot_open(folder, error);
        int failure = flock(lock->file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
        if (failure == EWOULDBLOCK) {
            MrcStatus status = lock_taken(lock->file, folder, error);
            close(lock->file);
            lock->file = -1;
            return status;
        }
        if (failure != 0 || lock_is_still_there(lock)) break;
        close(lock->file);
    }
    // A link or another file in place of the lock is left alone: writing to it would write to another file.
    struct stat status;
    if (fstat(lock->file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1) {
        close(lock->file);
        lock->file = -1;
        return error_set(error, MRC_FOLDER,
                         "'%s' is not a lock of a run: remove it, or choose another folder with -o",
                         lock->path);
    }
    lock_write_holder(lock->file);
    return MRC_OK;
}

void folder_unlock(FolderLock *lock) {
    if (lock->file < 0) return;
    remove(lock->path); // before the lock goes: afterwards it may be another's
    close(lock->file);
    lock->file = -1;
}
