"""What the cases of scripts/validation measure in series: dictionaries of columns by name, `t` among them."""
import math


def between(series, begin, end):
    """The part of a series with begin <= t <= end."""
    keep = [k for k, t in enumerate(series["t"]) if begin - 1e-9 <= t <= end + 1e-9]
    return {name: [column[k] for k in keep] for name, column in series.items()}


def mean(values):
    return sum(values) / len(values)


def rms(values):
    """About the mean: gravity only shifts what swings."""
    middle = mean(values)
    return math.sqrt(mean([(x - middle) ** 2 for x in values]))


def half_range(values):
    return 0.5 * (max(values) - min(values))


def off(values, reference):
    """R.m.s. difference over the r.m.s. of the reference about its mean."""
    return math.sqrt(mean([(a - b) ** 2 for a, b in zip(values, reference, strict=True)])) / rms(reference)


def r_squared(values, theory):
    return 1 - off(values, theory) ** 2


def component(times, values, frequency):
    """Amplitude at one frequency, as a discrete Fourier transform with a Hann window tells it: neighbours two lines
    away do not leak into it."""
    count = len(values)
    middle, real, imaginary, weight = mean(values), 0.0, 0.0, 0.0
    for k, (t, x) in enumerate(zip(times, values)):
        hann = 0.5 - 0.5 * math.cos(2 * math.pi * (k + 0.5) / count)
        real += hann * (x - middle) * math.cos(2 * math.pi * frequency * t)
        imaginary += hann * (x - middle) * math.sin(2 * math.pi * frequency * t)
        weight += hann
    return 2 * math.hypot(real, imaginary) / weight


def spread(values):
    """Largest difference between any two, over their mean."""
    return (max(values) - min(values)) / abs(mean(values))


def tamping(series, squeeze, end, window=2 / 15):
    """Of a tamping machine that squeezes from `squeeze` on, means over whole periods of 15, 30 and 45 Hz: how deep the chassis
    is when the diving ends [mm], how far the actuator has gone since then [mm] and since the start [mm], its force at the end
    [kN], and by how much the ballast under the sleeper and beside it is denser than at the start [%]."""
    dived, squeezed = between(series, squeeze - window, squeeze), between(series, end - window, end)
    denser = [100 * (mean(squeezed[f"ballast.{box}.compactness"]) / series[f"ballast.{box}.compactness"][0] - 1)
              for box in ("under_sleeper", "crib")]
    return [1e3 * (series["chassis.z"][0] - mean(dived["chassis.z"])),
            1e3 * (mean(squeezed["actuator.length"]) - mean(dived["actuator.length"])),
            1e3 * (mean(squeezed["actuator.length"]) - series["actuator.length"][0]),
            1e-3 * abs(mean(squeezed["actuator.force"])), *denser]
