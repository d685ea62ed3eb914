"""Model files: loading, checking, running."""
import os
from typing import Callable, Mapping, Optional, Sequence

from . import _library, results, simulation
from ._library import ffi, lib, text
from .errors import Diagnostic, ModelError
from .partner import Partner


class Model:
    """A model file, loaded and checked. It never changes; many simulations can be made of it.

    path, overrides    the file and what it was loaded with; path None: parsed from a text
    """

    def __init__(self, handle, path=None, overrides: Sequence[str] = ()):
        self.path, self.overrides = path, list(overrides)
        self._handle = ffi.gc(handle, lib().mrc_model_free)
        self.diagnostics = [_diagnostic(lib().mrc_model_diagnostic(handle, k))
                            for k in range(lib().mrc_model_diagnostic_count(handle))]
        status = lib().mrc_model_status(handle)
        if status != lib().MRC_OK:
            raise ModelError(text(lib().mrc_status_name(status)), self.diagnostics)

    @property
    def warnings(self) -> list:
        """What was found that does not keep the model from running."""
        return [d for d in self.diagnostics if d.warning]

    def describe(self) -> str:
        """In words, what would be simulated."""
        return _library.take_text(lib().mrc_model_describe(self._handle))

    def text(self) -> str:
        """The model as YAML, includes and overrides worked in."""
        return _library.take_text(lib().mrc_model_text(self._handle))

    def signals(self, all: bool = False) -> dict:
        """Unit of everything that can be recorded, by name. `all`: also what is recorded on request only."""
        call = _library.Call()
        found = ffi.new("MrcSignals *")
        call.check(lib().mrc_signals(self._handle, all, found, call.error))
        units = {text(found.signals[k].name): text(found.signals[k].unit) for k in range(found.count)
                 if all or not found.signals[k].on_request}
        lib().mrc_signals_free(found)
        return units

    def advise(self) -> dict:
        """Time steps, stiffness and stable schemes, as facts by name (`maraca advise`)."""
        call = _library.Call()
        advice = ffi.new("MrcAdvice *")
        call.check(lib().mrc_advise(self._handle, advice, call.error))
        facts = _library.facts_dictionary(advice.facts)
        lib().mrc_advice_free(advice)
        return facts

    def modes(self, count: int = 10) -> list:
        """Natural frequencies: dictionaries with frequency_hz, damping_ratio, ... lowest first."""
        call = _library.Call()
        options, found = ffi.new("MrcModesOptions *", {"count": count}), ffi.new("MrcModes *")
        call.check(lib().mrc_modes(self._handle, options, found, call.error))
        members = ("frequency_hz", "damped_frequency_hz", "damping_ratio", "real", "imaginary")
        modes = [{name: getattr(found.modes[k], name) for name in members} for k in range(found.count)]
        lib().mrc_modes_free(found)
        return modes

    def start(self, partners: Sequence[Partner] = (), threads: int = 0,
              keep_orientation: bool = False) -> "simulation.Simulation":
        """A simulation at t = 0, with beds placed and settled."""
        return simulation.Simulation(self, partners, threads, keep_orientation)

    def run(self, folder=None, partners: Sequence[Partner] = (), threads: int = 0, resume: bool = False,
            progress: Optional[Callable[[float, float], None]] = None) -> "results.Run":
        """Simulates the whole duration, as `maraca run`. `folder` gets the results; None: nothing is written.
        `progress` is called a few times a second with the time reached and the duration [s]. Ctrl-C stops the run, leaves
        a checkpoint in the folder and raises KeyboardInterrupt; `resume` goes on from there."""
        call = _library.Call()
        rows, names, units = [], [], []

        def take_row(_user, row):
            if not names:
                names.extend(text(row.names[k]) for k in range(row.count))
                units.extend(text(row.units[k]) for k in range(row.count))
            rows.append(ffi.unpack(row.values, row.count))

        def show(_user, now):
            if progress:
                progress(now.time, now.duration)
        bound = [partner.bind(call) for partner in partners]
        callbacks = (call.callback("void(void *, const MrcRow *)", take_row),
                     call.callback("void(void *, const MrcProgress *)", show), _library.message_callback(call))
        path = ffi.NULL if folder is None else _library.encoded(folder)
        handles = ffi.new("MrcPartner *[]", bound + [ffi.NULL])
        options = ffi.new("MrcRunOptions *", {
            "size": ffi.sizeof("MrcRunOptions"), "folder": path, "threads": threads, "resume": resume,
            "checkpoint_seconds": 30, "stop": call.stop, "row": callbacks[0], "progress": callbacks[1],
            "message": callbacks[2], "partners": handles, "partner_count": len(bound)})
        info = ffi.new("MrcRunInfo *")
        status = lib().mrc_run(self._handle, options, info, call.error)
        facts, report = _library.facts_dictionary(info.facts), text(info.report)
        lib().mrc_run_info_free(info)
        call.check(status)
        if folder is not None:  # a resumed run has rows from before
            found = results.read(folder)
            found.facts, found.report = facts, report
            return found
        return results.Run.of_rows(names, units, rows, facts, report)


def _diagnostic(found) -> Diagnostic:
    return Diagnostic(text(found.file), found.line, found.column, bool(found.warning), text(found.text))


def _overrides(values: Optional[Mapping], keywords: Mapping) -> list:
    both = {**(values or {}), **{f"constants.{name}": value for name, value in keywords.items()}}
    return [f"{path}={_value(value)}" for path, value in both.items()]


def _value(value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return str(value)


def load(path, values: Optional[Mapping] = None, **constants) -> Model:
    """Reads a model file. `values` are overrides by path, {"simulate.step": "0.1 ms"}; keywords are constants of the model:
    load("damper.yaml", height="12 mm"). Numbers without a unit are in SI units; for constants with a unit, give it."""
    overrides = _overrides(values, constants)
    words = [_library.encoded(word) for word in overrides] if lib() else []
    os.stat(path)  # raises FileNotFoundError
    return Model(_loaded(lib().mrc_model_load(_library.encoded(path), ffi.new("const char *[]", words + [ffi.NULL]),
                                              len(words))), path, overrides)


def parse(source: str, name: str = "model", values: Optional[Mapping] = None, **constants) -> Model:
    """A model from a text in YAML; `name` stands for the file in messages."""
    words = [_library.encoded(word) for word in _overrides(values, constants)] if lib() else []
    data = source.encode()
    return Model(_loaded(lib().mrc_model_parse(data, len(data), _library.encoded(name),
                                               ffi.new("const char *[]", words + [ffi.NULL]), len(words))))


def _loaded(handle):
    if handle == ffi.NULL:
        raise MemoryError("the model")
    return handle
