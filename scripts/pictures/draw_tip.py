#!/usr/bin/env python3
"""Draws the motion of the cantilever's tip with and without its grains: draw_tip.py WITH.csv WITHOUT.csv PICTURE.svg"""
import csv
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 260, 60, 16, 34, 42
LIMIT, END = 28.0, 2.0  # [mm], [s]


def read(path):
    """Times [s] and heights of the tip above its first one [mm]."""
    with open(path) as file:
        rows = list(csv.DictReader(file))
    first = float(rows[0]["shell.y[m]"])
    return [(float(row["t[s]"]), 1e3 * (float(row["shell.y[m]"]) - first)) for row in rows]


def place(t, y):
    x = LEFT + t / END * (WIDTH - LEFT - RIGHT)
    return x, TOP + (LIMIT - y) / (2 * LIMIT) * (HEIGHT - TOP - BOTTOM)


def curve(points, colour, width):
    """Every second sample: 500 a second show 15.5 Hz well."""
    path = "L".join("%.1f %.1f" % place(t, y) for t, y in points[::2])
    return f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" {more}>{words}</text>'


def main():
    damped, lumped = read(sys.argv[1]), read(sys.argv[2])
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="13">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for y in range(-20, 21, 10):
        a, b = place(0, y), place(END, y)
        out.append(f'<path d="M{a[0]:.0f} {a[1]:.1f}H{b[0]:.0f}" stroke="#ddd"/>')
        out.append(text(a[0] - 8, a[1] + 4, y, "end"))
    for k in range(5):
        x, y = place(k * 0.5, -LIMIT)
        out.append(text(x, y + 18, "%g" % (k * 0.5)))
    out.append(curve(lumped, "#b9b9b9", 1))
    out.append(curve(damped, "#c0392b", 1.4))
    out.append(text(WIDTH / 2, HEIGHT - 6, "time [s]"))
    out.append(text(16, HEIGHT / 2, "tip of the strip [mm]", more=f'transform="rotate(-90 16 {HEIGHT / 2:.0f})"'))
    out.append(text(LEFT + 12, 20, "mass of the grains fixed to the tip", "start", 'fill="#8a8a8a"'))
    out.append(text(LEFT + 262, 20, "147 loose grains in a can at the tip", "start", 'fill="#c0392b"'))
    out.append("</svg>")
    with open(sys.argv[3], "w") as file:
        file.write("\n".join(out) + "\n")


main()
