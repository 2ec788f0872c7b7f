// Tests of the page in headless Chromium: node page.mjs FOLDER [NATIVE_STEPS_PER_SECOND]
// Screenshots go to $OUT, or to the folder of the page.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { chromium } from "playwright-core";
import { zip } from "./zip.mjs";

const [folder, native] = process.argv.slice(2);
const out = process.env.OUT ?? folder;
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".xml": "text/xml" };

/** The files of the page, as any static server sends them. */
const server = http.createServer(async (request, response) => {
  const name = new URL(request.url, "http://localhost").pathname.replace(/\/$/, "/index.html");
  try {
    const bytes = await readFile(path.join(folder, path.normalize(name)));
    response.setHeader("content-type", types[path.extname(name)] ?? "application/octet-stream");
    response.end(bytes);
  } catch {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}/`;

const flags = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
// a software adapter, for machines without a GPU
const webgpu = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

let passed = 0;
const failures = [];

async function check(name, work) {
  const begin = Date.now();
  try {
    await work();
    passed++;
    console.log(`ok     ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    failures.push(name);
    console.log(`FAILED ${name}: ${error.stack ?? error}`);
  }
}

/** Opens the page in a browser of its own, with what it complains about. */
async function opened(extra) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: [...flags, ...extra] });
  const page = await browser.newPage({ viewport: { width: 1200, height: 720 } });
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.goto(address);
  await page.waitForFunction(() => globalThis.manyworlds?.simulation);
  return { browser, page, complaints };
}

const time = (page) => page.evaluate(() => manyworlds.simulation.get("time")[0]);
const shot = (page, name) => page.screenshot({ path: path.join(out, `web-${name}.png`) });

/** Drops files [name, text or bytes] on the page, as a hand does. */
async function drop(page, files) {
  const packed = files.map(([name, content]) => [name, Buffer.from(content).toString("base64")]);
  await page.evaluate((list) => {
    const transfer = new DataTransfer();
    for (const [name, text] of list) {
      transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
    }
    for (const kind of ["dragenter", "drop"]) {
      document.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  }, packed);
}

/** Pixels of the canvas after the next pictures, a sixteenth of them, as colours. */
const pixels = async (page) => {
  const before = await page.evaluate(() => manyworlds.view.pictures);
  await page.waitForFunction((count) => manyworlds.view.pictures >= count + 3, before);
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => {
    const canvas = document.querySelector("#view");
    const copy = new OffscreenCanvas(canvas.width >> 2, canvas.height >> 2);
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.imageSmoothingEnabled = false;
    context.drawImage(canvas, 0, 0, copy.width, copy.height);
    done([...new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer)]);
  })));
};

/** Share of pixels that differ. */
const differing = (a, b) => a.filter((color, i) => color !== b[i]).length / a.length;

const shown = (page) => page.locator("#problems").innerText();

