// All jobs of the array do the same: they take points from the folder of the study, one after the other, until none is left.
// Two minutes before its time is up a job gets a signal (USR1): the runs write checkpoints, the job ends and is queued again,
// and goes on from there. So is one whose process was killed, three times. Nothing but the program is needed.
#include "cli/slurm.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"

static void slurm_quoted(FILE *file, const char *word) {
    fputc('\'', file);
    for (; *word; word++) {
        if (*word == '\'') fputs("'\\''", file);
        else fputc(*word, file);
    }
    fputc('\'', file);
}

static void slurm_command(FILE *file, const StudyWords *w) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    slurm_quoted(file, length > 0 ? path : program_words[0]);
    bool ended = false; // behind "--" there are no options
    for (char **word = program_words + 1; *word; word++) {
        if (!ended && strcmp(*word, "--slurm") == 0 && word[1]) {
            word++;
            continue;
        }
        if (!ended && strncmp(*word, "--slurm=", 8) == 0) continue;
        ended = ended || strcmp(*word, "--") == 0;
        fputc(' ', file);
        slurm_quoted(file, *word);
        if (word == program_words + 1) { // behind the command
            fputs(" --quiet", file);
            if (w->threads == 0) fputs(" --threads \"${SLURM_CPUS_PER_TASK:-1}\"", file);
            if (!w->rounds && !w->leave) fputs(" --leave", file);
        }
    }
}

static void slurm_script(FILE *file, const char *command, const StudyWords *w, const char *folder,
                         const char *here) {
    fprintf(file,
            "#!/bin/bash\n"
            "# maraca %s as a job array: sbatch [--time=...] [--cpus-per-task=...] study.sbatch\n"
            "#SBATCH --job-name=maraca-%s\n"
            "#SBATCH --array=1-%d\n"
            "#SBATCH --ntasks=1\n"
            "#SBATCH --cpus-per-task=%d\n"
            "#SBATCH --output=\"%s/slurm-%%A_%%a.log\"\n"
            "#SBATCH --open-mode=append\n"
            "#SBATCH --requeue\n"
            "#SBATCH --signal=B:USR1@120\n"
            "cd ",
            command, command, w->slurm, w->threads > 0 ? w->threads : 1, folder);
    slurm_quoted(file, here);
    fputs(" || exit 2\n", file);
    slurm_command(file, w);
    fputs(" &\n"
          "process=$! told=0\n"
          "# The time is nearly up: checkpoints are written, and the job is queued again.\n"
          "trap 'told=1; kill -INT $process' USR1\n"
          "trap 'kill -INT $process' TERM\n"
          "wait $process\n"
          "wait $process # the first one is broken off by a signal to this shell\n"
          "status=$?\n"
          "again=$told\n"
          "[ $status -gt 128 ] && [ \"${SLURM_RESTART_COUNT:-0}\" -lt 3 ] && again=1\n"
          "if [ $status -ne 0 ] && [ $again = 1 ]; then\n"
          "    scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n"
          "fi\n"
          "exit $status\n",
          file);
}

int slurm_write(const char *command, const StudyWords *w, const char *folder) {
    char here[PATH_MAX], whole[PATH_MAX], path[PATH_MAX + 32];
    MrcError error = {.status = MRC_WRITE_FAILED};
    if (w->slot)
        return report_usage(command, w->json,
                            "jobs of --slurm share the points themselves: there is no --slot");
    bool made = mkdir(folder, 0777) == 0 || errno == EEXIST;
    FILE *file = NULL;
    if (made && getcwd(here, sizeof here) && realpath(folder, whole)) {
        snprintf(path, sizeof path, "%s/study.sbatch", whole);
        file = fopen(path, "w");
    }
    if (file) slurm_script(file, command, w, whole, here);
    bool good = file && !ferror(file);
    if (file && fclose(file) != 0) good = false;
    if (!good) {
        snprintf(error.text, sizeof error.text, "%.900s/study.sbatch: %s", folder, strerror(errno));
        return report_error(command, &error, w->json);
    }
    if (w->json) {
        fputs("{\"status\": \"OK\", \"script\": ", stdout);
        print_json_text(stdout, path);
        fputs("}\n", stdout);
    } else printf("  %s is written; submit it with: sbatch [--time=...] %s\n", path, path);
    return 0;
}
