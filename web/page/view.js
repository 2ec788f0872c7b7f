// What is seen of the world: joints as numbers where there is no WebGPU.

/** Frames between two updates of the table. */
const EVERY = 6;

export class View {
  /** Opens what the browser has. */
  static async open(canvas, plain) {
    const view = new View(canvas, plain);
    view.fail("Pictures are not drawn yet.");
    return view;
  }

  constructor(canvas, plain) {
    this.canvas = canvas;
    this.plain = plain;
    this.cells = [];
    this.frames = 0;
  }

  /** True if there are pictures. */
  get draws() {
    return !this.canvas.hidden;
  }

  /** Numbers instead of pictures, and why. */
  fail(why) {
    this.canvas.hidden = true;
    this.plain.hidden = false;
    this.plain.querySelector("#why").textContent = `${why} The simulation runs all the same; these are its numbers.`;
  }

  /** Another model. */
  show(simulation, files, info) {
    const rows = info.joints.map((joint) => {
      const row = document.createElement("tr");
      row.append(...[joint.name, "", ""].map((text) => Object.assign(document.createElement("td"), { textContent: text })));
      return row;
    });
    this.plain.querySelector("tbody").replaceChildren(...rows);
    this.cells = info.joints.map((joint, i) => ({ ...joint, qpos: rows[i].children[1], qvel: rows[i].children[2] }));
  }

  /** The camera with an id; -1 for the free one. */
  look(camera) {}

  /** A frame. */
  draw(simulation) {
    if (this.plain.hidden || this.frames++ % EVERY !== 0) return;
    const [qpos, qvel] = [simulation.get("qpos"), simulation.get("qvel")];
    const text = (values, from, count) => [...values.slice(from, from + count)].map((x) => x.toFixed(3)).join("  ");
    for (const cell of this.cells) {
      cell.qpos.textContent = text(qpos, cell.qposadr, cell.nq);
      cell.qvel.textContent = text(qvel, cell.dofadr, cell.nv);
    }
  }
}
