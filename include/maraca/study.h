// Studies: one model is run many times, and the runs are reduced to facts.
//
//     MrcStudyOptions options = mrc_study_options_default();
//     const char *vary[] = {"constants.f=8:16:17 Hz"}, *measures[] = {"amplitude.shell.amplitude"};
//     options.folder = "damper.sweep", options.measures = measures, options.measure_count = 1;
//     MrcStudy study;
//     if (mrc_sweep("damper.yaml", vary, 1, &options, &study, &error) == MRC_OK) fputs(study.report, stdout);
//     mrc_study_free(&study);
//
// A study has a folder. Each run leaves one result there, kept under a key made from its model: what has been run is
// never run again, whether the study was killed, is given more points, or is shared by several processes.
#ifndef MARACA_STUDY_H
#define MARACA_STUDY_H

#include "maraca/maraca.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MrcStudyProgress {
    int done, failed,
        planned;          // runs: with a result, failed ones among them, and all that are known to be needed
    int running;          // by this process
    double elapsed, left; // wall clock [s]; `left` NAN: not known yet
    double running_done;  // parts of the running ones that are done, added up: up to `running`
} MrcStudyProgress;

typedef struct MrcStudyOptions {
    size_t size;        // of this struct, by mrc_study_options_default: later versions may have more
    const char *folder; // of the study; it is made when it is not there
    const char *const *overrides; // "path=value", for all points
    int override_count;
    const char *const *measures; // names of facts that go into the table; none: a choice
    int measure_count;
    int threads;     // runs side by side, each on one thread; 0: all cores
    int beds;        // random beds per point; the same seeds for all points. 0: one
    double until;    // more beds until each measure's interval is below this part of its mean; 0: no more
    int budget;      // with `until`: beds per point at most; 0: 20
    int slot, slots; // this process takes the points number slot, slot + slots, ... (from 1); 0: any
    bool keep;       // the result folders of the runs
    bool retry;      // runs that failed before
    const volatile int *stop; // non-zero: end soon; the same study goes on from there
    void (*progress)(void *user,
                     const MrcStudyProgress *progress); // a few times a second, by the calling thread
    void (*message)(void *user, bool warning, const char *text); // likewise
    void *user;
    bool leave; // end when all that is left is being done by other processes, instead of waiting for them
} MrcStudyOptions;

static inline MrcStudyOptions mrc_study_options_default(void) {
    MrcStudyOptions options = {0};
    options.size = sizeof options;
    return options;
}

typedef struct MrcStudy {
    int points, done, failed; // places of the grid; runs with a result, failed ones among them
    MrcFacts *facts;          // the table, with mean, deviation and interval of each measure
    char *report;             // the same for people
    char *json;               // the same as study.json
} MrcStudy;

void mrc_study_free(MrcStudy *study);

// A grid over any values of the model. Each of `vary` is PATH=VALUES, VALUES being a list a,b,c, a range of n values
// a:b:n, or one of equal factors a:b:n:log; a unit behind the last number holds for all. MRC_OK: all runs that this
// process had to do are done, and at least one of them got to its end; those that failed are named in the report.
MrcStatus mrc_sweep(const char *model_path, const char *const *vary, int vary_count,
                    const MrcStudyOptions *options, MrcStudy *study, MrcError *error);

// ---- frequency responses -------------------------------------------------------------------------
// By stepped sine: each frequency is held until the response is periodic, two-periodic or stationary. A drive made of
// inputs, amplitude*sin(2*pi*frequency*t + phase), is stepped within one simulation, up or down; otherwise each frequency
// begins from rest.
typedef struct MrcResponseOptions {
    size_t size;
    const char
        *frequency; // "[PATH=]VALUES", rising; the input or constant `frequency` or `f` when no path is given
    const char *signal;    // the response: "box.x"
    const char *reference; // signal that it is divided by and whose phase counts; NULL: none
    const char *phase;     // input with the phase of the drive; NULL: "phase"
    const char *direction; // "up" (NULL too), "down" or "both"
    bool from_rest;        // each frequency by itself, although the drive is made of inputs
    const char *
        control; // "SIGNAL=RMS": the drive is changed until the signal has that r.m.s. value; NULL: no control
    const char *drive; // input that is changed for that
    double tolerance;  // of the controlled value; 0: 5 %
    double
        steady; // part of the amplitude that may still be missing when a response is called periodic; 0: 1 %
    int most;   // periods per frequency; 0: 200
    int stationary; // periods whose mean counts when no period is like the one before; half as many are left out; 0: 20
} MrcResponseOptions;

