"""What can go wrong."""
from typing import NamedTuple


class MaracaError(Exception):
    """A function of the library failed. `status` is the name of its status, such as "DIVERGED" (maraca/status.h)."""

    def __init__(self, status: str, text: str):
        super().__init__(text)
        self.status = status


class Diagnostic(NamedTuple):
    """Something found in a model file."""
    file: str
    line: int  # from 1; 0: the whole file
    column: int
    warning: bool  # the model can be run all the same
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: "
        return place + ("warning: " if self.warning else "") + self.text


class ModelError(MaracaError):
    """A model file is wrong. `diagnostics` has everything that was found, errors and warnings."""

    def __init__(self, status: str, diagnostics: list):
        errors = [d for d in diagnostics if not d.warning] or diagnostics
        super().__init__(status, "\n".join(str(d) for d in errors))
        self.diagnostics = diagnostics
