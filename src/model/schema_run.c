// simulate, record, periods, frames, checkpoint: how long, how finely, and what is kept.
#include "model/schema_sections.h"
#include "sim/definition.h"

static const SchemaChoice step_sources[] = {
    {"auto", STEP_AUTO,
     "as long as contacts are still resolved; `maraca check` and the report say what it is and why"},
    {NULL, 0, NULL},
};
static const SchemaKey simulate_keys[] = {
    {"duration", QUANTITY(SimulateDefinition, duration), .dimension = DIM_TIME, .range = POSITIVE,
     .required = true, .doc = "Simulated time."},
    {"step", QUANTITY_OR_WORD(SimulateDefinition, step, source, step_sources), .dimension = DIM_TIME,
     .range = POSITIVE, .fallback = "auto", .doc = "Time step."},
    {"planned", QUANTITY(SimulateDefinition, planned), .dimension = DIM_TIME, .range = POSITIVE,
     .fallback_words = "the duration",
     .doc = "The duration that automatic values are made for: step, speed and stiffness of contacts, time "
            "between "
            "samples, frequency of periods. A run that was extended by `--resume` has it."},
};

const SchemaObject schema_simulate = {
    .name = "simulate",
    .doc = "The simulated time and its steps.",
    .size = sizeof(SimulateDefinition),
    SCHEMA_KEYS(simulate_keys),
    .example = "simulate: {duration: 2 s, step: 10 us}\n",
};

static const SchemaKey derived_keys[] = {
    {"formula", TEXT(DerivedDefinition, formula), .required = true,
     .doc = "A formula of signals: `shaft.mz*drum.wz`."},
};
static const SchemaObject schema_derived = {
    .name = "derived",
    .doc = "A signal that is a formula of other signals (`maraca signals` lists them) and of derived signals "
           "before it. Its name is none that formulas know already: `t`, `pi`, functions, units.",
    .size = sizeof(DerivedDefinition),
    .name_offset = offsetof(DerivedDefinition, name),
    .bare = true,
    SCHEMA_KEYS(derived_keys),
    .example = "record: {derived: {power: drum.load.my*drum.wy, share: power/(2 kW)}}\n"};

static const SchemaKey record_keys[] = {
    {"every", QUANTITY(RecordDefinition, every), .dimension = DIM_TIME, .range = POSITIVE,
     .fallback_words = "a thousandth of the (planned) duration",
     .doc = "Time between two lines of series.csv."},
    {"derived", MAP(RecordDefinition, derived, derived_count, schema_derived),
     .doc = "Further signals, each a formula of others, of constants, inputs and the time t."},
    {"series", TEXTS(RecordDefinition, series, series_count), .fallback_words = "everything there is",
     .doc =
         "Signals to record: full names (`damper.load.fx`) or the beginning of several (`damper.load`, "
         "`energy`); single grains by their id, from 0 on (`damper.grain.17`, `damper.grain.17.vz`). `maraca "
         "signals` lists them."},
    {"end", BOOLEAN(RecordDefinition, end), .fallback = "false",
     .doc = "At the end, write the grains of each bed to end-NAME.csv, with which another model may begin "
            "(`packing: {from: "
            "...}`)."},
};

const SchemaObject schema_record = {
    .name = "record",
    .doc = "The columns of series.csv and how often a line is written.",
    .size = sizeof(RecordDefinition),
    SCHEMA_KEYS(record_keys),
    .example = "record: {every: 1 ms, series: [box.x, damper.load, energy]}\n",
};

static const SchemaKey periods_keys[] = {
    {"port", NAME(PeriodsDefinition, port), .refers = "ports", .required = true,
     .doc = "The port whose motion has the period; the beds with a wall on it are measured."},
    {"frequency", QUANTITY(PeriodsDefinition, frequency), .dimension = DIM_FREQUENCY, .range = POSITIVE,
     .fallback_words = "found in the port's motion", .doc = "Periods per second."},
    {"mass_ratio", QUANTITY(PeriodsDefinition, mass_ratio), .range = POSITIVE, .fallback = "1 %",
     .doc = "Mass of the grains over that of the vibrating system for which the damping ratio is given."},
    {"skip", INTEGER(PeriodsDefinition, skip), .range = FROM_TO(0, 1e9), .fallback = "0",
     .doc = "Periods at the start that are left out of mean and deviation."},
};

const SchemaObject schema_periods = {
    .name = "periods",
    .doc = "Energy that the grains dissipate in each period of a port's motion, and the damping ratio of a "
           "mass on a spring that would dissipate as much (Biondani et al. 2022, doi:10.3390/pr10071247, "
           "Eqs. 10 "
           "and 11), to periods.csv; mean and standard deviation go to summary.json and the report.",
    .size = sizeof(PeriodsDefinition),
    SCHEMA_KEYS(periods_keys),
    .example = "periods: {port: box, skip: 5}\n",
};

static const SchemaChoice frame_axes[] = {
    {"world", FRAMES_WORLD, "those of the world"},
    {"both", FRAMES_BOTH,
     "those of the world and, through frames-container.pvd, each bed of grains in those of the port that "
     "carries it, as seen from the container"},
    {NULL, 0, NULL},
};
static const SchemaKey frames_keys[] = {
    {"every", QUANTITY(SimDefinition, frames_every), .dimension = DIM_TIME, .range = POSITIVE,
     .required = true, .doc = "Simulated time between two frames."},
    {"axes", CHOICE(SimDefinition, frames_axes, frame_axes), .fallback = "world",
     .doc = "The axes of the frames."},
};

const SchemaObject schema_frames = {
    .name = "frames",
    .doc = "Grains, walls and mechanism at many instants as VTK files, to be opened in ParaView through "
           "frames.pvd.",
    .size = sizeof(SimDefinition),
    SCHEMA_KEYS(frames_keys),
    .example = "frames: {every: 10 ms}\n",
};

static const SchemaKey checkpoint_keys[] = {
    {"every", QUANTITY(SimDefinition, checkpoint_every), .dimension = DIM_TIME, .range = POSITIVE,
     .required = true, .doc = "Simulated time between two checkpoints."},
};

const SchemaObject schema_checkpoint = {
    .name = "checkpoint",
    .doc = "States from which `maraca run --resume` goes on. Besides these, one is written "
           "every 30 s of wall-clock time.",
    .size = sizeof(SimDefinition),
    SCHEMA_KEYS(checkpoint_keys),
    .example = "checkpoint: {every: 0.1 s}\n",
};
