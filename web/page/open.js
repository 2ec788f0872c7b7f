// Files from the server, from a dialog, and from a drop, as lists of [name, bytes].

/** A file that is beside the page. */
export async function openFiles(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} cannot be fetched: ${answer.status} ${answer.statusText}`);
  return [[path.split("/").pop(), await bytes(answer)]];
}

/** Files of an input element; those of a folder by their path. */
export async function fromInput(input) {
  const list = [...input.files];
  const read = await Promise.all(list.map(async (file) => [file.webkitRelativePath || file.name, await bytes(file)]));
  // the same file can be picked again
  input.value = "";
  return read;
}

/** Files and folders that were dropped. */
export async function fromDrop(transfer) {
  // the list is empty after the first wait
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) {
    return Promise.all([...transfer.files].map(async (file) => [file.name, await bytes(file)]));
  }
  return (await Promise.all(entries.map(walk))).flat();
}

/** All files of an entry. */
async function walk(entry) {
  if (entry.isFile) {
    const file = await new Promise((done, fail) => entry.file(done, fail));
    return [[entry.fullPath.replace(/^\//, ""), await bytes(file)]];
  }
  const reader = entry.createReader();
  const found = [];
  // a folder is listed in parts, and the last one is empty
  for (;;) {
    const part = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (part.length === 0) break;
    found.push(...part);
  }
  return (await Promise.all(found.map(walk))).flat();
}

async function bytes(source) {
  return new Uint8Array(await source.arrayBuffer());
}
