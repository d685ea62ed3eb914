"""libmaraca, loaded at the first use, so that result folders can be read without it."""
import ctypes.util
import functools
import os
import pathlib

import cffi

from .errors import MaracaError

ffi = cffi.FFI()


@functools.lru_cache(maxsize=None)
def lib():
    """The library: the one named by MARACA_LIBRARY, the one beside this file, or the system's."""
    from . import _declarations
    ffi.cdef(_declarations.TEXT)
    beside = pathlib.Path(__file__).with_name("libmaraca.so")
    path = os.environ.get("MARACA_LIBRARY") or (str(beside) if beside.exists() else ctypes.util.find_library("maraca"))
    if not path:
        raise ImportError("libmaraca.so is not installed: run `make python` or `make install`, or name the file by the "
                          "environment variable MARACA_LIBRARY")
    try:
        return ffi.dlopen(path)
    except OSError as error:
        raise ImportError(f"{path}: {error}; Debian packages that it needs are in packages.txt") from error


def text(pointer):
    """A C string that belongs to the library; None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()


def take_text(pointer):
    """A C string that is ours to free."""
    taken = text(pointer)
    lib().mrc_text_free(pointer)
    return taken


def encoded(word):
    """A path or a text as C wants it."""
    return ffi.new("char[]", os.fsencode(word))


class Call:
    """Error and exceptions of one call into the library. Python code that the library calls back puts its exception
    here and asks the library to stop; `check` raises it again."""

    def __init__(self):
        lib()
        self.error = ffi.new("MrcError *")
        self.stop = ffi.new("int *")
        self.exception = None

    def failed(self, _kind, exception, _traceback):
        """Keeps an exception raised in a callback, and asks the library to stop. Signal handlers (Ctrl-C) run there, too."""
        self.exception = self.exception or exception
        self.stop[0] = 1

    def check(self, status):
        exception, self.exception = self.exception, None
        self.stop[0] = 0
        if exception:
            raise exception
        if status != lib().MRC_OK:
            raise MaracaError(text(lib().mrc_status_name(status)), ffi.string(self.error.text).decode())

    def callback(self, signature, function, error=None):
        """A C callback. An exception ends the call; the callback then returns `error`."""
        return ffi.callback(signature, function, error=error, onerror=self.failed)


def message_callback(call):
    """Warnings of the library as Python warnings; notes are left out."""
    import warnings

    def show(_user, warning, words):
        if warning:
            warnings.warn(text(words), RuntimeWarning, stacklevel=4)
    return call.callback("void(void *, _Bool, const char *)", show)


def facts_dictionary(facts):
    """Facts by name: number, text, or bool; None where a fact does not apply."""
    found = {}
    for k in range(lib().mrc_facts_count(facts)):
        fact = lib().mrc_facts_get(facts, k)
        kinds = {lib().MRC_FACT_NUMBER: lambda: fact.number, lib().MRC_FACT_COUNT: lambda: int(fact.count),
                 lib().MRC_FACT_FLAG: lambda: bool(fact.flag), lib().MRC_FACT_TEXT: lambda: text(fact.text)}
        found[text(fact.name)] = kinds.get(fact.kind, lambda: None)()
    return found
