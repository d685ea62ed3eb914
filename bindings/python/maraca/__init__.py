"""Machines that move grains, and grains that push back on machines.

    import maraca

    model = maraca.load("cantilever-damper.yaml", {"simulate.duration": "0.2 s"})
    run = model.run("damper.run")              # as `maraca run`
    print(run.facts["coupling.ports.shell.amplitude_m"])

    sim = model.start()                        # or step by step
    while not sim.done:
        sim.step()
        print(sim.time, sim["shell.y"])

    old = maraca.read("damper.run")            # a result folder; needs no library
    y = old["shell.y"]                         # numpy array, in old.units["shell.y"]

    found = maraca.sweep("cantilever-damper.yaml", {"constants.f": "14:18:9 Hz"}, beds=3)   # a study: maraca.study

Numbers are in SI units throughout. Functions that fail raise MaracaError; a wrong model file raises ModelError, which
has the file, line and column of everything that was found.
"""
from .errors import Diagnostic, MaracaError, ModelError
from .model import Model, load, parse
from .partner import Driver, Follower, Motion
from .results import Run, Study, Table, read
from .simulation import Grains, Simulation, State
from .study import certify, damping, fit, map, optimise, respond, response, size, sweep


def version() -> str:
    """Version of the library."""
    from . import _library
    return _library.text(_library.lib().mrc_version())


__all__ = ["Diagnostic", "Driver", "Follower", "Grains", "MaracaError", "Model", "ModelError", "Motion", "Run", "Simulation",
           "State", "Study", "Table", "certify", "damping", "fit", "load", "map", "optimise", "parse", "read", "respond",
           "response", "size", "sweep", "version"]
