#!/usr/bin/env python3
"""A stand-in for MBDyn, to try the socket where MBDyn is not installed: it speaks the protocol of MBDyn's external
structural force with one node, the tip of the cantilever of cantilever-damper.yaml as one mass on a spring.

    maraca run examples/cantilever-damper-mbdyn.yaml &
    examples/python/mbdyn_stand_in.py /tmp/maraca-mbdyn.sock --steps 20000

The tip has the bending stiffness of the beam and 33/140 of its mass (Rayleigh), and turns by 3/2 of its deflection over the
length. Coupling `loose`: in every step the predicted motion goes out, the loads that come back move the mass.
"""
import argparse
import math
import socket
import struct
import time

LENGTH, WIDTH, HEIGHT, DENSITY, YOUNG, SHELL = 0.25, 0.03, 0.002, 7845.0, 210e9, 0.0485
MASS = SHELL + 33 / 140 * DENSITY * LENGTH * WIDTH * HEIGHT
STIFFNESS = 3 * YOUNG * WIDTH * HEIGHT**3 / 12 / LENGTH**3
GRAINS = 0.007  # their weight bends the beam at the start

GREETING, NODES, MOTION, END = 7, 8, 6, 5  # codes of MBDyn's messages
ROTATION_MATRIX, BOTH_WAYS = 0x200, 2


def motion(y, v):
    """Position, rotation matrix by columns, velocity, angular velocity of the node."""
    angle, rate = 1.5 * y / LENGTH, 1.5 * v / LENGTH
    c, s = math.cos(angle), math.sin(angle)
    return struct.pack("=18d", LENGTH, y, 0, c, s, 0, -s, c, 0, 0, 0, 1, 0, v, 0, 0, 0, rate)


def receive(link, count):
    data = b""
    while len(data) < count:
        piece = link.recv(count - len(data))
        if not piece:
            raise SystemExit("the other side has ended")
        data += piece
    return data


def connect(path):
    link = socket.socket(socket.AF_UNIX)
    for _ in range(1200):  # the other side makes the socket, when its grains have settled
        try:
            link.connect(path)
            return link
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"nobody listens at {path}")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("socket")
    words.add_argument("--steps", type=int, default=20000)
    words.add_argument("--step", type=float, default=1e-4, help="time step [s]")
    words.add_argument("--force", type=float, default=0.25, help="amplitude of the shaker [N]")
    words.add_argument("--frequency", type=float, default=15.5, help="of the shaker [Hz]")
    told = words.parse_args()
    h, y, v = told.step, -GRAINS * 9.81 / STIFFNESS, 0.0
    link, top = connect(told.socket), 0.0
    link.sendall(struct.pack("=BIIB", GREETING, BOTH_WAYS | ROTATION_MATRIX, 1, NODES))
    load = -GRAINS * 9.81
    for n in range(told.steps + 1):  # the first exchange is that of the start
        dt = h if n > 0 else 0.0
        shaker = told.force * math.sin(2 * math.pi * told.frequency * (n - 0.5) * h)
        guess = v + dt * (load + shaker - STIFFNESS * y) / MASS
        link.sendall(struct.pack("=B", MOTION) + motion(y + dt * (v + guess) / 2, guess))
        if receive(link, 1)[0] != MOTION:
            raise SystemExit("the other side has stopped")
        load = struct.unpack("=6d", receive(link, 48))[1]
        # Trapezoidal rule: v' - v = dt (F - k (y + y')/2)/m with y' = y + dt (v + v')/2.
        pull, bend = dt / MASS, STIFFNESS * dt / 2
        v, old = (v + pull * (load + shaker - STIFFNESS * y - bend * v / 2)) / (1 + pull * bend / 2), v
        y += dt * (v + old) / 2
        top = max(top, abs(y))
    link.sendall(struct.pack("=B", END))
    print(f"{told.steps} steps, largest deflection of the tip {1e3 * top:.3g} mm")


if __name__ == "__main__":
    main()
