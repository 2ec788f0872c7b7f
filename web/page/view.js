// What is seen of the world: pictures by WebGPU, or joints as numbers where there is none.

import * as engine from "./manyworlds_web.js";

/** Frames between two updates of the table. */
const EVERY = 6;

/** Most pixels of the canvas: on a processor that stands in for a GPU, and on a GPU. */
const PIXELS = [400_000, 6_000_000];

/** Pixels of a wheel's notch. */
const NOTCH = 100;

export class View {
  /** Opens what the browser has. */
  static async open(canvas, plain) {
    const view = new View(canvas, plain);
    if (!navigator.gpu) {
      const reason = isSecureContext ? "This browser has no WebGPU" : "WebGPU needs a page from https or from localhost";
      view.fail(`${reason}, so there are no pictures.`);
      return view;
    }
    try {
      const { info } = (await navigator.gpu.requestAdapter()) ?? {};
      view.device = [info?.vendor, info?.architecture, info?.description].filter(Boolean).join(" ");
      // a processor that stands in for a GPU
      const copies = Boolean(info?.isFallbackAdapter) || /swiftshader|llvmpipe|basic render/i.test(view.device);
      view.picture = await engine.Picture.open(copies ? document.createElement("canvas") : canvas, copies);
      view.context = copies ? canvas.getContext("2d") : null;
      view.listen();
    } catch (error) {
      view.fail(`WebGPU has no device here (${text(error)}), so there are no pictures.`);
    }
    return view;
  }

  constructor(canvas, plain) {
    this.canvas = canvas;
    this.plain = plain;
    this.cells = [];
    this.frames = 0;
    this.picture = null;
    /** What pictures are copied onto, where they do not reach the canvas by themselves. */
    this.context = null;
    this.device = "";
    this.size = [];
    /** Number of pictures so far. */
    this.pictures = 0;
    this.pointers = new Map();
    this.simulation = null;
    this.holds = false;
  }

  /** True if there are pictures. */
  get draws() {
    return this.picture !== null;
  }

  /** Numbers instead of pictures, and why. */
  fail(why) {
    this.picture = null;
    this.canvas.hidden = true;
    this.plain.hidden = false;
    this.plain.querySelector("#why").textContent = `${why} The simulation runs all the same; these are its numbers.`;
  }

  /** Another model. Returns what of it is not shown as it says. */
  show(simulation, info) {
    this.simulation = simulation;
    this.holds = false;
    this.rows(info.joints);
    if (!this.picture) return [];
    try {
      const notices = this.picture.show(simulation);
      this.fit();
      return notices;
    } catch (error) {
      this.fail(`The model is not drawn: ${text(error)}.`);
      return [];
    }
  }

  /** The table of joints. */
  rows(joints) {
    const rows = joints.map((joint) => {
      const row = document.createElement("tr");
      row.append(...[joint.name, "", ""].map((content) => Object.assign(document.createElement("td"), { textContent: content })));
      return row;
    });
    this.plain.querySelector("tbody").replaceChildren(...rows);
    this.cells = joints.map((joint, i) => ({ ...joint, qpos: rows[i].children[1], qvel: rows[i].children[2] }));
  }

  /** The camera with an id; -1 orbits, -2 follows. */
  setCamera(camera) {
    this.picture?.set_camera(camera);
  }

  /** A frame. */
  draw(simulation) {
    if (this.picture) {
      try {
        if (this.picture.draw(simulation)) this.pictures++;
        if (this.context) this.copy();
      } catch (error) {
        this.fail(`Drawing stopped: ${text(error)}.`);
      }
    } else if (this.frames++ % EVERY === 0) {
      this.fill(simulation);
    }
  }

  /** The newest picture onto the canvas. */
  copy() {
    const [width, height, pixels] = [this.canvas.width, this.canvas.height, this.picture.take_pixels()];
    // one of the size before is left out
    if (pixels?.length !== 4 * width * height) return;
    this.context.putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), width, height), 0, 0);
  }

  /** Numbers into the table. */
  fill(simulation) {
    const [qpos, qvel] = [simulation.get("qpos"), simulation.get("qvel")];
    const words = (values, from, count) => [...values.slice(from, from + count)].map((x) => x.toFixed(3)).join("  ");
    for (const cell of this.cells) {
      cell.qpos.textContent = words(qpos, cell.qposadr, cell.nq);
      cell.qvel.textContent = words(qvel, cell.dofadr, cell.nv);
    }
  }

  /** As many pixels as the screen has there, but no more than the device draws in a frame. */
  fit() {
    if (!this.picture) return;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    const most = PIXELS[this.context ? 0 : 1];
    const scale = Math.min(devicePixelRatio, Math.sqrt(most / (width * height)));
    const size = [Math.round(width * scale), Math.round(height * scale)];
    // a new size clears the canvas
    if (String(size) === String(this.size)) return;
    this.size = size;
    if (this.context) [this.canvas.width, this.canvas.height] = size;
    this.picture.resize(...size);
  }

  /** Mouse as in MuJoCo's simulate: left turns, right moves, wheel or middle zooms, with Ctrl a body is pulled; one and two fingers likewise. */
  listen() {
    new ResizeObserver(() => this.fit()).observe(this.canvas);
    const { canvas, pointers } = this;
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.picture?.zoom(-event.deltaY * (event.deltaMode === 1 ? 40 : 1) / NOTCH);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      canvas.focus();
      pointers.set(event.pointerId, event);
      this.holds = event.ctrlKey && this.picture !== null && this.picture.grab(this.simulation, ...this.place(event));
    });
    for (const kind of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(kind, (event) => {
        pointers.delete(event.pointerId);
        if (this.holds) this.simulation.release();
        this.holds = false;
      });
    }
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before || !this.picture) return;
      if (this.holds) this.picture.pull(this.simulation, ...this.place(event));
      else if (pointers.size > 1) this.pinch(before, event);
      else this.drag(before, event);
      pointers.set(event.pointerId, event);
    });
  }

  /** Where a pointer is, in widths and heights of the canvas. */
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  /** One pointer moved. */
  drag(before, event) {
    const height = this.canvas.clientHeight;
    const [x, y] = [(event.clientX - before.clientX) / height, (event.clientY - before.clientY) / height];
    if (event.buttons & 2) this.picture.pan(x, y, event.shiftKey);
    else if (event.buttons & 4) this.picture.zoom(-10 * y);
    else this.picture.rotate(x, y);
  }

  /** One of two fingers moved: the distance zooms, the middle pans. */
  pinch(before, event) {
    const other = [...this.pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
    const height = this.canvas.clientHeight;
    const distance = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
    // an eighth of the distance for a notch
    this.picture.zoom(8 * Math.log(Math.max(distance(event), 1) / Math.max(distance(before), 1)));
    this.picture.pan((event.clientX - before.clientX) / (2 * height), (event.clientY - before.clientY) / (2 * height), false);
  }
}

/** The message of what was thrown. */
function text(error) {
  if (typeof error !== "string") return String(error?.message ?? error);
  try {
    return JSON.parse(error).map((problem) => problem.message).join("; ");
  } catch {
    return error;
  }
}
