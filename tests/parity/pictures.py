"""Pictures against those of the reference's renderer: numbers of objects, silhouettes of what moves, depths, and how far colours are apart.

    python tests/parity/pictures.py --bin target/debug/manyworlds [--size 320x240] [--cameras [N]] [--shades PERCENT] [--out FOLDER] MODEL...

A row a model and camera. Fails where the objects of less than 98 % of the pixels agree, or silhouettes overlap by less than 99 % (of what is larger than a
thousandth of the picture). Colours are told, not judged, but with --shades: ours are lit for each pixel, the reference's for each vertex, which is the same
without highlights where surfaces are flat. With it a row fails where the shades of more of the pixels inside of objects differ by more than 10 of 255. With
--out, both are written side by side, colours above objects. Models that the command refuses are told and left out. Needs mujoco 3.17.0 and OSMesa
(libosmesa6).
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("MUJOCO_GL", "osmesa")

import mujoco
import numpy as np

KINDS = {
    mujoco.mjtObj.mjOBJ_GEOM: 0,
    mujoco.mjtObj.mjOBJ_SITE: 1,
    mujoco.mjtObj.mjOBJ_TENDON: 2,
    mujoco.mjtObj.mjOBJ_SKIN: 3,
    mujoco.mjtObj.mjOBJ_FLEX: 4,
}
OBJECTS_AGREE, SILHOUETTES_OVERLAP, SMALLEST, SAME_SHADE = 0.98, 0.99, 1e-3, 10


def reference(path, camera, width, height):
    """Model, and colours, depths and numbers of objects as the command writes them."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    model.vis.global_.offwidth = max(model.vis.global_.offwidth, width)
    model.vis.global_.offheight = max(model.vis.global_.offheight, height)
    with mujoco.Renderer(model, height, width) as renderer:
        renderer.update_scene(data, camera=camera or -1)
        color = renderer.render().copy()
        renderer.enable_depth_rendering()
        depth = renderer.render().copy()
        renderer.disable_depth_rendering()
        renderer.enable_segmentation_rendering()
        ids, kinds = np.moveaxis(renderer.render(), -1, 0)
    first = np.cumsum([0, model.ngeom, model.nsite, model.ntendon, model.nskin, model.nflex])
    objects = np.where(kinds >= 0, first[-1] + 1, 0)
    for kind, place in KINDS.items():
        here = kinds == int(kind)
        objects[here] = first[place] + ids[here] + 1
    return model, color, depth, objects


def ours(binary, path, camera, width, height):
    """The same of the command; None where it refuses the model, with its last line."""
    arrays = {}
    with tempfile.TemporaryDirectory() as folder:
        for pixels in ("color", "depth", "objects"):
            out = pathlib.Path(folder) / f"{pixels}.npz"
            command = [binary, "render", path, "-o", out, "--pixels", pixels, "--backend", "cpu"]
            command += ["--size", f"{width}x{height}", "--camera", camera or "free"]
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
            if done.returncode:
                return None, (done.stderr.strip() or "?").splitlines()[-1]
            arrays[pixels] = np.load(out)[pixels][0]
    return arrays, ""


def inner(objects):
    """Pixels whose neighbours have the same object: samples of those on edges lie elsewhere."""
    wide = np.pad(objects, 1, mode="edge")
    height, width = objects.shape
    shifted = (wide[y : y + height, x : x + width] for y in range(3) for x in range(3))
    return np.all([other == objects for other in shifted], axis=0)


def compare(binary, path, camera, size, folder, shades):
    """Prints a row; true if both agree."""
    name = f"{path.parent.name}/{path.name} {camera or 'free'}"
    mine, why = ours(binary, path, camera, *size)
    if mine is None:
        print(f"{name:<48} left out: {why}")
        return True
    model, color, depth, objects = reference(path, camera, *size)
    same = mine["objects"] == objects
    # geoms that move, and everything that is no geom
    moves = np.ones(max(objects.max(), mine["objects"].max()) + 1, bool)
    moves[: model.ngeom + 1] = np.append(False, model.body_weldid[model.geom_bodyid] != 0)[: len(moves)]
    a, b = moves[mine["objects"]], moves[objects]
    union = (a | b).sum()
    overlap = (a & b).sum() / union if union else 1.0
    both = same & (objects > 0)
    apart = np.median(np.abs(mine["depth"][both] / depth[both] - 1)) if both.any() else 0.0
    far = np.abs(mine["color"].astype(int) - color)
    within = both & inner(objects) & inner(mine["objects"])
    off = 100 * (far[within].max(-1) > SAME_SHADE).mean() if within.any() else 0.0
    good = same.mean() >= OBJECTS_AGREE and (overlap >= SILHOUETTES_OVERLAP or union < SMALLEST * same.size)
    good &= shades is None or off <= shades
    print(
        f"{name:<48} objects {100 * same.mean():6.2f} %  silhouettes {100 * overlap:6.2f} %  depth {apart:.0e}  "
        f"colours {far.mean():4.1f} of 255  shades off {off:5.2f} %{'' if good else '  DIFFERS'}",
        flush=True,
    )
    if folder:
        shade = lambda ids: np.stack([np.where(ids > 0, ids * 37 % 216 + 40, 0)] * 3, -1)  # noqa: E731
        above = np.concatenate([mine["color"], color], 1)
        below = np.concatenate([shade(mine["objects"]), shade(objects)], 1)
        picture = np.concatenate([above, below]).astype(np.uint8)
        header = f"P6 {picture.shape[1]} {picture.shape[0]} 255\n".encode()
        (folder / f"{path.parent.name}_{path.stem}_{camera or 'free'}.ppm").write_bytes(header + picture.tobytes())
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--size", default="320x240")
    parser.add_argument("--cameras", nargs="?", type=int, const=1, default=0, help="the first N cameras of each model too")
    parser.add_argument("--shades", type=float, help="percentage of pixels whose shades may differ")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    size = [int(n) for n in arguments.size.split("x")]
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
    good = True
    for path in arguments.models:
        cameras = [None]
        if arguments.cameras:
            model = mujoco.MjModel.from_xml_path(str(path))
            names = (model.cam(i).name for i in range(min(arguments.cameras, model.ncam)))
            cameras += [name for name in names if name]
        for camera in cameras:
            good &= compare(arguments.bin, path, camera, size, arguments.out, arguments.shades)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