static inline MrcResponseOptions mrc_response_options_default(void) {
    MrcResponseOptions options = {0};
    options.size = sizeof options;
    return options;
}

MrcStatus mrc_response(const char *model_path, const MrcResponseOptions *response,
                       const MrcStudyOptions *options, MrcStudy *study, MrcError *error);

// ---- damping maps --------------------------------------------------------------------------------
// An isolated damper on a port with a prescribed harmonic motion, over frequency and amplitude: the energy that it
// dissipates per cycle and its effective mass, and what follows from them. The folder gets the damper element
// element.json, element.csv, and element.bdf (Nastran PBUSHT).
typedef struct MrcMapOptions {
    size_t size;
    const char
        *frequency; // "[PATH=]VALUES"; the path is that of the constant or input f when it is not given
    const char *amplitude; // likewise, of A; NULL: by acceleration
    const char
        *acceleration; // "VALUES", largest of the motion, in m/s^2 or g, of which the amplitude follows
    const char *port;  // NULL: the only one with grains
    double mass_ratio; // mu of the equivalent damping ratio; 0: 1 %
    int skip, periods; // left out at the start, and measured; 0: 10 and 40
} MrcMapOptions;

static inline MrcMapOptions mrc_map_options_default(void) {
    MrcMapOptions options = {0};
    options.size = sizeof options;
    return options;
}

MrcStatus mrc_map(const char *model_path, const MrcMapOptions *map, const MrcStudyOptions *options,
                  MrcStudy *study, MrcError *error);

// The damper element `path` (element.json) as an FMU that is a table and nothing else: velocity and acceleration in, force
// out. `binary` is maraca-element.so, with its C source in the folder maraca-element beside it; maraca-element.dll, if it
// is there, goes in for Windows.
MrcStatus mrc_export_element(const char *path, const MrcExportOptions *options, MrcError *error);

// ---- structures with damper elements -------------------------------------------------------------
// The response of a structure to a harmonic force, with damper elements (mrc_map) at one point of it, by harmonic balance:
// amplitude upwards and downwards over frequency, and the band that the intervals of the maps imply. No simulation is run.
typedef struct MrcRespondOptions {
    size_t size;
    const char *const *dampers; // paths of element.json; "3*element.json" stands for three of them
    int damper_count;
    const char *at;               // of a model: node and axis of the dampers, "arm.end.y"
    const char *force_at;         // likewise, of the force; NULL: `at`
    const char *force;            // its amplitude: "0.25 N"
    const char *frequency;        // VALUES, rising; NULL: those of a table of receptances
    const char *const *overrides; // of a model
    int override_count;
    const char *folder; // for respond.csv and respond.json; NULL: none
} MrcRespondOptions;

static inline MrcRespondOptions mrc_respond_options_default(void) {
    MrcRespondOptions options = {0};
    options.size = sizeof options;
    return options;
}

// `structure`: a model file, whose mechanism is taken without its grains; or a table *.csv of modes (columns f[Hz],
// damping[1], mass[kg], the modal mass when the attachment point moves by one) or of receptances (f[Hz], real[m/N],
// imaginary[m/N]), the force acting at the attachment point.
MrcStatus mrc_respond(const char *structure, const MrcRespondOptions *options, MrcStudy *study,
                      MrcError *error);

// ---- free decays ---------------------------------------------------------------------------------
// Logarithmic decrement, damping ratio and specific damping capacity of a recorded free decay, over the amplitude.
typedef struct MrcDampingOptions {
    size_t size;
    const char *signal; // column: "shell.y"
    double from, to;    // what is looked at [s]; `to` 0: to the end
    int cycles;         // per line of the table; 0: 4
    double floor;       // it ends where the amplitude is below this part of the largest; 0: 0.01
    const char *folder; // for damping.json, decay.csv and spectrum.csv; NULL: none
} MrcDampingOptions;

static inline MrcDampingOptions mrc_damping_options_default(void) {
    MrcDampingOptions options = {0};
    options.size = sizeof options;
    return options;
}

// `path`: the folder of a run, or a table like its series.csv.
MrcStatus mrc_damping(const char *path, const MrcDampingOptions *options, MrcStudy *study, MrcError *error);

