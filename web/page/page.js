// The page: files in, a frame loop, and the controls of one simulation.

import { openFiles, fromDrop, fromInput } from "./open.js";
import { View } from "./view.js";
import init, { Files, Simulation } from "./manyworlds_web.js";

/** Longest part of a frame that steps may take, in seconds. */
const BUDGET = 0.012;

const $ = (id) => document.getElementById(id);

/** The files that the simulation came from, the simulation, and what the model holds. */
let files = null;
let name = "";
let simulation = null;
let info = null;
let view = null;
let running = true;
let last = null;

/** Ends with the text of a panic: the module cannot go on. */
globalThis.manyworldsPanicked = (text) => {
  console.error(text);
  simulation = null;
  problems([{ message: text, help: "This is a fault of the engine, not of your model. Reload the page to go on." }], "The engine stopped");
};

/** Shows a list of problems; none hides it. */
function problems(list, title) {
  const box = $("problems");
  box.replaceChildren();
  box.hidden = list.length === 0;
  if (box.hidden) return;
  const heading = element("h2", "", title ?? (list.length === 1 ? "A problem" : `${list.length} problems`));
  const close = element("button", "quiet", "close");
  close.onclick = () => (box.hidden = true);
  heading.append(close);
  box.append(heading, ...list.map(problem));
}

function problem({ file, line, column, text, length, message, help }) {
  const article = document.createElement("article");
  if (file) article.append(element("div", "place", line ? `${file}:${line}:${column}` : file));
  article.append(element("div", "message", message));
  if (text) {
    const letters = [...text];
    const [from, to] = [column - 1, column - 1 + length];
    const code = document.createElement("pre");
    code.append(letters.slice(0, from).join(""), element("mark", "", letters.slice(from, to).join("")), letters.slice(to).join(""));
    article.append(code);
  }
  if (help) article.append(element("div", "help", help));
  return article;
}

function element(tag, kind, text) {
  const made = document.createElement(tag);
  made.className = kind;
  made.textContent = text;
  return made;
}

/** The problems in what was thrown. */
function caught(error) {
  // a panic has shown its own text
  if (error instanceof WebAssembly.RuntimeError) return;
  let list = [{ message: String(error?.message ?? error) }];
  if (typeof error === "string") {
    try {
      list = JSON.parse(error);
    } catch {
      list = [{ message: error }];
    }
  }
  problems(list);
}

/** Takes files as [name, bytes]: a model replaces the simulation, other files join those of the last model. */
async function take(list) {
  if (list.length === 0) return;
  let next = new Files();
  try {
    list.forEach(([path, bytes]) => next.add(path, bytes));
    let models = next.models();
    if (models.length === 0 && files) {
      list.forEach(([path, bytes]) => files.add(path, bytes));
      next = files;
      models = next.models();
    }
    if (models.length === 0) {
      const help = "Drop an MJCF or URDF file, with its meshes and textures, or a compiled .mwb file.";
      problems([{ message: `There is no model among ${list.map((f) => f[0]).slice(0, 5).join(", ")}`, help }]);
      return;
    }
    files = next;
    choices($("models"), models.map((path) => [path, path]));
    $("models").hidden = models.length < 2;
    await load(models.includes(name) && next === files ? name : models[0]);
  } catch (error) {
    caught(error);
  }
}

/** Compiles a model of the files; the one before goes on if it fails. */
async function load(path) {
  name = path;
  $("models").value = path;
  say(`Loading ${path} …`);
  // lets the page show that it is working
  await new Promise((done) => setTimeout(done));
  try {
    const next = new Simulation(files, path);
    simulation?.free();
    simulation = next;
    info = JSON.parse(next.info());
    problems([]);
    $("model").textContent = `${path} · nq ${info.nq}, nv ${info.nv}, nu ${info.nu}, ${info.nbody} bodies, ${info.ngeom} geoms`;
    view.show(simulation, info).forEach((notice) => console.warn(notice));
    panel();
    speed();
    last = null;
    warn();
  } catch (error) {
    caught(error);
  }
  say("");
}

function warn() {
  info.warnings.forEach((w) => console.warn(w.line ? `${w.file}:${w.line}:${w.column}: ${w.message}` : w.message));
}

