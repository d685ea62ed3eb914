#!/usr/bin/env bash
# A program that speaks as MBDyn does, over a socket: several nodes, labels, a reference node; and one that dies or sends
# nonsense, which leaves a whole result folder. The peer is written from the protocol and shares nothing with the program.
source "$(dirname "$0")/common.bash"

cat >peer.py <<'END'
"""SOCKET STEPS FLAGS FAULT: nodes on given motions; the forces that come back are written to `forces`."""
import math, socket, struct, sys, time
path, steps, flags, fault = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(","), sys.argv[4]
labels, reference, nodes = "labels" in flags, "reference" in flags, 2
number = 2 | 0x200 | (0x10 if labels else 0) | (4 if reference else 0)

def cross(a, b): return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]
def times(R, v): return [sum(R[i][k]*v[k] for k in range(3)) for i in range(3)]
def turned(R): return [list(row) for row in zip(*R)]
def product(A, B): return [[sum(A[i][k]*B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
def minus(a, b): return [x - y for x, y in zip(a, b)]
def plus(a, b): return [x + y for x, y in zip(a, b)]
def about_z(angle):
    c, s = math.cos(angle), math.sin(angle)
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]
def columns(R): return [R[i][j] for j in range(3) for i in range(3)]

def node(n, t): # x, R, v, w
    w = 2*math.pi*(20 + 5*n)
    angle, rate = 0.02*math.sin(w*t), 0.02*w*math.cos(w*t)
    return [0.1*n, 1e-3*math.sin(w*t), 0.0], about_z(angle), [0.0, 1e-3*w*math.cos(w*t), 0.0], [0.0, 0.0, rate]
def frame(t): # a reference node that moves and turns
    return [0.3 + 0.2*t, -0.1, 0.05], about_z(0.5 + 3*t), [0.2, 0.0, 0.0], [0.0, 0.0, 3.0]

def words(items): return struct.pack(f"={len(items) + len(items) % 2}I", *items, *([0]*(len(items) % 2))) if labels else b""
def message(t):
    motions, data = [node(n, t) for n in range(nodes)], b""
    if reference:
        x0, R0, v0, w0 = frame(t)
        data += words([77]) + struct.pack("=18d", *x0, *columns(R0), *v0, *w0)
        B = turned(R0)
        motions = [(times(B, minus(x, x0)), product(B, R), times(B, minus(minus(v, v0), cross(w0, minus(x, x0)))),
                    times(B, minus(w, w0))) for x, R, v, w in motions]
    data += words([100 + n for n in range(nodes)])
    for field in range(4):
        for m in motions: data += struct.pack("=9d" if field == 1 else "=3d", *(columns(m[1]) if field == 1 else m[field]))
    return data

link = socket.socket(socket.AF_UNIX)
for _ in range(600):
    try: link.connect(path); break
    except OSError: time.sleep(0.05)
link.sendall(struct.pack("=BII", 7, number, nodes) + b"\x08")
def read(count):
    data = b""
    while len(data) < count:
        piece = link.recv(count - len(data))
        if not piece: sys.exit()
        data += piece
    return data
out = open("forces", "w")
for n in range(steps + 1):
    t, data = 1e-4*n, message(1e-4*n)
    if n == 22 and fault == "dies": sys.exit()
    if n == 22 and fault == "ends": link.sendall(b"\x05"); sys.exit()
    if n == 22 and fault == "cut": link.sendall(b"\x06" + data[:99]); sys.exit()
    if n == 22 and fault == "nan": data = data[:-8] + struct.pack("=d", math.nan)
    if n == 22 and fault == "mirror": data = data[:48] + struct.pack("=d", -1.0) + data[56:]
    if n == 22 and fault == "code": data = b"\x2a"*len(data)
    link.sendall((b"\x2a" if n == 22 and fault == "code" else b"\x06") + data)
    if read(1) != b"\x06": sys.exit()
    first = struct.unpack("=6d", read(len(words([0])) + 48)[len(words([0])):]) if reference else None
    got = read(len(words([0]*nodes)))
    assert got == words([100 + k for k in range(nodes)]), got
    numbers = struct.unpack(f"={6*nodes}d", read(48*nodes))
    F, M = ([list(numbers[3*k + 6*part:3*k + 6*part + 3]) for k in range(nodes)] for part in range(2))
    if reference: # what is left for the reference node: nothing
        x0, R0, _, _ = frame(t)
        F, M = [times(R0, f) for f in F], [times(R0, m) for m in M]
        moment = [plus(m, cross(minus(node(k, t)[0], x0), f)) for k, (f, m) in enumerate(zip(F, M))]
        rest = minus(times(R0, first[:3]), plus(*F)) + minus(times(R0, first[3:]), plus(*moment))
        assert max(map(abs, rest)) < 1e-12, rest
    print(*(f"{x:.12g}" for x in sum(F + M, [])), file=out)
link.sendall(b"\x05")
END
cat >model.yaml <<'END'
maraca: 1
gravity: 0 -9.81 0 m/s^2
materials: {lead: {density: 11344 kg/m^3, friction: 0.5}}
ports: {shell: {partner: beam}, other: {partner: beam}}
partners: {beam: {mbdyn: {socket: it.sock}}}
grains:
  bed: {port: shell, wall: {box: {size: 6 5 6 mm}}, particles: {radius: 1 mm, count: 8, material: lead},
        packing: {random: {seed: 1}}, method: nonsmooth}
  second: {port: other, wall: {box: {size: 6 5 6 mm}}, particles: {radius: 1 mm, count: 8, material: lead},
           packing: {random: {seed: 2}}, method: nonsmooth}
coupling: {scheme: loose}
simulate: {duration: 20 ms, step: 0.1 ms}
record: {every: 0.5 ms, series: [shell, other, bed.load, second.load]}
frames: {every: 1 ms}
END
# with FLAGS FAULT STATUS [WORDS...]: a run beside the peer
with() {
    local flags=$1 fault=$2 status=$3
    shift 3
    python3 peer.py it.sock 200 "$flags" "$fault" 2>peer.err &
    local peer=$!
    expect "$status" run model.yaml -q "$@"
    wait $peer || [[ $status -ne 0 ]] || fail "the peer: $(cat peer.err)"
}
compare() { # RUN FORCES: as without
    python3 - "$1" "$2" <<'END' || fail "$1 differs from plain.run"
import csv, sys
def table(rows): return [[float(x) for x in row] for row in rows]
a, b = (table(list(csv.reader(open(f"{name}/series.csv")))[1:]) for name in ("plain.run", sys.argv[1]))
c, d = (table(line.split() for line in open(name)) for name in ("forces.plain", sys.argv[2]))
for one, two, least in ((a, b, 40), (c, d, 200)):
    assert len(one) == len(two) > least, (len(one), len(two))
    size = max(abs(x) for row in one for x in row)
    assert size > 1e-3
    assert max(abs(x - y) for r, s in zip(one, two) for x, y in zip(r, s)) < 1e-6*size
END
}
with none none 0 -o plain.run
mv forces forces.plain
with labels none 0 -o labels.run --set partners.beam.mbdyn.labels=true
mv forces forces.labels
same labels.run/series.csv plain.run/series.csv
same forces.labels forces.plain
with reference none 0 -o reference.run --set partners.beam.mbdyn.reference=true
compare reference.run forces
with labels,reference none 0 -o both.run --set partners.beam.mbdyn.reference=true --set partners.beam.mbdyn.labels=true
compare both.run forces
# Smooth grains take as many small steps as they need inside one of the other side; schemes that advance once.
for scheme in explicit staggered multirate; do
    with none none 0 -o smooth.run --set coupling.scheme=$scheme --set grains.bed.method=smooth --set grains.second.method=smooth \
        --set "grains.bed.contact={stiffness: 20 kN/m, tangential: elastic}" --set "grains.second.contact={stiffness: 20 kN/m, tangential: elastic}"
done

# ---- disagreement
with labels none 2 -o x.run
says err "it has 'labels': set 'labels: true' here"
with none none 2 -o x.run --set partners.beam.mbdyn.reference=true
says err "give it a 'reference node'"
expect 2 run model.yaml -q -o x.run --set partners.beam.mbdyn.reference=true --set partners.beam.mbdyn.orientation=none
says err "with 'reference', motions need an orientation"

# ---- faults: what was recorded until then is there, whole
fault() { # NAME STATUS MESSAGE
    with none "$1" "$2" -o "$1.run"
    says err "at t = 0.0021 s (step 21): MBDyn (partner 'beam')" "$3"
    is_json "$1.run/summary.json"
    [[ -s $1.run/report.html && -s $1.run/frames.pvd && ! -e it.sock ]] || fail "$1: $(ls "$1.run")"
    head -6 plain.run/series.csv >first
    same "$1.run/series.csv" first
}
fault dies 1 "hung up"
fault ends 1 "ended its simulation: let both have the same steps and end"
fault cut 1 "hung up"
fault nan 1 "it sent nan in the angular velocity of node 2"
fault mirror 1 "the matrix that it sent as orientation of node 1 is no rotation"
fault code 1 "sent the code 42 instead of 6"

# ---- the stand-in of the examples: one mass on a spring instead of the beam bends as the beam does
"$maraca" run "$project/examples/cantilever-damper-mbdyn.yaml" -q -o one.run --set "partners.beam.mbdyn.socket=$PWD/it.sock" \
    --set "simulate.duration=0.2 s" >out 2>err &
python3 "$project/examples/python/mbdyn_stand_in.py" it.sock --steps 2000 >said || fail "the stand-in: $(cat said err)"
wait $! || fail "with the stand-in: $(cat err)"
grep -q "2000 steps, largest deflection" said || fail "$(cat said)"
expect 0 run "$project/examples/cantilever-damper.yaml" -q -o beam.run --set "simulate.duration=0.2 s"
python3 - <<'PYTHON' || fail "the tip moves otherwise with the stand-in"
import csv
def swing(folder):
    rows = list(csv.DictReader(open(folder + "/series.csv")))
    y = [float(row["shell.y[m]"]) for row in rows]
    return max(y) - min(y)
one, beam = swing("one.run"), swing("beam.run")
assert abs(one/beam - 1) < 0.05, (one, beam)
PYTHON
exit 0
