#!/usr/bin/env python3
"""The models of `tests/parity/models` with another integrator than theirs, compared as `parity.py` does.

    tests/parity/integrator.py --bin target/debug/manyworlds discrete

What an integrator does to springs, dampers, actuators, fluids and rows is in all these models; those of its own have a
few of each.
"""
import argparse
import os
import re
import shutil
import sys
import tempfile

import mujoco
import parity

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")

LEFT_OUT = {
    "convex": "points of convex contacts on flat faces are not unique",
    "delays": "mj_inverse alone has no delayed controls in its actuator forces",
    "servos": "the reference asks the last bit of a torque whether it is at its limit",
}


def with_integrator(text, name):
    """An MJCF text with an integrator."""
    if "<option" not in text:
        return re.sub(r"(<mujoco[^>]*>)", r'\1<option integrator="%s"/>' % name, text, count=1)
    text = re.sub(r'(<option[^>]*?) integrator="\w+"', r"\1", text, count=1)
    return text.replace("<option", '<option integrator="%s"' % name, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("integrator")
    args = parser.parse_args()
    args.backend, args.states, args.seed = "cpu", 10, 0
    args.perturb, args.compiled, args.unconverged = None, False, True
    agree, compared, refused = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        copies = os.path.join(folder, "models")
        shutil.copytree(MODELS, copies)
        for name in sorted(n for n in os.listdir(copies) if n.endswith(".xml")):
            if any(name.startswith(left) for left in LEFT_OUT):
                continue
            path = os.path.join(copies, name)
            with open(path) as file:
                text = with_integrator(file.read(), args.integrator)
            with open(path, "w") as file:
                file.write(text)
            try:
                mujoco.MjModel.from_xml_path(path)
            except ValueError as error:
                print("refused ", name, str(error).splitlines()[0], flush=True)
                refused += 1
                continue
            over, _, _ = parity.compare(path, args)
            compared, agree = compared + 1, agree + (not over)
            print("differs " if over else "ok      ", name, "; ".join("%s %.1e" % (n, e) for e, n in over[:6]), flush=True)
    print("%d of %d models within tolerance with %s, %d refused by the reference" % (agree, compared, args.integrator, refused))
    sys.exit(agree != compared or compared == 0)


if __name__ == "__main__":
    main()
