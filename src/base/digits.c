// A double is m 2^k with m < 2^53. With a power of ten p between 0 and 27,
//
//     10^p m 2^k = N / 2^s,   N = m 5^p < 2^116,   s = -(k + p)
//
// so that its digits and what is left of them are exact in a whole number of 128 bits. p is chosen so that there are 17
// digits before the point. Fewer digits D, 10^c of them less, read back to the number if they are nearer to it than half
// the way to its neighbours, which is 5^p/2 in units of N; half way, strtod takes the even m:
//
//     2 |D 10^c 2^s - N| < 5^p,  or equal and m even
//
// The neighbour below m = 2^52, the least of its power of two, is nearer: such numbers are left to printf.
#include "base/digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 Wide128;

enum { DIGITS_MOST = 17, DIGITS_POWER = 27 };          // 5^27 < 2^63
static const int64_t digits_limit = 10000000000000000; // 10^16, the least of 17 digits

typedef struct Digits {
    Wide128 number; // N
    int shift;      // s
    int exponent;   // of ten, of the first digit
    uint64_t five;  // 5^p
    bool even;      // m is
} Digits;

static uint64_t digits_power(uint64_t base, int exponent) {
    uint64_t power = 1;
    for (int i = 0; i < exponent; i++) power *= base;
    return power;
}

// False: out of range.
static bool digits_split(double size, int exponent, Digits *d) {
    int k, p = DIGITS_MOST - 1 - exponent;
    uint64_t m = (uint64_t)ldexp(frexp(size, &k), 53);
    k -= 53;
    if (p < 0 || p > DIGITS_POWER || m == UINT64_C(1) << 52) return false;
    d->five = digits_power(5, p);
    d->number = (Wide128)m * d->five;
    d->shift = -(k + p);
    d->exponent = exponent;
    d->even = m % 2 == 0;
    return d->shift >= 0 && d->shift < 120;
}

// The number with `cut` digits less than 17, rounded; half way to the even one.
static uint64_t digits_round(const Digits *d, int cut) {
    uint64_t all = (uint64_t)(d->number >> d->shift), power = digits_power(10, cut), whole = all / power;
    Wide128 unit = (Wide128)power << d->shift, left = d->number - ((Wide128)(whole * power) << d->shift);
    return whole + (2 * left > unit || (2 * left == unit && whole % 2 == 1));
}

static bool digits_read_back(const Digits *d, uint64_t digits, int cut) {
    Wide128 value = ((Wide128)digits * digits_power(10, cut)) << d->shift;
    Wide128 off = 2 * (value > d->number ? value - d->number : d->number - value);
    return off < d->five || (off == d->five && d->even);
}

static char *digits_put_exponent(char *at, int exponent) {
    int size = exponent < 0 ? -exponent : exponent;
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    *at++ = (char)('0' + size / 10); // below 100
    *at++ = (char)('0' + size % 10);
    return at;
}

// As "%g" with a precision of `count`: without zeros at the end.
static size_t digits_format(char *buffer, bool negative, uint64_t digits, int count, int exponent) {
    char text[DIGITS_MOST + 1], *at = buffer;
    int precision = count;
    for (int i = count - 1; i >= 0; i--, digits /= 10) text[i] = (char)('0' + digits % 10);
    while (count > 1 && text[count - 1] == '0') count--;
    if (negative) *at++ = '-';
    bool scientific = exponent < -4 || exponent >= precision;
    int point = scientific ? 1 : exponent + 1; // digits before it
    if (point <= 0) {
        *at++ = '0', *at++ = '.';
        for (int i = point; i < 0; i++) *at++ = '0';
    }
    for (int i = 0; i < count; i++) {
        if (i == point && i > 0) *at++ = '.';
        *at++ = text[i];
    }
    for (int i = count; i < point; i++) *at++ = '0';
    if (scientific) at = digits_put_exponent(at, exponent);
    *at = '\0';
    return (size_t)(at - buffer);
}

static size_t digits_whole(char *buffer, double value) {
    char text[DIGITS_SIZE];
    uint64_t left = (uint64_t)fabs(value);
    size_t count = 0, length = 0;
    do text[count++] = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (value < 0) buffer[length++] = '-';
    while (count > 0) buffer[length++] = text[--count];
    buffer[length] = '\0';
    return length;
}

size_t digits_print(char buffer[DIGITS_SIZE], double value) {
    double size = fabs(value);
    Digits d;
    if (!(size < 1e16)) return 0;
    if (size < 1e15 && size == trunc(size))
        return size == 0 && signbit(value) ? 0 : digits_whole(buffer, value);
    int power, exponent;
    frexp(size, &power);
    exponent = (int)floor((power - 1) * 0.30102999566398120); // of ten, or one less
    if (!digits_split(size, exponent, &d)) return 0;
    if (d.number >> d.shift >= (Wide128)(10 * digits_limit) && !digits_split(size, exponent + 1, &d))
        return 0;
    int cut = 2;
    uint64_t digits = digits_round(&d, cut);
    while (cut > 0 && !digits_read_back(&d, digits, cut)) digits = digits_round(&d, --cut);
    int count = DIGITS_MOST - cut;
    if (digits == digits_power(10, count)) digits /= 10, d.exponent++; // rounded up to a power of ten
    return digits_format(buffer, value < 0, digits, count, d.exponent);
}
