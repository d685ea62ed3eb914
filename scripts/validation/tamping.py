"""NSCD 6 (doi:10.1007/s11044-019-09721-0) in small: a tamping machine free to respond, and with imposed vibration."""
from measures import tamping

TITLE = "Tamping of ballast, small"
RAMP = "smooth(t, 0 s, begin)*sin(2*pi*f*t"
IMPOSED = ("mechanism.joints.suspension={clamp: [support, chassis], axis: z, second_axis: x, "
           f'position: ["4.4 mm*{RAMP} - 71 deg)", 0 m, "3.6 mm*{RAMP})"], angle: [0, "2.4 mrad*{RAMP} + 30 deg)", 0]}}')
CASES = [("15 Hz, free", 15, []), ("30 Hz, free", 30, []), ("45 Hz, free", 45, []), ("15 Hz, imposed", 15, [IMPOSED])]
SQUEEZE, END = 0.6, 1.0  # [s]


def write(page):
    rows, unsolved, stones = [], [], 0
    for name, f, settings in CASES:
        series, summary = page.run("tamping-small", f"constants.f={f} Hz", "frames.every=1 s", *settings)
        solver, stones = summary["contact_solver"], summary["grains"]["ballast"]["count"]
        rows.append([name] + [f"{value:.1f}" for value in tamping(series, SQUEEZE, END)]
                    + [f"{solver['iterations_mean']:.0f}", solver["above_tolerance"], solver["unsolved"]])
        unsolved.append(solver["unsolved"] / solver["problems"])
    page.text(f"""
`examples/tamping-small.yaml`: the machine of NSCD section 6 in a narrow box of {stones} larger stones instead of more than
5000, for 1 s; one settled bed, the same for all. How deep the chassis is at the end of the diving, how far the actuator has
spread the arms since then and since the start and with which force (means over 133 ms), by how much two boxes under the sleeper
and beside it are denser than in the settled bed; sweeps a step, steps above the residual of 1e-3, and steps that count as
unsolved, of 2000. A tine meets a few stones only, so that depths of a single bed are a matter of chance: what the paper finds
takes the full size.""")
    page.table(["", "depth [mm]", "squeezed [mm]", "spread [mm]", "force [kN]", "under the sleeper [%]", "crib [%]", "sweeps",
                "above 1e-3", "unsolved"], rows)
    page.check("unsolved share of steps", max(unsolved), high=0.02)