// ---- error bars ----------------------------------------------------------------------------------
// Runs a model with half the step, a stricter contact solver, another coupling scheme and other beds, and gives how far the
// measures can be trusted; certificate.json in the folder. MRC_UNCERTAIN: the error of one of them is larger than
// `limit` times its value (0: 5 %).
MrcStatus mrc_certify(const char *model_path, double limit, const MrcStudyOptions *options, MrcStudy *study,
                      MrcError *error);

// ---- the best values -----------------------------------------------------------------------------
// Searches the values of a model that make a fact of its runs smallest or largest, within limits on other facts. The table
// has all that was tried; study.json has the winner and how sure it is.
typedef struct MrcOptimiseOptions {
    size_t size;
    const char *const
        *vary; // "PATH=a:b", "PATH=a:b:log", "PATH=a:b:integer" or a list; a unit at the end holds for all
    int vary_count;
    const char *minimise, *maximise; // one of them: the fact
    const char *const *limits;       // "FACT<=VALUE" or "FACT>=VALUE"
    int limit_count;
    const char *const *over; // "PATH=VALUES": conditions that every candidate is run under, all combinations
    int over_count;
    bool worst;     // the worst of the conditions counts, not their mean
    int candidates; // at most; 0: 10 and 6 for each variable
    double to;      // it ends when less than this part of the best value is to be gained; 0: 1 %
} MrcOptimiseOptions;

static inline MrcOptimiseOptions mrc_optimise_options_default(void) {
    MrcOptimiseOptions options = {0};
    options.size = sizeof options;
    return options;
}

MrcStatus mrc_optimise(const char *model_path, const MrcOptimiseOptions *optimise,
                       const MrcStudyOptions *options, MrcStudy *study, MrcError *error);

// ---- parameters from measurements ----------------------------------------------------------------
// Finds the values of a model with which its free decay or its frequency response is a measured one, their intervals, and
// which of them the data cannot tell apart. study.json has them as `fit`; fit.csv has data and model beside each other. A
// table with a column of frequencies (Hz) is a response, one over time a decay.
typedef struct MrcFitOptions {
    size_t size;
    const char *const *vary; // "PATH=a:b"; also "friction,restitution" of the only material that has them
    int vary_count;
    const char *signal; // of the model: "box.x"
    const char *column; // of the data; NULL: the same name
    double from, to;    // of the data that is looked at [s], [Hz]; `to` 0: to the end
    double model_from;  // where the decay of the model begins [s]
    int rounds;         // of runs; 0: 3 of a decay, 4 of a response
    // Of responses:
    const char
        *frequency; // path of the frequency of the drive; NULL: the input or constant `frequency` or `f`
    const char *reference; // signal whose amplitude those of the data are divided by; NULL: none
    const char *direction; // in which frequencies were stepped, "up" (NULL too) or "down"
    int frequencies;       // that are compared; 0: 16
    double steady;         // as in MrcResponseOptions
    int most;
} MrcFitOptions;

static inline MrcFitOptions mrc_fit_options_default(void) {
    MrcFitOptions options = {0};
    options.size = sizeof options;
    return options;
}

MrcStatus mrc_fit(const char *data_path, const char *model_path, const MrcFitOptions *fit,
                  const MrcStudyOptions *options, MrcStudy *study, MrcError *error);

// ---- how soft contacts may be --------------------------------------------------------------------
// Runs a model of smooth grains with softer and softer contacts and finds the largest overlap that does not change the
// measures (eta), the overlap in the bed over that of one grain (beta), and the least stiffness that follows.
// speed-up.csv has what they make of other frequencies and accelerations.
typedef struct MrcSizeOptions {
    size_t size;
    const char *bed;       // of grains; NULL: the only one
    const char *reference; // "90 kN/m"; NULL: that of the material
    double limit;          // on the change of the measures; 0: 5 %
    double decades;        // from the reference down; 0: 4
    int levels;            // of stiffness; 0: 9
} MrcSizeOptions;

static inline MrcSizeOptions mrc_size_options_default(void) {
    MrcSizeOptions options = {0};
    options.size = sizeof options;
    return options;
}

MrcStatus mrc_size(const char *model_path, const MrcSizeOptions *size, const MrcStudyOptions *options,
                   MrcStudy *study, MrcError *error);

#ifdef __cplusplus
}
#endif
#endif
