// Maraca: machines that move grains, and grains that push back on machines.
//
//     MrcError error;
//     MrcModel *model = mrc_model_load("damper.yaml", NULL, 0);
//     if (mrc_model_status(model) == MRC_OK) {
//         MrcRunOptions options = mrc_run_options_default();
//         options.folder = "damper.run";
//         mrc_run(model, &options, NULL, &error);
//     }
//     mrc_model_free(model);
//
// The library never prints and never exits. Texts returned as `char *` are freed with mrc_text_free.
#ifndef MARACA_H
#define MARACA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "maraca/facts.h"
#include "maraca/status.h"

#ifdef __cplusplus
extern "C" {
#endif

const char *mrc_version(void); // "0.1.0"
void mrc_text_free(char *text);

// Small things that programs around the library need as well.
char *mrc_json_quoted(const char *text); // as a JSON string, in quotes and escaped; "null" for NULL
// "Did you mean ...?": the candidate that the misspelt word was probably meant to be; NULL when none is close.
const char *mrc_nearest_word(const char *word, const char *const *candidates, int count);

// One library holds the same code for several levels of instructions. The best one that the processor has is
// chosen at the first call; the environment variable MARACA_SIMD forces one.
const char *mrc_simd(void);        // in use: "avx512"
const char *mrc_simd_levels(void); // all that are built in: "baseline avx2 avx512"
const char *mrc_simd_error(void);  // why MARACA_SIMD was not followed; NULL: it was, or is not set

// ---- model files ---------------------------------------------------------------------------------
typedef struct MrcModel MrcModel; // read-only once loaded; may be shared by threads

typedef struct MrcDiagnostic {
    const char *file; // as the user would name it
    int line, column; // from 1; 0: the whole file
    bool warning;     // a warning does not keep the model from running
    const char *text; // what was found, what is expected
} MrcDiagnostic;

// Reads and checks a model file with its includes. `overrides` are "path=value" texts. Never NULL unless
// memory is out; the outcome is in mrc_model_status and the diagnostics, all of them in one go.
MrcModel *mrc_model_load(const char *path, const char *const *overrides, int override_count);
// The same from text in memory; `name` stands for the file in messages, includes are relative to the current
// folder.
MrcModel *mrc_model_parse(const char *text, uint64_t length, const char *name, const char *const *overrides,
                          int override_count);
void mrc_model_free(MrcModel *model);

MrcStatus mrc_model_status(const MrcModel *model); // MRC_OK: it can be run
int mrc_model_diagnostic_count(const MrcModel *model);
const MrcDiagnostic *mrc_model_diagnostic(const MrcModel *model, int index);

// Puts the mechanism together and finds its equilibrium, as a run does before it starts: joints that
// contradict each other or cannot be closed are found only so. MRC_OK also where there is no mechanism.
MrcStatus mrc_model_assemble(const MrcModel *model, MrcError *error);
char *mrc_model_describe(const MrcModel *model);  // in words, what would be simulated
MrcFacts *mrc_model_facts(const MrcModel *model); // how large a run will be; NULL: memory is out
char *mrc_model_text(const MrcModel *model);      // the model as YAML, includes and overrides worked in

// A quantity that can be recorded.
typedef struct MrcSignal {
    const char *name;  // "damper.load.fz"
    const char *unit;  // "N"
    const char *words; // what it is, with sign and axes; NULL: nothing is said about it
    bool on_request;   // recorded only when its name or group is asked for
} MrcSignal;

typedef struct MrcSignals {
    MrcSignal *signals;
    int count;
    MrcFacts *facts; // the same
    char *report;    // a table for people
    char *json;      // the facts
} MrcSignals;

// All signals of a model. `all`: the table has those on request, too.
MrcStatus mrc_signals(const MrcModel *model, bool all, MrcSignals *signals, MrcError *error);
void mrc_signals_free(MrcSignals *signals);

// Critical time steps, a suggested step, how soft contacts may be, and which coupling schemes are stable.
typedef struct MrcAdvice {
    MrcFacts *facts;
    char *report; // for people
    char *json;   // the facts
} MrcAdvice;
MrcStatus mrc_advise(const MrcModel *model, MrcAdvice *advice, MrcError *error);
MrcStatus mrc_advice_write(const MrcAdvice *advice, const char *path,
                           MrcError *error); // a page for the browser
void mrc_advice_free(MrcAdvice *advice);

char *mrc_model_schema(void);    // JSON Schema of the model file
char *mrc_model_reference(void); // the same for people, as Markdown

// ---- runs ----------------------------------------------------------------------------------------
typedef struct MrcProgress {
    double time, duration;        // simulated [s]; while settling, the duration is the longest allowed
    int64_t steps;                // done
    double elapsed;               // wall clock since the start [s]
    const char *phase;            // "starting", "settling", "running"
    const char *work;             // what takes long just now: "contact sweep"; NULL: nothing does
    int64_t work_done, work_most; // how many of these are done, and at most
} MrcProgress;

typedef struct MrcRow {       // of series.csv
    const char *const *names; // "t", "shell.y", ...
    const char *const *units; // "s", "m", ...
    const double *values;
    int count;
} MrcRow;

struct MrcPartner; // maraca/partner.h

struct MrcSim;
typedef struct MrcRunOptions {
    size_t size;           // of this struct, by mrc_run_options_default: later versions may have more
    const char *folder;    // for the results; NULL: keep nothing on disk
    int threads;           // 0: all cores
    bool resume;           // go on from the folder's checkpoint
    bool without_grains;   // run the mechanism once more with the mass of the grains fixed to it, and compare
    int64_t problem_steps; // rigid grains: the contact problem of every N-th step is kept; 0: none
    double checkpoint_seconds; // wall clock between checkpoints [s]
    const volatile int
        *stop; // set to non-zero (a signal handler may) to stop soon: after the current step, or
               // within it when it takes long
    void (*progress)(void *user, const MrcProgress *progress); // called a few times a second
    void (*message)(void *user, bool warning, const char *text);
    void (*row)(void *user,
                const MrcRow *row); // called with each row of series.csv, with or without a folder
    void *user;
    const struct MrcPartner *const *partners; // of the program; they must outlive the run
    int partner_count;
    bool without_report; // neither report.html nor the frames that it shows
    // To look at the simulation (sim.h), not to step it: called before the first step and after each one. Another status
    // than MRC_OK ends the run.
    MrcStatus (*step)(void *user, struct MrcSim *sim, MrcError *error);
} MrcRunOptions;

typedef struct MrcRunInfo {
    int64_t steps;
    double time; // reached [s]
    double wall_seconds, cpu_seconds;
    bool resumed;
    MrcFacts *facts; // all results: amplitudes, energies, periods, solvers, ...; NULL: the run did not begin
    char *summary;   // the same as the text of summary.json
    char *report;    // the same for people
} MrcRunInfo;

static inline MrcRunOptions mrc_run_options_default(void) {
    MrcRunOptions options = {0};
    options.size = sizeof options;
    options.checkpoint_seconds = 30;
    return options;
}
// `info` may be NULL; otherwise it is freed with mrc_run_info_free, whatever the status is.
MrcStatus mrc_run(const MrcModel *model, const MrcRunOptions *options, MrcRunInfo *info, MrcError *error);
void mrc_run_info_free(MrcRunInfo *info);

// ---- reports -------------------------------------------------------------------------------------
typedef struct MrcReportOptions {
    size_t size;      // of this struct, by mrc_report_options_default: later versions may have more
    const char *path; // of the page; NULL: report.html in the folder
    double budget;    // of the data in the page [bytes]: what does not fit is thinned, and the page says so
} MrcReportOptions;

static inline MrcReportOptions mrc_report_options_default(void) {
    MrcReportOptions options = {sizeof(MrcReportOptions), 0, 20e6};
    return options;
}
// A page for the browser from the result folder of a run, a study, modes or a comparison, which write it by themselves.
MrcStatus mrc_report(const char *folder, const MrcReportOptions *options, MrcError *error);

// ---- export --------------------------------------------------------------------------------------
// A model as an FMU for co-simulation (FMI 2.0 or 3.0), with its meshes, beds and tables inside: docs/connect.md.
typedef struct MrcExportOptions {
    size_t size;        // of this struct, by mrc_export_options_default: later versions may have more
    int version;        // of FMI: 2 or 3
    const char *path;   // of the FMU
    const char *binary; // path of maraca-fmu.so, which goes into it
} MrcExportOptions;

static inline MrcExportOptions mrc_export_options_default(void) {
    MrcExportOptions options = {sizeof(MrcExportOptions), 3, 0, 0};
    return options;
}
MrcStatus mrc_export_fmi(const MrcModel *model, const MrcExportOptions *options, MrcError *error);

// ---- comparisons ---------------------------------------------------------------------------------
// Runs one model several times, each time with other values, and gives how far the results are from those of
// the first. `variants` are separated by commas; each is
//
//     tight                                          a coupling scheme
//     tight+coupling.tolerance=1e-5                  the same with further values
//     coarse:simulate.step=1 ms+coupling.scheme=loose   any values, under a name
//     grains.damper.method=smooth                    any value
typedef struct MrcCompareOptions {
    const char *variants;
    const char *const *overrides; // "path=value", for all of them
    int override_count;
    MrcRunOptions run; // of each; `folder` gets one folder per variant and compare.json. `row` is not used.
} MrcCompareOptions;

typedef struct MrcComparison {
    int count, failed; // variants, and those of them that did not get to the end
    MrcFacts *facts;   // of all runs, and the differences of their series
    char *report;      // tables for people
    char *json;
} MrcComparison;

// MRC_OK when the first variant, which the others are compared with, got to the end; another one that does not
// is named in the tables. If the first one does not, the others are compared with the next that does, and its error is
// returned. A variant whose values do not fit the model is left out, and reported at once and at the end: MRC_MODEL.
// The comparison is there whenever `report` is.
MrcStatus mrc_compare(const char *model_path, const MrcCompareOptions *options, MrcComparison *comparison,
                      MrcError *error);
void mrc_comparison_free(MrcComparison *comparison);

// ---- stability of coupling schemes ---------------------------------------------------------------
// Spectral-radius maps of the two-mass oscillator (docs/theory/stability.md): does an error grow from step to
// step, and for which rho_inf of the mechanism's integrator and which omega h, its frequency times the step?
typedef struct MrcRange {
    double first, last;
    int count; // values from first to last, evenly spaced; 1 when both are the same
} MrcRange;

typedef struct MrcStabilityOptions {
    const char *scheme; // one of mrc_stability_schemes
    const char *inputs; // explicit: original, index-1, index-2, index-3; NULL: index-1 or the next three
    double alpha, beta, gamma; // explicit: weights of position, velocity, acceleration in multiples of 1/h^2,
                               // 1/h and 1, the last two 0 when not given; NAN: not given
    const char *order;         // loose, explicit, multirate: gauss-seidel (NULL too) or jacobi
    const char
        *extrapolation;     // of the load: none, linear, quadratic; NULL: quadratic in multirate, else none
    double mass_ratio;      // m2 / m1: grains over mechanism
    double frequency_ratio; // omega02 / omega01
    double damping_ratio;   // xi2 / xi1
    double xi1;             // of the mechanism alone
    int substeps;           // steps of the grains per step of the mechanism
    MrcRange rho, omega_h;  // of the map
    bool logarithmic;       // omega_h spaced by equal factors
    // condensed with substeps: a contact in place of the link, a spring k and a dashpot c inside the steps of the grains
    double contact;         // sqrt(k / m2) times the step of the mechanism; 0: a link
    double contact_damping; // c / (2 sqrt(k m2))
} MrcStabilityOptions;

typedef struct MrcStabilityMap MrcStabilityMap;

const char *mrc_stability_schemes(void); // "condensed, tight, ... or monolithic"; valid until the next call
MrcStabilityOptions mrc_stability_options_default(void);
MrcStatus mrc_stability(const MrcStabilityOptions *options, MrcStabilityMap **map, MrcError *error);
MrcFacts *
mrc_stability_facts(const MrcStabilityMap *map); // the system, and what the map says; NULL: memory is out
double mrc_stability_radius(const MrcStabilityMap *map, int rho_index, int omega_h_index);
char *mrc_stability_text(const MrcStabilityMap *map); // for people: a map of letters and what it says
char *
mrc_stability_json(const MrcStabilityMap *map); // {"rho": [...], "omega_h": [...], "radius": [[...]], ...}
// Writes .html, .csv, .json, .svg or .png (the last two by gnuplot), by the ending of the path.
MrcStatus mrc_stability_write(const MrcStabilityMap *map, const char *path, MrcError *error);
void mrc_stability_free(MrcStabilityMap *map);

// ---- modes ---------------------------------------------------------------------------------------
typedef enum MrcModeKind {
    MRC_MODE_VIBRATION,
    MRC_MODE_RIGID, // the mechanism is free to move so: 0 Hz
    MRC_MODE_REAL,  // no vibration: it creeps back, or moves away when it is unstable
} MrcModeKind;

typedef struct MrcMode {
    MrcModeKind kind;
    double frequency_hz;        // natural: |lambda| / (2 pi)
    double damped_frequency_hz; // at which it vibrates: Im(lambda) / (2 pi)
    double damping_ratio;       // -Re(lambda) / |lambda|; negative: it grows
    double real, imaginary;     // lambda [1/s]
} MrcMode;

typedef struct MrcModes {
    MrcMode *modes; // lowest first
    int count;
    MrcFacts *facts; // the same with the state that they are about, shapes and energies
    char *report;    // a table for people
    char *json;      // the facts
} MrcModes;

typedef struct MrcModesOptions {
    int count;          // modes wanted; 0: 10
    const char *folder; // for modes.json and frames of the shapes; NULL: none
    void (*message)(void *user, bool warning, const char *text);
    void *user;
} MrcModesOptions;

// Natural frequencies, damping ratios and shapes of the model's mechanism about its start: as written, in
// equilibrium, or in steady rotation.
MrcStatus mrc_modes(const MrcModel *model, const MrcModesOptions *options, MrcModes *modes, MrcError *error);
void mrc_modes_free(MrcModes *modes);

#ifdef __cplusplus
}
#endif
#endif