function say(text) {
  $("state").textContent = text;
}

function choices(select, list) {
  select.replaceChildren(...list.map(([value, text]) => new Option(text, value)));
}

/** The panel for the model. */
function panel() {
  ["play", "step", "reset"].forEach((id) => ($(id).disabled = false));
  choices($("keyframe"), [...info.keyframes.map((key, i) => [i, key]), ["", "initial state"]]);
  $("keyframe-field").hidden = info.keyframes.length === 0;
  choices($("camera"), [[-1, "free"], [-2, "follow"], ...info.cameras.map((camera, i) => [i, camera])]);
  $("camera").value = view.picture?.camera() ?? -1;
  $("camera-field").hidden = !view.draws;
  $("show").hidden = !view.draws;
  $("controls").replaceChildren(...info.actuators.map(control));
  // a policy sets the controls
  $("control-section").hidden = info.actuators.length === 0 || info.policy;
  $("commands").replaceChildren(...info.commands.map(command));
  $("command-section").hidden = info.commands.length === 0;
}

/** Sliders of a command that the policy follows, and a box: who ticks it or moves one gives the command. */
function command({ name: label, numbers }) {
  const field = element("fieldset", "command", "");
  const given = Object.assign(document.createElement("input"), { type: "checkbox" });
  const sliders = numbers.map(({ low, high }) =>
    Object.assign(document.createElement("input"), { type: "range", min: low, max: high, step: (high - low) / 200 }),
  );
  const values = numbers.map(() => element("output", "", ""));
  const give = () => attempt(() => simulation.give(label, given.checked ? sliders.map((s) => Number(s.value)) : undefined));
  given.onchange = give;
  sliders.forEach((slider) => (slider.oninput = () => {
    given.checked = true;
    give();
  }));
  const heading = element("label", "", "");
  heading.append(given, `give ${label}`);
  field.append(heading);
  numbers.forEach(({ name: text }, i) => {
    const row = element("label", "control", "");
    row.append(element("span", "", text), values[i], sliders[i]);
    field.append(row);
  });
  /** Shows the numbers as they are. */
  field.show = () => {
    const now = simulation.command(label);
    now.forEach((value, i) => {
      values[i].textContent = value.toFixed(2);
      if (document.activeElement !== sliders[i]) sliders[i].value = value;
    });
  };
  field.give = () => (given.checked = true);
  return field;
}

/** Changes a number of the first command by keys; false where there is none. */
function steer(number, up) {
  if (!info || number >= (info.commands[0]?.numbers.length ?? 0)) return;
  attempt(() => simulation.steer(number, up));
  $("commands").firstElementChild.give();
}

/** A box to tick for each part of a picture that can be switched. */
function flags(picture) {
  const boxes = JSON.parse(picture.flags()).map(({ name: flag, doc, on }) => {
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: on });
    box.onchange = () => attempt(() => picture.set_flag(flag, box.checked));
    const label = Object.assign(document.createElement("label"), { title: doc });
    label.append(box, flag);
    return label;
  });
  $("flags").replaceChildren(...boxes);
}

/** A slider for an actuator. */
function control({ name: label, limited, low, high }, i) {
  const [least, most] = limited ? [low, high] : [-1, 1];
  const row = element("label", "control", "");
  const value = element("output", "", "0");
  const slider = Object.assign(document.createElement("input"), { type: "range", min: least, max: most, step: (most - least) / 200 });
  slider.value = Math.min(Math.max(0, least), most);
  slider.oninput = () => {
    value.textContent = Number(slider.value).toPrecision(3).replace(/\.?0+$/, "");
    attempt(() => simulation.set_control(i, Number(slider.value)));
  };
  row.append(Object.assign(element("span", "", label), { title: label }), value, slider);
  return row;
}

/** Runs something that may fail; a failure pauses. */
function attempt(work) {
  try {
    if (simulation) return work();
  } catch (error) {
    play(false);
    caught(error);
  }
}

function play(on) {
  running = on;
  $("play").textContent = on ? "Pause" : "Play";
}

