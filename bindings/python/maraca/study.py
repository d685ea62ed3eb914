"""Studies: one model is run many times, and the runs are reduced to a table.

    found = maraca.sweep("damper.yaml", {"constants.f": ([8, 10, 12], "Hz")}, "damper.sweep", beds=3)
    found["amplitudes.box.amplitude_m"]             # array, one value per point; ....interval is its 95 % interval
    found.units, found.json, found.report

Each function is the command of that name (`maraca help sweep`). `model` is the path of a model file, or a Model that was loaded
from one, with its overrides. VALUES are "8:16:17 Hz", a sequence of numbers or words, or a pair of a sequence and a unit.
Without a folder nothing is left. With one, the same call goes on where it was stopped, and repeats nothing; so does a call after
Ctrl-C, which raises KeyboardInterrupt. A wrong model raises ModelError, all else MaracaError.

Further options of all studies that run a model:

    values    overrides by path, for all points
    measures  names of facts that go into the table; none: a choice
    beds      random beds per point, the same seeds for all points
    until     more beds until each measure's interval is below this part of its mean; `budget` beds at most
    threads   runs side by side; 0: all cores
    keep      the result folders of the runs, too
    retry     runs that failed before
    progress  called a few times a second with the runs done and planned
"""
import os
import pathlib
import shutil
import tempfile
import weakref
from typing import Any, Callable, Mapping, Optional, Sequence, Tuple, Union

from . import _library
from ._library import ffi, lib, text
from .model import Model, _overrides, _value, load
from .results import Study

Values = Union[str, Sequence[Any], Tuple[Sequence[Any], str]]
Vary = Union[Mapping[str, Values], Sequence[str]]


def sweep(model, vary: Vary, folder=None, **options) -> Study:
    """A model over a grid of values: {"constants.f": "8:16:17 Hz", "constants.A": ([1, 2], "mm")}."""
    run = _StudyCall(model, folder, **options)
    words, count = run.texts(_paths(vary))
    return run.finish(lib().mrc_sweep, run.path, words, count, run.options)


def response(model, signal: str, frequency: Union[Values, Vary, None] = None, folder=None, *, reference: Optional[str] = None,
             phase: Optional[str] = None, direction: str = "up", from_rest: bool = False, control: Optional[str] = None,
             drive: Optional[str] = None, tolerance: float = 0, steady: float = 0, most: int = 0,
             stationary: int = 0, **options) -> Study:
    """Frequency response of a signal by stepped sine. `frequency` is VALUES of the constant or input f, or {path: VALUES};
    `direction` "up", "down" or "both". `control` "SIGNAL=RMS" changes the input `drive` until the signal has that r.m.s. value."""
    run = _StudyCall(model, folder, **options)
    own = run.struct("MrcResponseOptions", frequency=_one(frequency), signal=signal, reference=reference, phase=phase,
                     direction=direction, from_rest=from_rest, control=control, drive=drive, tolerance=tolerance,
                     steady=steady, most=most, stationary=stationary)
    return run.finish(lib().mrc_response, run.path, own, run.options)


def map(model, frequency: Union[Values, Vary], amplitude: Union[Values, Vary, None] = None, acceleration: Optional[Values] = None,
        folder=None, *, port: Optional[str] = None, mass_ratio: float = 0, skip: int = 0, periods: int = 0, **options) -> Study:
    """An isolated damper on a prescribed motion, over frequency and amplitude or acceleration. `element` of the result, or
    element.json in the folder, is the damper element that `respond` takes."""
    run = _StudyCall(model, folder, **options)
    own = run.struct("MrcMapOptions", frequency=_one(frequency), amplitude=_one(amplitude), acceleration=_one(acceleration),
                     port=port, mass_ratio=mass_ratio, skip=skip, periods=periods)
    return run.finish(lib().mrc_map, run.path, own, run.options)


