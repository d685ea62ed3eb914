// Hann window w_i = (1 - cos(2 pi i/n))/2, whose mean is 1/2: the amplitude of a sine in the middle of a line is
// |X| 2/(n/2). The transform is that of kissfft, of the largest even number of samples whose prime factors are 2, 3, 5.
#include "study/spectrum.h"

#include <kiss_fftr.h>
#include <math.h>
#include <stdlib.h>

bool spectrum_make(const double *values, size_t count, double step, Spectrum *spectrum) {
    *spectrum = (Spectrum){0};
    if (count < 8) return false;
    int n = (int)(count < (1u << 24) ? count : (1u << 24));
    while (n % 2 != 0 || kiss_fftr_next_fast_size_real(n) != n) n--;
    values += count - (size_t)n; // the end of it
    size_t lines = (size_t)n / 2 + 1;
    kiss_fftr_cfg plan = kiss_fftr_alloc(n, 0, NULL, NULL);
    kiss_fft_scalar *in = malloc((size_t)n * sizeof *in);
    kiss_fft_cpx *out = malloc(lines * sizeof *out);
    spectrum->amplitude = malloc(lines * sizeof *spectrum->amplitude);
    bool good = plan && in && out && spectrum->amplitude;
    double mean = 0, scale = 0;
    for (int i = 0; i < n; i++) mean += values[i] / n;
    for (int i = 0; i < n; i++) scale = fmax(scale, fabs(values[i] - mean));
    if (!(scale > 0)) scale = 1; // values of any size fit single precision
    for (int i = 0; good && i < n; i++)
        in[i] = (kiss_fft_scalar)((values[i] - mean) / scale * 0.5 *
                                  (1 - cos(2 * 3.14159265358979323846 * i / n)));
    if (good) {
        kiss_fftr(plan, in, out);
        for (size_t k = 0; k < lines; k++)
            spectrum->amplitude[k] = scale * 4.0 / n * hypot(out[k].r, out[k].i);
        spectrum->count = lines;
        spectrum->spacing = 1 / (n * step);
    }
    kiss_fftr_free(plan);
    free(in);
    free(out);
    if (!good) spectrum_free(spectrum);
    return good;
}

void spectrum_free(Spectrum *spectrum) {
    free(spectrum->amplitude);
    *spectrum = (Spectrum){0};
}
