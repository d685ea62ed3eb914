#!/usr/bin/env python3
"""Opens the files that test_vtk.c wrote with VTK's own reader and compares them with what was meant.

usage: check_vtk.py FOLDER. Ends with 77 when VTK for Python is not installed, 1 when something differs.
"""
import math
import sys
import xml.etree.ElementTree as xml

try:
    import vtk
except ImportError:
    sys.exit(77)

folder = sys.argv[1]


def read(name):
    problems = []
    reader = vtk.vtkXMLPolyDataReader()
    reader.AddObserver("ErrorEvent", lambda *_: problems.append(name))
    reader.AddObserver("WarningEvent", lambda *_: problems.append(name))
    reader.SetFileName(f"{folder}/{name}")
    reader.Update()
    assert not problems, f"VTK complains about {name}"
    return reader.GetOutput()


def close(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(b))


def check_points(name, count):
    data = read(name)
    assert data.GetNumberOfPoints() == count and data.GetNumberOfVerts() == count
    assert data.GetNumberOfCells() == count
    assert data.GetFieldData().GetArray("TimeValue").GetValue(0) == 0.1 + 0.2
    arrays = data.GetPointData()
    assert arrays.GetNumberOfArrays() == 4
    if count == 0:
        return
    ids, radius, velocity, spin = (arrays.GetArray(n) for n in ("id", "radius", "velocity", "a<b & \"c\""))
    for i in range(count):
        assert data.GetPoint(i) == (100 + i / 3, -i / 7, 1e-9 * i)
        assert ids.GetValue(i) == 2**53 + 1 + i
        assert close(radius.GetValue(i), 0.001 * (i + 1))
        assert all(close(a, b) for a, b in zip(velocity.GetTuple3(i), (i, -2 * i, 0.5)))
        assert all(close(a, b) for a, b in zip(spin.GetTuple3(i), (0.25, i, i * i)))
        cell = data.GetCell(i)
        assert cell.GetNumberOfPoints() == 1 and cell.GetPointId(0) == i


def check_surface():
    data = read("surface.vtp")
    assert data.GetNumberOfPolys() == data.GetNumberOfCells() == 6 + 64 + 2
    assert data.GetNumberOfPoints() == 8 + 128
    assert data.GetFieldData().GetArray("TimeValue").GetValue(0) == 2.5
    wall = data.GetCellData().GetArray("wall")
    assert [wall.GetValue(i) for i in range(72)] == [0] * 6 + [1] * 66
    properties = vtk.vtkMassProperties()
    triangles = vtk.vtkTriangleFilter()
    triangles.SetInputData(data)
    properties.SetInputConnection(triangles.GetOutputPort())
    area = 6 * 4 + 2 * math.pi * 1 * 3 + 2 * math.pi
    assert abs(properties.GetSurfaceArea() - area) < 0.01 * area, properties.GetSurfaceArea()


def check_lines():
    data = read("lines.vtp")
    assert data.GetNumberOfLines() == 2 and data.GetNumberOfVerts() == 2 and data.GetNumberOfPoints() == 5
    ids = [[data.GetCell(i).GetPointId(k) for k in range(data.GetCell(i).GetNumberOfPoints())] for i in range(4)]
    assert ids == [[4], [1], [0, 1, 2], [4, 3]], ids
    assert data.GetPointData().GetArray("displacement").GetTuple3(3) == (1.5, 1, 0)


def check_glyphs():
    sphere, glyph = vtk.vtkSphereSource(), vtk.vtkGlyph3D()
    glyph.SetInputData(read("points.vtp"))
    glyph.SetSourceConnection(sphere.GetOutputPort())
    glyph.Update()
    sphere.Update()
    each = sphere.GetOutput().GetNumberOfPoints()
    assert glyph.GetOutput().GetNumberOfPoints() == each * read("points.vtp").GetNumberOfPoints()


def check_collection():
    rows = xml.parse(f"{folder}/frames.pvd").getroot().find("Collection").findall("DataSet")
    found = [(float(r.get("timestep")), int(r.get("part")), r.get("name"), r.get("file")) for r in rows]
    assert found == [(0, 0, "grains", "frames/a.vtp"), (0.1, 1, "", "frames/<odd> & \"quoted\".vtp")], found


check_points("points.vtp", 5000)
check_points("none.vtp", 0)
check_surface()
check_lines()
check_glyphs()
check_collection()
print("VTK", vtk.vtkVersion().GetVTKVersion(), "reads the files as meant")
