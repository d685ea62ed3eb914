"""The cantilever of TIGHT 5.2 (doi:10.1016/j.mechmachtheory.2020.104181) with its damper as an element of a map, against
coupled simulations."""

TITLE = "Cantilever with a damper: map and respond against coupled runs"
POINTS = {"0.25 N": [14.6, 15, 15.3, 15.5, 15.8, 16.2], "0.12 N": [15, 15.3, 15.6, 15.9]}  # forces, frequencies [Hz]


def write(page):
    page.text("""
`maraca map` of the damper alone (`tests/validation/models/cantilever-damper-alone.yaml`) gives an element; `maraca
respond` puts it on the beam of `examples/cantilever-damper.yaml`, by harmonic balance; `maraca response` simulates beam and
grains together, from rest at each frequency. Amplitude of the shell [mm]; the band is what `respond` states:""")
    page.study("map", "cantilever-damper-alone", "--frequency", "14.4,16.4", "--amplitude",
               "0.9:7.2:7:log mm", "--skip", "8", "--periods", "24")
    element, rows, inside, count, curves = page.results + "/element.json", [], 0, 0, []
    for force, frequencies in POINTS.items():
        words = ["--frequency", ",".join(map(str, frequencies))]
        band, respond_seconds = page.study("respond", "cantilever-damper", "--at", "shell.y", "--force", force, "--damper",
                                           element, *words, name="respond.csv")
        coupled, _ = page.study("response", "cantilever-damper", "--signal", "shell.y", *words, "--most", "150", "--set",
                                f"constants.F0={force}")
        for b, c in zip(band, coupled):
            size, low, high = c["amplitude[m]"], b["lower[m]"], b["upper[m]"]
            inside, count = inside + (low <= size <= high), count + 1
            state = ["not steady", "periodic", "two-periodic", "stationary"][int(c["steady[1]"])]
            rows.append([force, f"{b['f[Hz]']:g}", f"{1e3 * b['without[m]']:.2f}", f"{1e3 * b['fixed[m]']:.2f}",
                         f"{1e3 * b['up[m]']:.2f}", f"{1e3 * low:.2f} to {1e3 * high:.2f}", f"{1e3 * size:.2f}", state,
                         "yes" if low <= size <= high else "no"])
        curves += [(f"{force}, respond", [b["f[Hz]"] for b in band], [1e3 * b["up[m]"] for b in band]),
                   (f"{force}, coupled", [b["f[Hz]"] for b in band], [1e3 * c["amplitude[m]"] for c in coupled], "points")]
    page.table(["force", "f [Hz]", "without", "grains fixed", "respond", "band", "coupled", "", "within"], rows)
    page.text(f"{inside} of {count} coupled amplitudes lie within the band. The map has 14 points, with one bed; "
              f"`respond` takes {respond_seconds:.2f} s of processor time.")
    page.plot("respond", "Amplitude of the shell: by map and respond, and simulated", "f [Hz]", "mm", curves)
    page.check(f"coupled amplitudes within the band, of {count}", inside, low=0.9 * count)
    page.check("seconds of a response", respond_seconds, high=2)