const TETRAHEDRON = "v 0 0 0\nv .2 0 0\nv 0 .2 0\nv 0 0 .2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const PEBBLE = `<mujoco model="pebble"><compiler meshdir="meshes"/>
  <asset><mesh name="pebble" file="pebble.obj"/></asset>
  <worldbody><light pos="0 0 3"/><geom type="plane" size="2 2 .1"/>
    <body pos="0 0 .5"><freejoint/><geom type="mesh" mesh="pebble" rgba=".8 .5 .3 1"/></body></worldbody></mujoco>`;

const ROBOT = `<robot name="robot"><link name="base"/>
  <link name="arm"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="package://robot/meshes/pebble.obj"/></geometry></collision></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>`;

for (const [kind, extra] of [["numbers", []], ["webgpu", webgpu]]) {
  const { browser, page, complaints } = await opened(extra);

  await check(`${kind}: time goes as fast as the clock`, async () => {
    const [from, begin] = [await time(page), Date.now()];
    await page.waitForTimeout(3000);
    const simulated = (await time(page)) - from;
    const real = (Date.now() - begin) / 1000;
    console.log(`       ${simulated.toFixed(2)} s simulated in ${real.toFixed(2)} s`);
    // software WebGPU draws on the cores that step
    assert(simulated > (kind === "numbers" ? 0.75 : 0.3) * real && simulated < 1.1 * real);
    await shot(page, kind);
  });

  if (kind === "numbers") {
    await check("numbers: the page says why there are no pictures", async () => {
      assert.match(await page.locator("#plain").innerText(), /WebGPU/);
      const before = await page.locator("#joints").innerText();
      await page.waitForTimeout(500);
      assert.notEqual(await page.locator("#joints").innerText(), before);
    });

    await check("numbers: steps per second", async () => {
      const seconds = await page.evaluate(() => {
        manyworlds.simulation.reset(0);
        manyworlds.simulation.step(500);
        return manyworlds.simulation.step(2000);
      });
      const rate = 2000 / seconds;
      const factor = rate * 0.005;
      console.log(`       humanoid: ${rate.toFixed(0)} steps/s, ${factor.toFixed(1)} times real time${native ? `, native ${native}` : ""}`);
      assert(factor > 1);
    });

    await check("numbers: the same steps give the same bits as a second time", async () => {
      const run = () => page.evaluate(() => {
        manyworlds.simulation.reset(1);
        manyworlds.simulation.step(300);
        return [...manyworlds.simulation.get("qpos")];
      });
      assert.deepEqual(await run(), await run());
    });

    await check("numbers: pause, step, reset and keyframes", async () => {
      await page.click("#play");
      const still = await time(page);
      await page.waitForTimeout(300);
      assert.equal(await time(page), still);
      await page.click("#step");
      assert(Math.abs((await time(page)) - still - 0.005) < 1e-9);
      await page.selectOption("#keyframe", { label: "face_down" });
      assert.equal(await time(page), 0);
      assert(Math.abs((await page.evaluate(() => manyworlds.simulation.get("qpos")[2])) - 0.16) < 1e-12);
      await page.click("#play");
    });

    await check("numbers: a slider is a control", async () => {
      const slider = page.locator("#controls input").first();
      await slider.fill("0.5");
      assert.equal(await page.evaluate(() => manyworlds.simulation.get("ctrl")[0]), 0.5);
      await page.click("#zero");
      assert.equal(await page.evaluate(() => manyworlds.simulation.get("ctrl")[0]), 0);
    });

    await check("numbers: half speed is half as fast", async () => {
      await page.locator("#speed").fill("-1");
      const from = await time(page);
      await page.waitForTimeout(2000);
      const simulated = (await time(page)) - from;
      assert(simulated > 0.8 && simulated < 1.2, `${simulated}`);
      await page.locator("#speed").fill("0");
    });

    await check("numbers: a broken file shows line and column, and the world before goes on", async () => {
      await drop(page, [["broken.xml", '<mujoco>\n  <worldbody>\n    <body><geom tipe="sphere" size="1"/></body>\n  </worldbody>\n</mujoco>\n']]);
      await page.waitForSelector("#problems:not([hidden])");
      const text = await shown(page);
      assert.match(text, /broken\.xml:3:17/);
      assert.match(text, /tipe/);
      await shot(page, "problem");
      const from = await time(page);
      await page.waitForTimeout(300);
      assert((await time(page)) > from);
    });

    await check("numbers: a mesh that is missing is named, and taken when it comes", async () => {
      await drop(page, [["pebble.xml", PEBBLE]]);
      await page.waitForFunction(() => document.querySelector("#problems").innerText.includes("pebble.obj"));
      assert.match(await shown(page), /pebble\.xml:2:\d+/);
      await drop(page, [["pebble.obj", TETRAHEDRON]]);
      await page.waitForFunction(() => manyworlds.info.nbody === 2);
      assert.equal(await page.locator("#problems").isHidden(), true);
    });
    await check("numbers: a zip archive opens its scene, and the robot in it can be chosen", async () => {
      const archive = zip([
        ["robot/urdf/robot.urdf", ROBOT],
        ["robot/scene.xml", "<mujoco><include file='pebble.xml'/></mujoco>"],
        ["robot/pebble.xml", PEBBLE],
        ["robot/meshes/pebble.obj", TETRAHEDRON],
      ]);
      await drop(page, [["robot.zip", archive]]);
      await page.waitForFunction(() => document.querySelector("#models").value === "robot/scene.xml" && manyworlds.info.nbody === 2);
      await page.selectOption("#models", "robot/urdf/robot.urdf");
      await page.waitForFunction(() => manyworlds.info.joints[0]?.name === "hinge");
      assert.equal(await page.locator("#problems").isHidden(), true);
    });
  } else {
    await check("webgpu: the world is drawn, and a drag turns it", async () => {
      assert.equal(await page.evaluate(() => manyworlds.view.draws), true, await page.locator("#plain").innerText());
      await page.click("#play");
      const [first, again] = [await pixels(page), await pixels(page)];
      console.log(`       ${new Set(first).size} colours on ${await page.evaluate(() => manyworlds.view.device)}`);
      assert(new Set(first).size > 50);
      assert(differing(first, again) < 0.001, "a world that stands still looks different");
      const box = await page.locator("#view").boundingBox();
      const drag = async (button, x, y) => {
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await page.mouse.down({ button });
        await page.mouse.move(box.x + box.width / 2 + x, box.y + box.height / 2 + y, { steps: 3 });
        await page.mouse.up({ button });
      };
      await drag("left", 120, 0);
      const turned = await pixels(page);
      assert(differing(first, turned) > 0.02, "turning changes nothing");
      await drag("right", 0, 100);
      const moved = await pixels(page);
      assert(differing(turned, moved) > 0.02, "moving changes nothing");
      await page.mouse.wheel(0, -300);
      await page.waitForTimeout(100);
      assert(differing(moved, await pixels(page)) > 0.02, "approaching changes nothing");
      await shot(page, "turned");
      await page.selectOption("#camera", { label: "side" });
      assert(differing(first, await pixels(page)) > 0.02, "another camera sees the same");
      await shot(page, "side");
      const plain = await pixels(page);
      await page.click("#show summary");
      await page.locator("#flags label", { hasText: "bodyframe" }).click();
      assert(differing(plain, await pixels(page)) > 0.001, "frames of bodies are not shown");
      await shot(page, "frames");
      await page.click("#play");
    });

    await check("webgpu: the canvas has the size of the window", async () => {
      await page.setViewportSize({ width: 900, height: 600 });
      await page.waitForTimeout(500);
      const [width, height, shown] = await page.evaluate(() => {
        const canvas = document.querySelector("#view");
        return [canvas.width, canvas.height, canvas.clientWidth / canvas.clientHeight];
      });
      assert(Math.abs(width / height - shown) < 0.02, `${width} x ${height}`);
      await page.setViewportSize({ width: 420, height: 800 });
      await page.waitForTimeout(500);
      await shot(page, "narrow");
      await page.setViewportSize({ width: 1200, height: 720 });
    });

    await check("webgpu: a model with a mesh is dropped and falls", async () => {
      await drop(page, [["pebble.xml", PEBBLE], ["pebble.obj", TETRAHEDRON]]);
      await page.waitForFunction(() => manyworlds.info.nbody === 2);
      await page.waitForFunction(() => manyworlds.simulation.get("ncon")[0] > 0, null, { timeout: 20000 });
      await shot(page, "mesh");
    });

    await check("webgpu: the pointer lifts the mesh", async () => {
      // of the centre of mass: the frame is at a corner, which another face has elsewhere
      const height = () => page.evaluate(() => manyworlds.simulation.get("xipos")[5]);
      await page.waitForTimeout(500);
      const low = await height();
      // the middle of where the body is: at its corners a pull turns it rather than lifts it
      const place = await page.evaluate(() => {
        const { simulation, view } = manyworlds;
        const met = [];
        for (let x = 0.2; x < 0.8; x += 0.01) {
          for (let y = 0.2; y < 0.8; y += 0.01) {
            if (view.picture.grab(simulation, x, y)) met.push([x, y]);
          }
        }
        simulation.release();
        const mean = [0, 1].map((k) => met.reduce((sum, at) => sum + at[k], 0) / met.length);
        const far = ([x, y]) => Math.hypot(x - mean[0], y - mean[1]);
        return met.sort((a, b) => far(a) - far(b))[0];
      });
      assert(place, "no ray meets the body");
      const box = await page.locator("#view").boundingBox();
      const [x, y] = [box.x + place[0] * box.width, box.y + place[1] * box.height];
      await page.keyboard.down("Control");
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x, y - 250, { steps: 5 });
      await page.waitForTimeout(1500);
      const high = await height();
      await shot(page, "pulled");
      await page.mouse.up();
      await page.keyboard.up("Control");
      // higher than on its tip
      assert(high > 0.17, `from ${low} to ${high}`);
      await page.waitForFunction((z) => manyworlds.simulation.get("xipos")[5] < z, low + 0.05, { timeout: 20000 });
    });
  }

  await check(`${kind}: no errors in the console`, async () => assert.deepEqual(complaints, []));
  await browser.close();
}

server.close();
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length ? 1 : 0);
