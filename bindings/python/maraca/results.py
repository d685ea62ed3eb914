"""Result folders as arrays. Nothing here needs the library."""
import json
import pathlib
import re
from typing import Iterator, Optional

import numpy

from .errors import MaracaError


class Run:
    """A run: `run["shell.y"]` is a signal over time, `run.units["shell.y"]` its unit, `run.time` the times.

    facts    results by name, as in summary.json ("energy.relative_error"); {} where there is no summary
    report   the report for people; None: read from a folder
    folder   of the results; None: nothing was written
    """

    def __init__(self, names: list, units: list, values: numpy.ndarray, facts: dict, report: Optional[str] = None,
                 folder: Optional[pathlib.Path] = None):
        self.names = names
        self.units = dict(zip(names, units))
        self._columns = {name: values[:, k] for k, name in enumerate(names)}
        self.facts, self.report, self.folder = facts, report, folder

    @classmethod
    def of_rows(cls, names, units, rows, facts, report) -> "Run":
        return cls(names, units, numpy.array(rows, dtype=float).reshape(len(rows), len(names)), facts, report)

    @property
    def time(self) -> numpy.ndarray:
        return self["t"]

    def __getitem__(self, name: str) -> numpy.ndarray:
        if name not in self._columns:
            raise KeyError(f"'{name}' was not recorded; recorded are {', '.join(self.names)}")
        return self._columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def model_text(self) -> str:
        """The model as it was run."""
        return (self.folder / "model.yaml").read_text()

    @property
    def summary(self) -> dict:
        """summary.json."""
        return json.loads((self.folder / "summary.json").read_text())

    @property
    def periods(self) -> "Run":
        """periods.csv, where the model has periods."""
        return _table(self.folder / "periods.csv", {}, self.folder)


def read(folder) -> Run:
    """A result folder of `maraca run`."""
    folder = pathlib.Path(folder)
    summary = folder / "summary.json"
    facts = _flat(json.loads(summary.read_text())) if summary.exists() else {}
    return _table(folder / "series.csv", facts, folder)


def _table(path: pathlib.Path, facts: dict, folder: pathlib.Path) -> Run:
    with open(path, encoding="utf-8") as file:
        heads = [re.fullmatch(r"(.*?)(?:\[(.*)\])?", word).groups() for word in file.readline().strip().split(",")]
        try:
            values = numpy.loadtxt(file, delimiter=",", ndmin=2)
        except ValueError as error:
            raise MaracaError("READ_FAILED", f"{path}: {error}") from error
    values = values.reshape(-1, len(heads)) if values.size else numpy.empty((0, len(heads)))
    return Run([name for name, _ in heads], [unit or "1" for _, unit in heads], values, facts, None, folder)


def _flat(tree, name: str = "") -> dict:
    """Members on the way to a value, joined by dots, as in facts.h."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else None
    if items is None:
        return {name: tree}
    found = {}
    for key, value in items:
        found.update(_flat(value, f"{name}.{key}" if name else str(key)))
    return found
