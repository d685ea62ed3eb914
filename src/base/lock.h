// A lock on a folder: one process at a time works in it. The lock vanishes with the process, however it ends.
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/error.h"

typedef struct FolderLock {
    int file; // -1: not locked
    char path[1100];
} FolderLock;

// Takes the lock `run.lock` of an existing folder. MRC_FOLDER, naming the process that holds it, when it is
// taken, or when nothing can be written there. On a file system without locks nothing is locked.
MrcStatus folder_lock(FolderLock *lock, const char *folder, MrcError *error);
void folder_unlock(FolderLock *lock); // and removes the file

#endif
