// A zip archive of files that are stored as they are.

function crc(bytes) {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** Bytes of numbers: [value, length], least significant byte first. */
function packed(numbers) {
  return Buffer.from(numbers.flatMap(([value, length]) => Array.from({ length }, (_, i) => (value / 2 ** (8 * i)) & 255)));
}

export function zip(files) {
  const [parts, directory] = [[], []];
  let at = 0;
  for (const [path, content] of files) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(content)];
    const common = [[20, 2], [0, 2], [0, 2], [0, 4], [crc(bytes), 4], [bytes.length, 4], [bytes.length, 4], [name.length, 2], [0, 2]];
    const local = Buffer.concat([packed([[0x04034b50, 4], ...common]), name, bytes]);
    directory.push(Buffer.concat([packed([[0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]]), name]));
    parts.push(local);
    at += local.length;
  }
  const list = Buffer.concat(directory);
  const end = packed([[0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [list.length, 4], [at, 4], [0, 2]]);
  return Buffer.concat([...parts, list, end]);
}