def certify(model, folder=None, limit: float = 0.05, **options) -> Study:
    """Error bars for the numbers of a run, from half the step, a stricter solver, another scheme and other beds. `certificate`
    of the result has them; its numbers are `good` where the error is below `limit` times the value."""
    run = _StudyCall(model, folder, **options)
    return run.finish(lib().mrc_certify, run.path, limit, run.options)


def optimise(model, vary: Vary, minimise: Optional[str] = None, maximise: Optional[str] = None, folder=None, *,
             subject_to: Sequence[str] = (), over: Vary = (), worst: bool = False, candidates: int = 0, to: float = 0,
             **options) -> Study:
    """The values that make a fact smallest or largest: {"constants.gap": "4:12 mm"}, also "a:b:log", "a:b:integer" and lists.
    `subject_to` are limits, "FACT<=VALUE"; `over` are conditions that every candidate is run under. json["optimum"] has the winner."""
    run = _StudyCall(model, folder, **options)
    own = run.struct("MrcOptimiseOptions", vary=_paths(vary), minimise=minimise, maximise=maximise, limits=list(subject_to),
                     over=_paths(over), worst=worst, candidates=candidates, to=to)
    return run.finish(lib().mrc_optimise, run.path, own, run.options)


def fit(data, model, vary: Vary, signal: str, folder=None, *, column: Optional[str] = None, start: float = 0, end: float = 0,
        model_start: float = 0, rounds: int = 0, reference: Optional[str] = None, direction: Optional[str] = None,
        frequency: Optional[str] = None, frequencies: int = 0, steady: float = 0, most: int = 0, **options) -> Study:
    """The values with which the free decay or the frequency response of a signal is the measured one in the table `data`.
    json["fit"] has them with their intervals, and which of them the data cannot tell apart. `reference` and what follows
    are of responses."""
    run = _StudyCall(model, folder, **options)
    own = run.struct("MrcFitOptions", vary=_paths(vary), signal=signal, column=column, to=end, model_from=model_start,
                     rounds=rounds, reference=reference, direction=direction, frequency=frequency, frequencies=frequencies,
                     steady=steady, most=most)
    setattr(own, "from", start)
    return run.finish(lib().mrc_fit, _library.encoded(data), run.path, own, run.options)


def size(model, folder=None, *, bed: Optional[str] = None, reference: Optional[str] = None, limit: float = 0,
         decades: float = 0, levels: int = 0, **options) -> Study:
    """How soft the contacts of smooth grains may be. json["sizing"] has the least stiffness."""
    run = _StudyCall(model, folder, **options)
    own = run.struct("MrcSizeOptions", bed=bed, reference=reference, limit=limit, decades=decades, levels=levels)
    return run.finish(lib().mrc_size, run.path, own, run.options)


def respond(structure, dampers: Sequence, force: Union[str, float], frequency: Optional[Values] = None, folder=None, *,
            at: Optional[str] = None, force_at: Optional[str] = None, values: Optional[Mapping] = None) -> Study:
    """Response of a structure with damper elements to a harmonic force (a number is in N), without a simulation. `structure`
    is a model file or a table of modes or receptances, `dampers` paths of element.json; "3*element.json" are three."""
    run = _Call(folder)
    own = run.struct("MrcRespondOptions", dampers=[str(path) for path in dampers], at=at, force_at=force_at,
                     force=force if isinstance(force, str) else f"{force!r} N", frequency=_one(frequency),
                     overrides=_overrides(values, {}), folder=run.folder)
    return run.finish(lib().mrc_respond, _library.encoded(structure), own)


def damping(data, signal: str, folder=None, *, start: float = 0, end: float = 0, cycles: int = 0, floor: float = 0) -> Study:
    """Logarithmic decrement of a recorded free decay over its amplitude. `data`: the folder of a run, or a table."""
    run = _Call(folder)
    own = run.struct("MrcDampingOptions", signal=signal, to=end, cycles=cycles, floor=floor, folder=run.folder)
    setattr(own, "from", start)
    return run.finish(lib().mrc_damping, _library.encoded(data), own)


