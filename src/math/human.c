#include "math/human.h"

#include <math.h>

#include "base/quantity.h"

enum { HUMAN_DIGITS = 4 };

void human_add(Text *text, double value, Dimension dimension) {
    char unit[64], buffer[QUANTITY_SIZE];
    text_add_string(text,
                    quantity_text(buffer, value, dimension_unit(dimension, unit, sizeof unit), HUMAN_DIGITS));
}

static void human_add_three(Text *text, Vec3 value, Dimension dimension, const char *between) {
    char name[64], buffer[QUANTITY_SIZE];
    double largest = fmax(fabs(value.x), fmax(fabs(value.y), fabs(value.z)));
    QuantityUnit unit = quantity_unit(largest, dimension_unit(dimension, name, sizeof name), HUMAN_DIGITS);
    text_add_string(text, quantity_number(buffer, value.x / unit.factor, HUMAN_DIGITS));
    text_add(text, "%s%s", between, quantity_number(buffer, value.y / unit.factor, HUMAN_DIGITS));
    text_add(text, "%s%s", between, quantity_in(buffer, value.z, unit, HUMAN_DIGITS));
}

void human_add_vector(Text *text, Vec3 value, Dimension dimension) {
    human_add_three(text, value, dimension, " ");
}

void human_add_size(Text *text, Vec3 size, Dimension dimension) {
    human_add_three(text, size, dimension, " x ");
}

void human_add_count(Text *text, double count) {
    char buffer[QUANTITY_SIZE];
    text_add_string(text, quantity_count(buffer, llround(count)));
}
