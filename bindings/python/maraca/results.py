"""Result folders as arrays. Nothing here needs the library."""
import csv
import json
import pathlib
import re
from typing import Dict, Iterator, Optional, Union

import numpy

from .errors import MaracaError


class Table:
    """Columns by name: `table["shell.y"]` is an array, `table.units["shell.y"]` its unit, `table.names` all of them."""

    def __init__(self, units: Dict[str, str], columns: Dict[str, numpy.ndarray]):
        self.names = list(units)
        self.units = units
        self._columns = columns

    def __getitem__(self, name: str) -> numpy.ndarray:
        if name not in self._columns:
            raise KeyError(f"there is no '{name}' among {', '.join(self.names)}")
        return self._columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


class Run(Table):
    """A run: a table of its signals over `time`.

    facts    results by name, as in summary.json ("energy.relative_error"); {} where there is no summary
    report   the report for people; None: read from a folder
    folder   of the results; None: nothing was written
    """

    def __init__(self, units: Dict[str, str], columns: Dict[str, numpy.ndarray], facts: dict, report: Optional[str] = None,
                 folder: Optional[pathlib.Path] = None):
        super().__init__(units, columns)
        self.facts, self.report, self.folder = facts, report, folder

    @classmethod
    def of_rows(cls, names, units, rows, facts, report) -> "Run":
        values = numpy.array(rows, dtype=float).reshape(len(rows), len(names))
        return cls(dict(zip(names, units)), {name: values[:, k] for k, name in enumerate(names)}, facts, report)

    @property
    def time(self) -> numpy.ndarray:
        return self["t"]

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
        return Run(*_table(self.folder / "periods.csv"), {}, None, self.folder)


class Study(Table):
    """A study: the table that its folder has as CSV, one row per point. What did not come about is NaN; words are arrays of
    text.

    json         the whole result as a dictionary: study.json, respond.json or damping.json
    facts        the same by name: "optimum.value"
    element      the damper element of a map, as in element.json; None: of another study
    certificate  error bars of `certify`, as in certificate.json; None: of another study
    report       the report for people; None: read from a folder
    folder       of the study; None: it had none
    """

    def __init__(self, folder: pathlib.Path, report: Optional[str] = None, keep: bool = True):
        table, main = next((pair for pair in _STUDIES if (folder / pair[0]).exists()), _STUDIES[0])
        super().__init__(*_table(folder / table))
        self.json = _document(folder / main) or {}
        self.facts = _flat(self.json)
        self.element = _document(folder / "element.json")
        self.certificate = _document(folder / "certificate.json")
        self.report, self.folder = report, folder if keep else None


_STUDIES = (("study.csv", "study.json"), ("respond.csv", "respond.json"), ("decay.csv", "damping.json"))


def read(folder) -> Union[Run, Study]:
    """A result folder of `maraca run`, or of a study (`maraca sweep`, `map`, `respond`, ...)."""
    folder = pathlib.Path(folder)
    if (folder / "series.csv").exists():
        return Run(*_table(folder / "series.csv"), _flat(_document(folder / "summary.json") or {}), None, folder)
    if any((folder / table).exists() for table, _ in _STUDIES):
        return Study(folder)
    raise FileNotFoundError(f"'{folder}' is no result folder: it has no series.csv, {', '.join(t for t, _ in _STUDIES[:-1])} "
                            f"or {_STUDIES[-1][0]}")


def _document(path: pathlib.Path) -> Optional[dict]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _table(path: pathlib.Path) -> tuple:
    """Units and columns, by name."""
    with open(path, encoding="utf-8", newline="") as file:
        heads = [re.fullmatch(r"(.*?)(?:\[(.*)\])?", word).groups() for word in next(csv.reader([file.readline()]))]
        names = [name for name, _ in heads]
        body = file.tell()
        try:
            values = numpy.loadtxt(file, delimiter=",", ndmin=2)
            values = values.reshape(-1, len(heads)) if values.size else numpy.empty((0, len(heads)))
            columns = {name: values[:, k] for k, name in enumerate(names)}
        except ValueError:  # words, or places that are empty
            file.seek(body)
            rows = list(csv.reader(file))
            if any(len(row) != len(heads) for row in rows):
                raise MaracaError("READ_FAILED", f"{path}: rows of different lengths") from None
            columns = {name: _column([row[k] for row in rows]) for k, name in enumerate(names)}
    return {name: unit or "1" for name, unit in heads}, columns


def _column(words: list) -> numpy.ndarray:
    try:
        return numpy.array([float(word) if word else numpy.nan for word in words])
    except ValueError:
        return numpy.array(words)


def _flat(tree, name: str = "") -> dict:
    """Members on the way to a value, joined by dots, as in facts.h."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else None
    if items is None:
        return {name: tree}
    found = {}
    for key, value in items:
        found.update(_flat(value, f"{name}.{key}" if name else str(key)))
    return found