class _Call:
    """One call of a study: what must live as long as it, and its result."""

    def __init__(self, folder):
        self.folder, self._keep = (tempfile.mkdtemp(prefix="maraca-"), False) if folder is None else (os.fspath(folder), True)
        if not self._keep:
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self._call = _library.Call()
        self._kept = []

    def texts(self, words: Sequence[str]) -> tuple:
        """As an array of C, and its length."""
        encoded = [_library.encoded(word) for word in words]
        array = ffi.new("const char *[]", encoded + [ffi.NULL])
        self._kept += [encoded, array]
        return array, len(encoded)

    def struct(self, kind: str, **members):
        """An options struct; members that are None stay as they are, lists of words have a count."""
        made = ffi.new(f"{kind} *")
        made.size = ffi.sizeof(kind)
        for name, value in members.items():
            if isinstance(value, list):
                array, count = self.texts(value)
                setattr(made, name, array)
                setattr(made, f"{name[:-1] if name.endswith('s') else name}_count", count)
            elif isinstance(value, str):
                self._kept.append(_library.encoded(value))
                setattr(made, name, self._kept[-1])
            elif value is not None:
                setattr(made, name, value)
        return made

    def finish(self, function, *arguments) -> Study:
        study = ffi.new("MrcStudy *")
        status = function(*arguments, study, self._call.error)
        report = text(study.report)
        lib().mrc_study_free(study)
        if status != lib().MRC_UNCERTAIN:  # which `certificate` tells in full
            self._call.check(status)
        return Study(pathlib.Path(self.folder), report, self._keep)


class _StudyCall(_Call):
    """Of a study that runs a model."""

    def __init__(self, model, folder, *, values: Optional[Mapping] = None, measures: Sequence[str] = (), beds: int = 0,
                 until: float = 0, budget: int = 0, threads: int = 0, keep: bool = False, retry: bool = False,
                 progress: Optional[Callable[[int, int], None]] = None):
        super().__init__(folder)
        path, words = _source(model, values)
        self.path = _library.encoded(path)

        def show(_user, now):
            if progress:
                progress(now.done, now.planned)
        callbacks = (self._call.callback("void(void *, const MrcStudyProgress *)", show), _library.message_callback(self._call))
        self._kept.append(callbacks)
        self.options = self.struct("MrcStudyOptions", folder=self.folder, overrides=words, measures=_words(measures), beds=beds,
                                   until=until, budget=budget, threads=threads, keep=keep, retry=retry, stop=self._call.stop,
                                   progress=callbacks[0], message=callbacks[1])


def _source(model, values: Optional[Mapping]) -> tuple:
    """Path of the model file, and overrides. The file is read, so that its errors are told with their places."""
    if isinstance(model, Model):
        if model.path is None:
            raise ValueError("a study needs a model file: load the model from one instead of parsing a text")
        path, words = model.path, model.overrides + _overrides(values, {})
    else:
        path, words = model, _overrides(values, {})
    load(path, dict(word.split("=", 1) for word in words))
    return path, words


def _words(names) -> list:
    return [names] if isinstance(names, str) else list(names)


def _values(values: Values) -> str:
    if isinstance(values, str):
        return values
    if isinstance(values, tuple) and len(values) == 2 and isinstance(values[1], str) and not isinstance(values[0], (str, int, float)):
        return f"{_values(values[0])} {values[1]}"
    return ",".join(_value(value.item() if hasattr(value, "item") else value) for value in values)


def _paths(vary: Vary) -> list:
    """As the commands have it: "PATH=VALUES"."""
    if isinstance(vary, Mapping):
        return [f"{path}={_values(values)}" for path, values in vary.items()]
    return _words(vary)


def _one(values) -> Optional[str]:
    """"[PATH=]VALUES"."""
    if values is None:
        return None
    if isinstance(values, Mapping):
        (word,) = _paths(values)
        return word
    return _values(values)
