#!/usr/bin/python3
"""Draws grains and their container from the frames of a result folder, several instants side by side.

    scripts/pictures/draw_grains.py RESULT_FOLDER GRAINS FRAME[,FRAME...] PICTURE.png

Grains are spheres coloured by speed; of the container only the far half is drawn. Needs python3-vtk9 and a
display (xvfb-run gives one to a machine without a screen); scripts/pictures/make takes care of both.
"""
import math
import sys
import xml.etree.ElementTree as xml

import vtk

WIDTH, HEIGHT = 1100, 480  # pixels; drawn twice as large and scaled down


def read_polydata(path):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def read_frame(folder, thing, frame):
    """The data and the time of one frame of `thing`, found through frames.pvd."""
    entries = [e for e in xml.parse(f"{folder}/frames.pvd").iter("DataSet") if e.get("name") == thing]
    if not 0 <= frame < len(entries):
        sys.exit(f"{folder} has {len(entries)} frames of '{thing}'; there is no frame {frame}")
    return read_polydata(f"{folder}/{entries[frame].get('file')}"), float(entries[frame].get("timestep"))


def shifted(algorithm_input, offset):
    transform = vtk.vtkTransform()
    transform.Translate(offset, 0, 0)
    move = vtk.vtkTransformPolyDataFilter()
    move.SetTransform(transform)
    move.SetInputData(algorithm_input)
    move.Update()
    return move.GetOutput()


def add_speed(grains):
    velocity, speed = grains.GetPointData().GetArray("velocity"), vtk.vtkDoubleArray()
    speed.SetName("speed")
    for i in range(grains.GetNumberOfPoints()):
        speed.InsertNextValue(math.sqrt(sum(v * v for v in velocity.GetTuple3(i))))
    grains.GetPointData().AddArray(speed)
    return speed.GetRange()[1]


def grains_actor(grains, colours):
    sphere = vtk.vtkSphereSource()
    sphere.SetRadius(1)
    sphere.SetThetaResolution(40)
    sphere.SetPhiResolution(40)
    mapper = vtk.vtkGlyph3DMapper()
    mapper.SetInputData(grains)
    mapper.SetSourceConnection(sphere.GetOutputPort())
    mapper.SetScaleArray("radius")
    mapper.SetScaleModeToScaleByMagnitude()
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray("speed")
    mapper.SetLookupTable(colours)
    mapper.UseLookupTableScalarRangeOn()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetAmbient(0.25)
    actor.GetProperty().SetDiffuse(0.75)
    actor.GetProperty().SetSpecular(0.25)
    actor.GetProperty().SetSpecularPower(30)
    return actor


def container_actors(walls, offset):
    """The half that is behind the middle, as a pale surface, and the outline of the whole."""
    plane = vtk.vtkPlane()
    plane.SetOrigin(offset, 0, 0)
    plane.SetNormal(0, 1, 0)  # the camera is at negative y
    cut = vtk.vtkClipPolyData()
    cut.SetInputData(walls)
    cut.SetClipFunction(plane)
    edges = vtk.vtkFeatureEdges()
    edges.SetInputData(walls)
    edges.SetFeatureAngle(60)
    actors = []
    for source, colour, opacity in ((cut, (0.72, 0.78, 0.86), 0.6), (edges, (0.35, 0.40, 0.48), 1)):
        mapper = vtk.vtkPolyDataMapper()
        mapper.SetInputConnection(source.GetOutputPort())
        mapper.ScalarVisibilityOff()
        actor = vtk.vtkActor()
        actor.SetMapper(mapper)
        actor.GetProperty().SetColor(*colour)
        actor.GetProperty().SetOpacity(opacity)
        actor.GetProperty().SetAmbient(0.6)
        actor.GetProperty().SetLineWidth(4)
        actors.append(actor)
    return actors