function reset() {
  attempt(() => {
    const key = $("keyframe").value;
    simulation.reset(key === "" ? undefined : Number(key));
    [...$("controls").querySelectorAll("input")].forEach((slider) => {
      slider.value = Math.min(Math.max(0, slider.min), slider.max);
      slider.previousSibling.textContent = "0";
    });
  });
}

/** Powers of two from a sixteenth to four. */
function speed() {
  const factor = 2 ** Number($("speed").value);
  $("speed-value").textContent = factor < 1 ? `1/${1 / factor}×` : `${factor}×`;
  if (simulation) simulation.speed = factor;
}

const thousands = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** The numbers, a few times a second so that they can be read. */
function numbers() {
  const [time, rate, factor, contacts, diverged] = simulation.numbers();
  $("time").textContent = `${time.toFixed(2)} s`;
  if (rate > 0) $("rate").textContent = thousands.format(rate);
  $("factor").textContent = running ? `${(100 * factor).toFixed(0)} %` : "paused";
  $("contacts").textContent = contacts;
  for (const field of $("commands").children) field.show();
  const tenth = 2 ** Number($("speed").value) * 0.9;
  let note = "";
  if (diverged > 0) note = "The state diverged and was reset.";
  else if (running && time > 1 && factor > 0 && factor < tenth) note = "Slower than real time: the engine takes all of a frame.";
  say(note);
}

let frames = 0;

function frame(now) {
  requestAnimationFrame(frame);
  const elapsed = last === null ? 0 : (now - last) / 1000;
  last = now;
  if (!simulation) return;
  attempt(() => {
    if (running) simulation.advance(elapsed, BUDGET);
    view.draw(simulation);
    if (frames++ % 8 === 0) numbers();
  });
}

/** Everything that the user can do. */
function listen() {
  $("play").onclick = () => play(!running);
  $("step").onclick = () => {
    play(false);
    attempt(() => simulation.step(1));
  };
  $("reset").onclick = reset;
  $("keyframe").onchange = reset;
  $("speed").oninput = speed;
  $("models").onchange = () => load($("models").value);
  $("camera").onchange = () => view.setCamera(Number($("camera").value));
  $("zero").onclick = () => {
    $("controls").querySelectorAll("input").forEach((slider) => {
      slider.value = 0;
      slider.oninput();
    });
  };
  for (const id of ["pick-files", "pick-folder"]) {
    $(id).onchange = async () => take(await fromInput($(id)));
  }
  document.addEventListener("keydown", (event) => {
    if (["INPUT", "SELECT", "BUTTON"].includes(event.target.tagName)) return;
    const steered = {
      ArrowUp: () => steer(0, true),
      ArrowDown: () => steer(0, false),
      PageUp: () => steer(1, true),
      PageDown: () => steer(1, false),
      ArrowLeft: () => steer(2, true),
      ArrowRight: () => steer(2, false),
    };
    const plain = { " ": () => play(!running), ArrowRight: () => $("step").click(), Backspace: reset };
    const action = (event.shiftKey ? steered : plain)[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  let inside = 0;
  document.addEventListener("dragenter", () => ($("drop").hidden = ++inside === 0));
  document.addEventListener("dragleave", () => ($("drop").hidden = --inside === 0));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    inside = 0;
    $("drop").hidden = true;
    try {
      await take(await fromDrop(event.dataTransfer));
    } catch (error) {
      caught(error);
    }
  });
}

async function main() {
  listen();
  try {
    await init({ module_or_path: new URL("manyworlds_web_bg.wasm", import.meta.url) });
  } catch (error) {
    problems([{ message: String(error), help: "A browser with WebAssembly is needed, and a server for the page: python3 -m http.server" }]);
    say("");
    return;
  }
  view = await View.open($("view"), $("plain"));
  if (view.draws) flags(view.picture);
  requestAnimationFrame(frame);
  // ?model=FILE: another model from where the page is
  const start = new URLSearchParams(location.search).get("model") ?? "humanoid.xml";
  try {
    await take(await openFiles(start));
  } catch (error) {
    caught(error);
    say("");
  }
}

// for the console, and for tests
globalThis.manyworlds = {
  take,
  get simulation() {
    return simulation;
  },
  get info() {
    return info;
  },
  get view() {
    return view;
  },
};

main();
