// A study as a job array of Slurm.
#ifndef CLI_SLURM_H
#define CLI_SLURM_H

#include "cli/study.h"

// Writes FOLDER/study.sbatch, which does the command line of this process without --slurm; the exit status.
int slurm_write(const char *command, const StudyWords *words, const char *folder);

#endif