def label(text, x, y, size):
    actor = vtk.vtkTextActor()
    actor.SetInput(text)
    actor.GetTextProperty().SetFontSize(size)
    actor.GetTextProperty().SetColor(0.1, 0.1, 0.1)
    actor.GetTextProperty().SetJustificationToCentered()
    actor.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    actor.GetPositionCoordinate().SetValue(x, y)
    return actor


def colour_bar(colours):
    bar = vtk.vtkScalarBarActor()
    bar.SetLookupTable(colours)
    bar.SetTitle("speed in m/s\n ")
    bar.SetNumberOfLabels(5)
    bar.SetLabelFormat("%.1f")
    bar.SetOrientationToHorizontal()
    bar.UnconstrainedFontSizeOn()
    for text in (bar.GetTitleTextProperty(), bar.GetLabelTextProperty()):
        text.SetColor(0.1, 0.1, 0.1)
        text.SetFontSize(30)
        text.BoldOff()
        text.ItalicOff()
        text.ShadowOff()
    bar.GetPositionCoordinate().SetValue(0.3, 0.02)
    bar.SetWidth(0.4)
    bar.SetHeight(0.16)
    return bar


def colour_table(fastest):
    table = vtk.vtkColorTransferFunction()
    table.SetColorSpaceToRGB()
    stops = ((40, 70, 160), (45, 150, 215), (95, 205, 165), (250, 210, 80), (205, 45, 35))
    for n, colour in enumerate(stops):
        table.AddRGBPoint(n / (len(stops) - 1) * fastest, *(c / 255 for c in colour))
    return table


def draw(folder, thing, frames, picture):
    read = [(read_frame(folder, thing, f), read_frame(folder, thing + "-walls", f)[0]) for f in frames]
    fastest = max(add_speed(grains) for (grains, _), _ in read)
    colours = colour_table(math.ceil(fastest * 5) / 5)
    low = [min(w.GetBounds()[2 * k] for _, w in read) for k in range(3)]
    high = [max(w.GetBounds()[2 * k + 1] for _, w in read) for k in range(3)]
    pitch = 1.3 * (high[0] - low[0])
    scene = vtk.vtkRenderer()
    scene.SetBackground(1, 1, 1)
    for n, ((grains, _), walls) in enumerate(read):
        offset = (n - (len(frames) - 1) / 2) * pitch
        scene.AddActor(grains_actor(shifted(grains, offset), colours))
        for actor in container_actors(shifted(walls, offset), offset):
            scene.AddActor(actor)

    camera = scene.GetActiveCamera()
    camera.ParallelProjectionOn()
    middle = 0.5 * (low[2] + high[2])
    tilt = math.radians(14)
    camera.SetFocalPoint(0, 0, middle)
    camera.SetPosition(0, -math.cos(tilt), middle + math.sin(tilt))
    camera.SetViewUp(0, 0, 1)
    scene.ResetCamera()
    half_width = 0.5 * len(frames) * pitch  # what the picture shows sideways
    scale = half_width * HEIGHT / WIDTH     # half of what it shows upwards
    camera.SetParallelScale(scale)
    camera.SetWindowCenter(0, -0.2)        # room for the labels at the bottom
    for n, ((_, time), _) in enumerate(read):
        scene.AddActor2D(label(f"t = {time:.3f} s", (n + 0.5) / len(frames), 0.20, 32))
    scene.AddActor2D(colour_bar(colours))

    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    window.SetAlphaBitPlanes(1)
    window.SetSize(2 * WIDTH, 2 * HEIGHT)
    window.AddRenderer(scene)
    scene.SetUseDepthPeeling(1)
    window.Render()
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    smaller = vtk.vtkImageResize()
    smaller.SetInputConnection(grab.GetOutputPort())
    smaller.SetOutputDimensions(WIDTH, HEIGHT, 1)
    writer = vtk.vtkPNGWriter()
    writer.SetCompressionLevel(9)
    writer.SetInputConnection(smaller.GetOutputPort())
    writer.SetFileName(picture)
    writer.Write()


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    draw(sys.argv[1], sys.argv[2], [int(f) for f in sys.argv[3].split(",")], sys.argv[4])
