// Numbers with the units that people read: 0.00309 m is "3.09 mm". Rounded first, so that 999.96 um is "1 mm".
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include <stdint.h>

enum { QUANTITY_SIZE = 64 };

// A unit that values are shown in.
typedef struct QuantityUnit {
    const char *symbol; // "mm"; "" of a pure number
    double factor;      // to SI units: 1e-3
} QuantityUnit;

// The one in which a value in the SI unit `unit` ("m", "1") reads best with so many digits: for a column, that of its
// largest value. `unit` must live as long as the result.
QuantityUnit quantity_unit(double value, const char *unit, int digits);

// All of these write to the buffer and return it. Not finite: "-".
const char *quantity_text(char buffer[QUANTITY_SIZE], double value, const char *unit,
                          int digits);                                                            // "3.09 mm"
const char *quantity_in(char buffer[QUANTITY_SIZE], double value, QuantityUnit unit, int digits); // "3.09 mm"
const char *quantity_number(char buffer[QUANTITY_SIZE], double value, int digits);                // "3.09"
const char *quantity_percent(char buffer[QUANTITY_SIZE], double value, int digits);               // "0.36 %"
const char *quantity_power(char buffer[QUANTITY_SIZE], double value);                             // "2.6e-4"
const char *quantity_count(char buffer[QUANTITY_SIZE], int64_t count);                            // "20,000"

#endif
