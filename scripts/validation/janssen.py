"""H. A. Janssen, Versuche ueber Getreidedruck in Silozellen, Z. Ver. dt. Ing. 39 (1895) 1045-1049."""
import math

from measures import between, mean

TITLE = "Pressure in a bin"
D, MU, G = 24e-3, 0.5, 9.81
HEIGHTS = [12, 24, 48]  # of the bed, about [mm]
SEEDS = [1, 2, 3]
SLIP = (0.08, 0.15)  # [s]: the bottom has gone down by a fifth of a grain, and does not slow down yet


def share(x):
    """Force on the bottom over the weight, with x = H/l."""
    return (1 - math.exp(-x)) / x


def solve(wanted):
    low, high = 1e-6, 100
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if share(middle) > wanted else (low, middle)
    return low


def write(page):
    page.text(f"""
`examples/bin.yaml`: grains of 2 mm in a bin of 24 mm, whose bottom is lowered slowly, for beds of one half, one and two diameters, three
of each. Janssen: F = W (1 - exp(-x))/x with x = 4 mu K H/D. Force on the bottom and height are means from {SLIP[0]} to
{SLIP[1]} s, while all grains slip down the wall. One K must do for all heights. As soon as the bottom slows down friction is no
longer fully used, and F grows, in shallow beds most: K from a bottom that has stopped would depend on the height.""")
    rows, points = [], []
    for height in HEIGHTS:
        ratios, tall = [], []
        for seed in SEEDS:
            series, summary = page.run("bin", f"constants.height={height} mm", f"grains.bed.packing={{settle: {{seed: {seed}}}}}")
            part = between(series, *SLIP)
            weight = summary["grains"]["bed"]["mass_kg"] * G
            carried = [-(a + b) / weight for a, b in zip(part["bed.bin.load.fz"], part["bed.bottom.load.fz"])]
            page.check(f"H = {height} mm, bed {seed}: bin and bottom carry the weight", mean(carried), 0.98, 1.01)  # they gather speed
            ratios.append(-mean(part["bed.bottom.load.fz"]) / weight)
            tall.append(mean(part["bed.height"]) - 1e-3)  # the highest grain stands out by half of itself
        ratio, H = mean(ratios), mean(tall)
        x = solve(ratio)
        K = x * D / (4 * MU * H)
        points.append((H, ratio, K))
        rows.append([f"{1e3 * H:.1f}", " ".join(f"{r:.3f}" for r in ratios), f"{ratio:.3f}", f"{K:.2f}"])
    best = min((sum((share(4 * MU * k * H / D) / r - 1) ** 2 for H, r, _ in points), k) for k in [0.001 * n for n in range(100, 1500)])[1]
    page.table(["H [mm]", "force on the bottom over weight", "mean", "K"], rows)
    worst = max(abs(share(4 * MU * best * H / D) / r - 1) for H, r, _ in points)
    page.text(f"With K = {best:.2f} for all heights, Janssen's law is off by {100 * worst:.0f} % at most.")
    page.check("K", best, 0.45, 0.65)
    page.check("Janssen's law with one K, off by", worst, high=0.05)
    page.plot("janssen", "Force on the bottom of a bin", "H/D", "force over weight",
              [("measured", [H / D for H, _, _ in points], [r for _, r, _ in points]),
               ("Janssen", [0.1 * k for k in range(4, 26)], [share(4 * MU * best * 0.1 * k) for k in range(4, 26)])])
