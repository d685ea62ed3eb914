#include "math/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

// ---- dimensions ----------------------------------------------------------------------------------

bool dimension_equal(Dimension a, Dimension b) {
    return a.length == b.length && a.mass == b.mass && a.time == b.time && a.angle == b.angle;
}

bool dimension_accepts(Dimension expected, Dimension given) {
    // 1 rad = 1, so a missing angle is no error, and neither is the one that stays in radius * angular
    // velocity. Where values differ by the angle alone (deg from a pure number, rad/s from Hz) it has
    // to be right.
    bool angle_counts = expected.length == 0 && expected.mass == 0;
    if (given.angle == 0 || !angle_counts) given.angle = expected.angle;
    return dimension_equal(expected, given);
}

Dimension dimension_mul(Dimension a, Dimension b) {
    return (Dimension){(int16_t)(a.length + b.length), (int16_t)(a.mass + b.mass), (int16_t)(a.time + b.time),
                       (int16_t)(a.angle + b.angle)};
}

Dimension dimension_div(Dimension a, Dimension b) {
    return (Dimension){(int16_t)(a.length - b.length), (int16_t)(a.mass - b.mass), (int16_t)(a.time - b.time),
                       (int16_t)(a.angle - b.angle)};
}

// ---- their names ---------------------------------------------------------------------------------

static const struct {
    int8_t length, mass, time, angle; // whole exponents
    const char *name;
    const char *unit;
} dimension_names[] = {
    {0, 0, 0, 0, "a pure number", "1"},
    {1, 0, 0, 0, "a length", "m"},
    {2, 0, 0, 0, "an area", "m^2"},
    {3, 0, 0, 0, "a volume", "m^3"},
    {0, 1, 0, 0, "a mass", "kg"},
    {0, 0, 1, 0, "a time", "s"},
    {0, 0, 0, 1, "an angle", "rad"},
    {0, 0, -1, 0, "a frequency", "Hz"},
    {1, 0, -1, 0, "a velocity", "m/s"},
    {1, 0, -2, 0, "an acceleration", "m/s^2"},
    {0, 0, -1, 1, "an angular velocity", "rad/s"},
    {0, 0, -2, 1, "an angular acceleration", "rad/s^2"},
    {1, 1, -2, 0, "a force", "N"},
    {2, 1, -2, 0, "a moment or an energy", "N*m"},
    {2, 1, -3, 0, "a power", "W"},
    {-1, 1, -2, 0, "a pressure", "Pa"},
    {-3, 1, 0, 0, "a density", "kg/m^3"},
    {-2, 1, 0, 0, "a mass per area", "kg/m^2"},
    {-1, 1, 0, 0, "a mass per length", "kg/m"},
    {0, 1, -2, 0, "a stiffness", "N/m"},
    {0, 1, -1, 0, "a damping", "N*s/m"},
    {1, 1, -1, 0, "a momentum", "N*s"},
    {2, 1, -1, 0, "an angular momentum", "N*m*s"},
    {2, 1, 0, 0, "a moment of inertia", "kg*m^2"},
    {1, 1, 0, 0, "an inertia per length", "kg*m"},
    {4, 0, 0, 0, "an area moment", "m^4"},
    {2, 1, -2, -1, "a rotational stiffness", "N*m/rad"},
    {2, 1, -1, -1, "a rotational damping", "N*m*s/rad"},
    {3, 1, -2, 0, "a bending stiffness", "N*m^2"},
    {-1, 1, -1, 0, "a viscosity", "Pa*s"},
    {3, 0, -1, 0, "a flow of volume", "m^3/s"},
};

static int dimension_find(Dimension dimension) {
    for (size_t i = 0; i < sizeof dimension_names / sizeof *dimension_names; i++) {
        Dimension named = DIMENSION(dimension_names[i].length, dimension_names[i].mass,
                                    dimension_names[i].time, dimension_names[i].angle);
        if (dimension_equal(named, dimension)) return (int)i;
    }
    return -1;
}

static int dimension_common_divisor(int a, int b) { return b == 0 ? a : dimension_common_divisor(b, a % b); }

// Appends `*symbol^exponent` with the exponent in twelfths; cuts off what does not fit.
static void dimension_append_power(char *buffer, size_t size, const char *symbol, int twelfths) {
    if (twelfths == 0) return;
    size_t used = strlen(buffer);
    const char *times = used > 0 ? "*" : "";
    int shared = dimension_common_divisor(abs(twelfths), DIMENSION_ONE);
    int above = twelfths / shared, below = DIMENSION_ONE / shared;
    if (below > 1) snprintf(buffer + used, size - used, "%s%s^(%d/%d)", times, symbol, above, below);
    else if (above != 1) snprintf(buffer + used, size - used, "%s%s^%d", times, symbol, above);
    else snprintf(buffer + used, size - used, "%s%s", times, symbol);
}

const char *dimension_unit(Dimension dimension, char *buffer, size_t size) {
    if (size == 0) return "";
    int named = dimension_find(dimension);
    if (named >= 0) {
        snprintf(buffer, size, "%s", dimension_names[named].unit);
        return buffer;
    }
    buffer[0] = '\0';
    dimension_append_power(buffer, size, "kg", dimension.mass);
    dimension_append_power(buffer, size, "m", dimension.length);
    dimension_append_power(buffer, size, "s", dimension.time);
    dimension_append_power(buffer, size, "rad", dimension.angle);
    return buffer;
}

const char *dimension_describe(Dimension dimension, char *buffer, size_t size) {
    if (size == 0) return "";
    int named = dimension_find(dimension);
    if (named < 0) return dimension_unit(dimension, buffer, size);
    if (dimension_equal(dimension, DIM_NUMBER)) snprintf(buffer, size, "%s", dimension_names[named].name);
    else snprintf(buffer, size, "%s (%s)", dimension_names[named].name, dimension_names[named].unit);
    return buffer;
}

