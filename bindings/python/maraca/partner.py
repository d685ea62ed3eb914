"""Partners written in Python: drivers, which turn loads into motions, and followers, which turn motions into loads.

A partner keeps all that changes in a run in `self.state`, a numpy array made in __init__ and changed in place only: the
library saves it, restores it and writes it to checkpoints. include/maraca/partner.h says what each function is for."""
from dataclasses import dataclass, field
from typing import Mapping, Optional, Sequence, Tuple

import numpy

from . import _library
from ._library import ffi, lib


def _zeros() -> numpy.ndarray:
    return numpy.zeros(3)


@dataclass
class Motion:
    """Of a frame, in world axes and SI units."""
    position: numpy.ndarray = field(default_factory=_zeros)
    orientation: numpy.ndarray = field(default_factory=lambda: numpy.array([1.0, 0.0, 0.0, 0.0]))  # w, x, y, z
    velocity: numpy.ndarray = field(default_factory=_zeros)
    angular_velocity: numpy.ndarray = field(default_factory=_zeros)
    acceleration: numpy.ndarray = field(default_factory=_zeros)
    angular_acceleration: numpy.ndarray = field(default_factory=_zeros)


_MEMBERS = ("position", "orientation", "velocity", "angular_velocity", "acceleration", "angular_acceleration")


def motion_of(pointer) -> Motion:
    return Motion(*(numpy.array(list(getattr(pointer, name))) for name in _MEMBERS))


def load_of(load) -> Tuple[numpy.ndarray, numpy.ndarray]:
    return numpy.array(list(load.force)), numpy.array(list(load.moment))


def _loads(pointer, count: int) -> numpy.ndarray:
    """One row per port: force and moment."""
    if pointer == ffi.NULL:
        return numpy.zeros((count, 6))
    return numpy.frombuffer(ffi.buffer(pointer, 48 * count)).reshape(count, 6).copy()


class Partner:
    """What drivers and followers have in common. Subclass one of those."""
    name: str  # as in the model file: ports: {tip: {partner: NAME}}
    state: Optional[numpy.ndarray] = None  # float64; None: it cannot go back, and a run with it cannot be resumed
    signals: Mapping[str, Tuple[str, numpy.ndarray]] = {}  # name: (unit, array of one number)

    def energy(self) -> Optional[Mapping[str, float]]:
        """kinetic, potential, elastic, work, dissipated [J]; None: what it gives counts as work from outside."""
        return None

    def _common(self, call) -> dict:
        self._keep = [call]
        members = {"size": ffi.sizeof("MrcPartner"), "name": self._c(_library.encoded(self.name)), "self": ffi.NULL}
        if self.state is not None:
            if self.state.dtype != numpy.float64 or not self.state.flags.c_contiguous:
                raise TypeError(f"the state of partner '{self.name}' must be a contiguous array of float64")
            members["state"] = self._c(ffi.from_buffer(self.state))
            members["state_size"] = self.state.nbytes
        if self.signals:
            rows = ffi.new("MrcPartnerSignal[]", len(self.signals))
            for row, (name, (unit, value)) in zip(rows, self.signals.items()):
                row.name, row.unit = self._c(_library.encoded(name)), self._c(_library.encoded(unit))
                row.value = ffi.cast("double *", self._c(ffi.from_buffer(value)))
            members["signals"], members["signal_count"] = self._c(rows), len(self.signals)
        if type(self).energy is not Partner.energy:
            def energy(_self, out):
                for name, value in self.energy().items():
                    setattr(out, name, value)
            members["energy"] = self._c(call.callback("void(void *, MrcEnergy *)", energy))
        return members

    def _c(self, thing):
        """Keeps what C code points at."""
        self._keep.append(thing)
        return thing

    def _verb(self, call, signature, function):
        """A function with a status, and the error as its last parameter."""
        def verb(*words):
            try:
                function(*words[:-1])
            except Exception as exception:
                message = f"partner '{self.name}': {exception!r}".encode()[:1000]
                words[-1].status = lib().MRC_USAGE
                ffi.memmove(words[-1].text, message + b"\0", len(message) + 1)
                raise
            return lib().MRC_OK
        return self._c(call.callback(signature, verb, error=lib().MRC_USAGE))


