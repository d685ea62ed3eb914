"""Reads the frames that Maraca writes: VTK's PolyData with raw appended data."""
import re
import struct

FORMATS = {"Float64": "d", "Float32": "f", "Int64": "q", "Int32": "i"}


def read(path):
    """Arrays by name, vectors as tuples; `Points` are the positions, `TimeValue` is the time."""
    with open(path, "rb") as file:
        data = file.read()
    head, raw = data.split(b'<AppendedData encoding="raw">', 1)
    raw = raw[raw.index(b"_") + 1:]
    arrays = {"TimeValue": float(re.search(r'Name="TimeValue"[^>]*>([^<]*)<', head.decode()).group(1))}
    for words in re.findall(r'<DataArray ([^>]*offset="\d+"[^>]*)/>', head.decode()):
        what = dict(re.findall(r'(\w+)="([^"]*)"', words))
        letter, components, offset = FORMATS[what["type"]], int(what.get("NumberOfComponents", 1)), int(what["offset"])
        (length,) = struct.unpack_from("<Q", raw, offset)
        values = struct.unpack_from(f"<{length // struct.calcsize(letter)}{letter}", raw, offset + 8)
        if what["Name"] not in arrays:  # vertices and polygons both have corners and ends: the first ones
            arrays[what["Name"]] = values if components == 1 else list(zip(*[iter(values)] * components))
    return arrays