// ---- units ---------------------------------------------------------------------------------------

// A unit is 10^decade * factor in SI. Decades are kept apart so that mg is 1e-6 and not 1e-3 * 1e-3, which is
// another double.
//
// Left out on purpose: t for the tonne (t is time), min and h (min is a function), K (nothing is thermal).
typedef enum Prefixes { PREFIX_NONE, PREFIX_MILLI, PREFIX_ALL } Prefixes;

static const struct {
    const char *symbol;
    int decade;
    double factor;
    Prefixes prefixes;
    Dimension dimension;
} units[] = {
    {"m", 0, 1, PREFIX_ALL, DIM_LENGTH},
    {"s", 0, 1, PREFIX_ALL, DIM_TIME},
    {"g", -3, 1, PREFIX_ALL, DIM_MASS},
    {"N", 0, 1, PREFIX_ALL, DIM_FORCE},
    {"Pa", 0, 1, PREFIX_ALL, DIM_PRESSURE},
    {"J", 0, 1, PREFIX_ALL, DIM_ENERGY},
    {"W", 0, 1, PREFIX_ALL, DIM_POWER},
    {"Hz", 0, 1, PREFIX_ALL, DIM_FREQUENCY},
    {"bar", 5, 1, PREFIX_MILLI, DIM_PRESSURE},
    {"rad", 0, 1, PREFIX_MILLI, DIM_ANGLE},
    {"deg", 0, 0.017453292519943295769, PREFIX_NONE, DIM_ANGLE},           // pi/180
    {"rpm", 0, 0.10471975511965977462, PREFIX_NONE, DIM_ANGULAR_VELOCITY}, // 2 pi/60 s
    {"%", -2, 1, PREFIX_NONE, DIM_NUMBER},
};

static const struct {
    const char *symbol;
    int decade;
} prefixes[] = {
    {"p", -12}, {"n", -9}, {"u", -6}, {"\xC2\xB5", -6}, {"\xCE\xBC", -6}, // micro sign and Greek mu in UTF-8
    {"m", -3},  {"c", -2}, {"d", -1}, {"k", 3},         {"M", 6},         {"G", 9}, {"T", 12},
};

static double unit_power_of_ten(int decade) {
    static const double below[] = {1e0,  1e-1, 1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,
                                   1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15};
    static const double above[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
    return decade < 0 ? below[-decade] : above[decade];
}

static bool unit_find_plain(const char *symbol, size_t length, int prefix_decade, double *factor,
                            Dimension *dimension) {
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].symbol) != length || memcmp(units[i].symbol, symbol, length) != 0) continue;
        if (prefix_decade != 0 && units[i].prefixes == PREFIX_NONE) return false;
        if (prefix_decade != 0 && prefix_decade != -3 && units[i].prefixes == PREFIX_MILLI) return false;
        *factor = units[i].factor * unit_power_of_ten(units[i].decade + prefix_decade);
        *dimension = units[i].dimension;
        return true;
    }
    return false;
}

bool unit_find(const char *symbol, size_t length, double *factor, Dimension *dimension) {
    if (unit_find_plain(symbol, length, 0, factor, dimension)) return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t prefix = strlen(prefixes[i].symbol);
        if (length <= prefix || memcmp(prefixes[i].symbol, symbol, prefix) != 0) continue;
        if (unit_find_plain(symbol + prefix, length - prefix, prefixes[i].decade, factor, dimension))
            return true;
    }
    return false;
}

// Dividing by 1000 rounds once, multiplying by 0.001 twice.
double units_to_si(double value, double factor) {
    double inverse = round(1 / factor);
    if (factor < 1 && inverse < 1e15 && fabs(inverse * factor - 1) < 1e-14) return value / inverse;
    return value * factor;
}

// Misspellings for which the edit distance alone suggests the wrong unit, as nm for Nm.
static const struct {
    const char *slip, *meant;
} unit_slips[] = {
    {"Nm", "N*m"},     {"Nmm", "N*mm"},    {"kNm", "kN*m"},   {"Ns", "N*s"},      {"Pas", "Pa*s"},
    {"m2", "m^2"},     {"m3", "m^3"},      {"mm2", "mm^2"},   {"mm3", "mm^3"},    {"s2", "s^2"},
    {"sec", "s"},      {"second", "s"},    {"seconds", "s"},  {"meter", "m"},     {"metre", "m"},
    {"degree", "deg"}, {"degrees", "deg"}, {"radian", "rad"}, {"radians", "rad"}, {"percent", "%"},
    {"gram", "g"},     {"newton", "N"},    {"tonne", "Mg"},
};

const char *unit_nearest(const char *symbol, size_t length) {
    static const char *const common[] = {"mm",  "m",   "um",  "cm",  "km",  "nm",  "s",  "ms",   "us",
                                         "g",   "kg",  "mg",  "N",   "kN",  "mN",  "MN", "Pa",   "kPa",
                                         "MPa", "GPa", "J",   "kJ",  "mJ",  "W",   "kW", "mW",   "Hz",
                                         "kHz", "MHz", "deg", "rad", "rpm", "bar", "dm", "mrad", "mbar"};
    for (size_t i = 0; i < sizeof unit_slips / sizeof *unit_slips; i++)
        if (strlen(unit_slips[i].slip) == length && memcmp(unit_slips[i].slip, symbol, length) == 0)
            return unit_slips[i].meant;
    return nearest_word(symbol, length, common, sizeof common / sizeof *common);
}
