"""A live simulation: step by step, with its signals, inputs and state at hand."""
import threading
import time
import weakref
from typing import Iterator, Sequence

import numpy

from . import _library
from ._library import ffi, lib, text
from .partner import Motion, Partner, load_of, motion_of

CHUNK = 100  # steps between two looks at Ctrl-C in `advance`, at most
PATIENCE = 2.0  # for the end of a step after Ctrl-C, before it is stopped in its middle [s]


class _Alone:
    """One thread at a time: the library does not guard a simulation against two. The same thread may come again, as a
    partner does that looks at the simulation which calls it."""

    def __init__(self):
        self._lock = threading.RLock()

    def __enter__(self):
        if not self._lock.acquire(False):
            raise RuntimeError("this simulation is in use by another thread: give each thread one of its own, by Model.start()")

    def __exit__(self, *_):
        self._lock.release()


class Simulation:
    """Made by Model.start(). `sim["shell.y"]` is the present value of a signal, `sim.inputs["u"] = 3.0` sets an input."""

    def __init__(self, model, partners: Sequence[Partner], threads: int, keep_orientation: bool):
        self.model = model
        self._alone = _Alone()
        self._call = call = _library.Call()
        self._partners = list(partners)
        bound = [partner.bind(call) for partner in self._partners]
        self._patience, self._until = 0.0, 0.0  # beds that settle are stopped at once
        self._kept = (ffi.callback("void(void *, const MrcProgress *)", self._looks(), onerror=self._interrupted()),
                      _library.message_callback(call), ffi.new("MrcPartner *[]", bound + [ffi.NULL]))
        options = ffi.new("MrcSimOptions *", {
            "size": ffi.sizeof("MrcSimOptions"), "threads": threads, "stop": call.stop, "progress": self._kept[0],
            "message": self._kept[1], "partners": self._kept[2], "partner_count": len(bound),
            "keep_orientation": keep_orientation})
        handle = ffi.new("MrcSim **")
        call.check(lib().mrc_sim_create(model._handle, options, handle, call.error))
        # The library frees the simulation before the model and the partners that it uses.
        needed = (model._handle, self._kept, self._partners, bound)
        self._handle = ffi.gc(handle[0], lambda sim, needed=needed: lib().mrc_sim_free(sim))
        self._signals = {text(lib().mrc_sim_signal(self._handle, k).name): k
                         for k in range(lib().mrc_sim_signal_count(self._handle))}
        self._patience = PATIENCE
        self.inputs = Inputs(self)
        self.grains = _ByName(self, lib().mrc_sim_bed_count, lib().mrc_sim_bed_name, Grains, "bed of grains")
        self.nodes = _ByName(self, lib().mrc_sim_node_count, lib().mrc_sim_node_name, _node, "node")
        self.ports = _ByName(self, lib().mrc_sim_port_count, lib().mrc_sim_port_name, _port, "port")

    # Called within steps that take long, where Ctrl-C is noticed, too. One that comes to its end soon leaves a simulation that
    # can go on. Neither function holds the simulation, which would never be freed.
    def _looks(self):
        weak = weakref.ref(self)

        def look(_user, _progress):
            sim = weak()
            if sim and sim._call.exception and time.monotonic() >= sim._until:
                sim._call.stop[0] = 1
        return look

    def _interrupted(self):
        weak = weakref.ref(self)

        def interrupted(_kind, exception, _traceback):
            sim = weak()
            if sim and not sim._call.exception:
                sim._call.exception, sim._until = exception, time.monotonic() + sim._patience
                sim._call.stop[0] = sim._patience == 0
        return interrupted

    # ---- time ----
    @property
    def time(self) -> float:
        """Now [s]."""
        return lib().mrc_sim_time(self._handle)

    @property
    def step_size(self) -> float:
        """Of one step [s]."""
        return lib().mrc_sim_step_size(self._handle)

    @property
    def steps(self) -> int:
        """Steps done."""
        return lib().mrc_sim_step_count(self._handle)

    @property
    def done(self) -> bool:
        """The duration of the model is reached; further steps are possible."""
        return bool(lib().mrc_sim_is_done(self._handle))

    def step(self, count: int = 1) -> None:
        """Some steps."""
        if count < 0:
            raise ValueError(f"{count} steps: a simulation does not go back; `restore` a saved state")
        library, handle, call = lib(), self._handle, self._call
        with self._alone:
            for _ in range(count):
                status = library.mrc_sim_step(handle, call.error)
                if status or call.exception:
                    call.check(status)

    def advance(self, until: float) -> None:
        """Steps until this time is reached [s]; nothing is done if it is behind."""
        if until != until:
            raise ValueError("until when? The time is not a number")
        chunk = 1
        with self._alone:
            while self.time < until:
                began = time.monotonic()
                piece = min(until, self.time + chunk * self.step_size)
                status = lib().mrc_sim_advance(self._handle, piece, self._call.error)
                if status or self._call.exception:
                    self._call.check(status)
                took = time.monotonic() - began
                chunk = min(CHUNK, 2 * chunk) if took < 0.05 else max(1, chunk // 2)

    # ---- signals ----
    def __getitem__(self, name: str) -> float:
        return self.value(self.handle(name))

    def handle(self, name: str) -> int:
        """Of a signal, for `value`: saves the search where speed matters."""
        try:
            return self._signals[name]
        except KeyError:
            raise KeyError(_unknown("signal", name, self._signals)) from None

    def value(self, handle: int) -> float:
        """Of a signal by its handle, now."""
        with self._alone:
            return lib().mrc_sim_value(self._handle, handle)

    def signals(self) -> dict:
        """Units of all signals, by name."""
        return {name: text(lib().mrc_sim_signal(self._handle, k).unit) for name, k in self._signals.items()}

    # ---- state ----
    def save(self) -> "State":
        """The whole state, in memory."""
        state = ffi.new("MrcState **")
        with self._alone:
            self._call.check(lib().mrc_sim_save(self._handle, state, self._call.error))
        return State(ffi.gc(state[0], lib().mrc_state_free), self)

    def restore(self, state: "State") -> None:
        """Back to a saved state, as often as wanted."""
        with self._alone:
            self._call.check(lib().mrc_sim_restore(self._handle, state._handle, self._call.error))


class State:
    """A saved state of a simulation."""

    def __init__(self, handle, simulation: Simulation):
        self._handle = handle
        self.time = simulation.time


class Inputs:
    """The model's inputs, by name. What is set holds from then on."""

    def __init__(self, simulation: Simulation):
        self._simulation = simulation
        count = lib().mrc_sim_input_count(simulation._handle)
        self._handles = {text(lib().mrc_sim_input(simulation._handle, k).name): k for k in range(count)}

    def __setitem__(self, name: str, value: float) -> None:
        call = self._simulation._call
        status = lib().mrc_sim_set_input(self._simulation._handle, self._find(name), value, call.error)
        if status:
            call.check(status)

    def __getitem__(self, name: str) -> float:
        return lib().mrc_sim_input_value(self._simulation._handle, self._find(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._handles)

    def __len__(self) -> int:
        return len(self._handles)

    def _find(self, name: str) -> int:
        try:
            return self._handles[name]
        except KeyError:
            raise KeyError(_unknown("input", name, self._handles)) from None


class Grains:
    """The grains of a bed, in order of their number. It keeps its simulation alive. Every attribute is a new array with
    the present values: the engine sorts its own memory anew as grains move."""

    def __init__(self, simulation: Simulation, bed: int):
        self._simulation, self._bed = simulation, bed

    def _view(self):
        call, view = self._simulation._call, ffi.new("MrcGrains *")
        call.check(lib().mrc_sim_grains(self._simulation._handle, self._bed, view, call.error))
        return view

    def _columns(self, *names: str) -> numpy.ndarray:
        with self._simulation._alone:
            view = self._view()
            columns = [getattr(view, name) for name in names]
            if any(column == ffi.NULL for column in columns):
                raise ValueError("orientations are not kept: start the simulation with keep_orientation=True")
            arrays = [numpy.frombuffer(ffi.buffer(column, 8 * view.count)) for column in columns]
            return numpy.stack(arrays, axis=1) if len(arrays) > 1 else arrays[0].copy()

    def __len__(self) -> int:
        return self._view().count

    @property
    def positions(self) -> numpy.ndarray:
        """Centres, one row each [m]."""
        return self._columns("x", "y", "z")

    @property
    def velocities(self) -> numpy.ndarray:
        """[m/s]"""
        return self._columns("vx", "vy", "vz")

    @property
    def angular_velocities(self) -> numpy.ndarray:
        """[rad/s]"""
        return self._columns("wx", "wy", "wz")

    @property
    def orientations(self) -> numpy.ndarray:
        """Unit quaternions w, x, y, z: own axes to world axes."""
        return self._columns("qw", "qx", "qy", "qz")

    @property
    def radii(self) -> numpy.ndarray:
        """[m]"""
        return self._columns("radius")

    @property
    def ids(self) -> numpy.ndarray:
        """Numbers of the grains, which they keep."""
        with self._simulation._alone:
            view = self._view()
            return numpy.frombuffer(ffi.buffer(view.id, 4 * view.count), numpy.int32).copy()


class _ByName:
    """Things of a simulation by name."""

    def __init__(self, simulation, count, name, make, kind):
        self._simulation, self._make, self._kind = simulation, make, kind
        self._index = {text(name(simulation._handle, k)): k for k in range(count(simulation._handle))}

    def __getitem__(self, name: str):
        if name not in self._index:
            raise KeyError(_unknown(self._kind, name, self._index))
        return self._make(self._simulation, self._index[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


def _node(simulation: Simulation, node: int) -> Motion:
    motion = ffi.new("MrcMotion *")
    lib().mrc_sim_node(simulation._handle, node, motion)
    return motion_of(motion)


def _port(simulation: Simulation, port: int) -> tuple:
    """Its motion, and the load on it in the last step (force [N], moment [N m])."""
    motion, load = ffi.new("MrcMotion *"), ffi.new("MrcLoad *")
    lib().mrc_sim_port(simulation._handle, port, motion, load)
    return motion_of(motion), load_of(load[0])


def _unknown(kind: str, name: str, known) -> str:
    words = [_library.encoded(word) for word in known]
    nearest = lib().mrc_nearest_word(_library.encoded(name), ffi.new("const char *[]", words + [ffi.NULL]), len(words))
    hint = f"; did you mean '{text(nearest)}'?" if nearest != ffi.NULL else ""
    return f"there is no {kind} '{name}'{hint}"