class Driver(Partner):
    """Moves ports of the model: `ports: {tip: {partner: NAME}}`. Subclasses define begin, motion, advance, commit and, for
    the condensed scheme, mobility and impulse."""
    port_count: int = 1

    def begin(self, t: float, h: float) -> None:
        """The step from t to t + h begins: predict its end. Called again without commit: forget the step."""
        raise NotImplementedError

    def motion(self, port: int) -> Motion:
        """Of a port as it stands: before the first step, predicted, or advanced."""
        raise NotImplementedError

    def advance(self, loads: numpy.ndarray) -> None:
        """Solve for t + h with these mean loads, one row (force, moment) per port. May be called several times."""
        raise NotImplementedError

    def commit(self) -> None:
        """t + h becomes the present."""
        raise NotImplementedError

    def mobility(self, early: float) -> numpy.ndarray:
        """(6 n, 6 n): what impulses at the ports add to their velocities over the step."""
        raise NotImplementedError

    def impulse(self, impulses: numpy.ndarray, early: numpy.ndarray) -> None:
        """Impulses on top of the advanced step; rows as in `advance` [N s]."""
        raise NotImplementedError

    def bind(self, call):
        """For the library: its functions as a C struct."""
        members = self._common(call)
        count = self.port_count

        def motion(_self, port, out):
            found = self.motion(port)
            for name in _MEMBERS:
                setattr(out, name, [float(number) for number in getattr(found, name)])

        def mobility(_self, early, out):
            matrix = numpy.ascontiguousarray(self.mobility(early), dtype=float)
            if matrix.shape != (6 * count, 6 * count):
                raise ValueError(f"mobility has the shape {matrix.shape}, expected {(6 * count, 6 * count)}")
            ffi.memmove(out, matrix.tobytes(), matrix.nbytes)
        members.update({
            "begin": self._verb(call, "MrcStatus(void *, double, double, MrcError *)",
                                lambda _self, t, h: self.begin(t, h)),
            "motion": self._c(call.callback("void(void *, int, MrcMotion *)", motion)),
            "advance": self._verb(call, "MrcStatus(void *, const MrcLoad *, MrcError *)",
                                  lambda _self, loads: self.advance(_loads(loads, count))),
            "commit": self._verb(call, "MrcStatus(void *, MrcError *)", lambda _self: self.commit())})
        if type(self).mobility is not Driver.mobility and type(self).impulse is not Driver.impulse:
            members["mobility"] = self._verb(call, "MrcStatus(void *, double, double *, MrcError *)", mobility)
            members["impulse"] = self._verb(
                call, "MrcStatus(void *, const MrcLoad *, const MrcLoad *, MrcError *)",
                lambda _self, impulses, early: self.impulse(_loads(impulses, count), _loads(early, count)))
        return self._c(ffi.new("MrcPartner *", members))


class Follower(Partner):
    """Hangs on ports that something else moves, and pushes them."""
    ports: Sequence[str] = ()  # names of ports or nodes

    def step(self, h: float, ports: Sequence[Motion], mobility: Optional[numpy.ndarray]) -> numpy.ndarray:
        """One step of h [s]; returns the impulses on the ports, one row (linear, angular) each. Ports have their pose at
        the beginning and the mean velocities that they would have if nothing touched them."""
        raise NotImplementedError

    def bind(self, call):
        """For the library: its functions as a C struct."""
        members = self._common(call)
        count = len(self.ports)

        def step(_self, h, ports, mobility, out):
            matrix = None
            if mobility != ffi.NULL:
                matrix = numpy.frombuffer(ffi.buffer(mobility, 8 * (6 * count) ** 2)).reshape(6 * count, -1).copy()
            impulses = numpy.ascontiguousarray(self.step(h, [motion_of(ports[k]) for k in range(count)], matrix), dtype=float)
            if impulses.shape != (count, 6):
                raise ValueError(f"step returned the shape {impulses.shape}, expected {(count, 6)}")
            ffi.memmove(out, impulses.tobytes(), impulses.nbytes)
        names = [self._c(_library.encoded(name)) for name in self.ports]
        members.update({
            "ports": self._c(ffi.new("const char *[]", names + [ffi.NULL])), "port_count": count,
            "step": self._verb(call, "MrcStatus(void *, double, const MrcMotion *, const double *, MrcLoad *, MrcError *)",
                               step)})
        return self._c(ffi.new("MrcPartner *", members))
