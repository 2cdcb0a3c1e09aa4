// Images: from the call to the block, compared with the same resizing by sharp without a child process. Memory is that of
// the process and the child together, above that before the call; every run has a process of its own.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { sized } from './lib/quick.mjs';
import { mb, median, ms, ratio } from './lib/table.mjs';

const folder = '.bench/images';

const formats = {
  jpg: (image) => image.jpeg({ quality: 90 }),
  'progressive.jpg': (image) => image.jpeg({ quality: 90, progressive: true }),
  png: (image) => image.png({ compressionLevel: 3 }),
  'interlaced.png': (image) => image.png({ compressionLevel: 3, progressive: true }),
  webp: (image) => image.webp({ quality: 90 }),
  gif: (image) => image.gif({ effort: 1 }),
  'lzw.tiff': (image) => image.tiff({ compression: 'lzw' }),
  avif: (image) => image.avif({ effort: 0 }),
};

/** Bytes of zeros in the hostile ones. */
const PACKED = sized(1 << 28, 1 << 24);

export async function rows({ megapixels = sized([6, 12, 24], [1]), runs = sized(5, 1) } = {}) {
  mkdirSync(folder, { recursive: true });
  const table = [];
  for (const size of megapixels) {
    for (const format of sized(Object.keys(formats), ['jpg', 'avif'])) {
      const name = await photo(format, size);
      table.push(row(`${format}, ${size} megapixels, resized`, name, runs, true));
    }
  }
  table.push(row('60,000x60,000 png, refused', bomb(), runs, false));
  table.push(row(`png with ${PACKED >> 20} MiB of packed text`, textBomb(), runs, true));
  return table;
}

function row(what, name, runs, peer) {
  const path = join(folder, name);
  const ours = measured('oriel', path, runs);
  const theirs = peer ? measured('sharp', path, runs) : undefined;
  return {
    what,
    size: `${(statSync(path).size / 1e6).toFixed(1)} MB`,
    answer: ours.answer,
    oriel: ms(ours.ms),
    peer: theirs && 'sharp in process',
    'peer time': ms(theirs?.ms),
    ratio: ratio(ours.ms, theirs?.ms),
    'oriel memory': mb(ours.mb),
    'peer memory': mb(theirs?.mb),
  };
}

function measured(who, path, runs) {
  const all = Array.from({ length: runs }, () =>
    JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), who, path])),
  );
  return { ...all[0], ms: median(all.map((run) => run.ms)), mb: Math.max(...all.map((run) => run.mb)) };
}

/** Smooth noise, about as hard to encode as a photograph. */
async function photo(format, megapixels) {
  const name = `${megapixels}.${format}`;
  if (existsSync(join(folder, name))) return name;
  const { default: sharp } = await import('sharp');
  const height = Math.round(Math.sqrt((megapixels * 1e6) / 1.5));
  const noise = { type: 'gaussian', mean: 128, sigma: 40 };
  const side = Math.round(height / 8);
  const seed = await sharp({ create: { width: side, height: side, channels: 3, noise } })
    .png()
    .toBuffer();
  const image = sharp(seed).resize(Math.round(height * 1.5), height, { fit: 'fill', kernel: 'cubic' });
  writeFileSync(join(folder, name), await formats[format](image).toBuffer());
  return name;
}

/** A header with 3,600 megapixels, and pixel data that is never decoded. */
function bomb() {
  const header = Buffer.from('0000ea600000ea600100000000', 'hex');
  return png('bomb.png', [
    ['IHDR', header],
    ['IDAT', deflateSync(Buffer.alloc(PACKED))],
  ]);
}

function textBomb() {
  const header = Buffer.from('00000001000000010802000000', 'hex');
  const text = Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(PACKED))]);
  return png('text.png', [
    ['IHDR', header],
    ['zTXt', text],
    ['IDAT', deflateSync(Buffer.alloc(4))],
  ]);
}

function png(name, chunks) {
  const parts = [...chunks, ['IEND', Buffer.alloc(0)]].flatMap(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return [length, body, sum];
  });
  writeFileSync(join(folder, name), Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]));
  return name;
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

const tasks = {
  async oriel(path) {
    const { createOriel } = await import('../dist/index.js');
    const oriel = createOriel();
    const read = oriel.tool('read');
    await read.run({ path: `${path}:meta` });
    return async () => {
      const answer = await read.run({ path });
      const image = answer.content.find(({ type }) => type === 'image');
      await oriel.close();
      return image
        ? `${image.mimeType}, ${Math.round((image.data.length * 3) / 4000)} KB`
        : answer.details.error.code;
    };
  },
  async sharp(path) {
    const { default: sharp } = await import('sharp');
    const box = { width: 1568, height: 1568, fit: 'inside', withoutEnlargement: true };
    return () =>
      sharp(path)
        .autoOrient()
        .resize(box)
        .jpeg({ quality: 85 })
        .toBuffer()
        .then(() => undefined);
  },
};

async function one(who, path) {
  const task = await tasks[who](path);
  const idle = status('self', 'VmRSS');
  const peaks = new Map();
  const watch = setInterval(() => {
    peaks.set('self', Math.max(peaks.get('self') ?? 0, status('self', 'VmRSS') - idle));
    for (const child of children()) peaks.set(child, Math.max(peaks.get(child) ?? 0, status(child, 'VmHWM')));
  }, 2);
  const start = performance.now();
  const answer = await task();
  const time = performance.now() - start;
  clearInterval(watch);
  return { ms: time, mb: [...peaks.values()].reduce((sum, value) => sum + value, 0), answer };
}

function children() {
  return readdirSync('/proc/self/task').flatMap((thread) => {
    try {
      return readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean);
    } catch {
      // The thread has ended in the meantime.
      return [];
    }
  });
}

/** A size from `/proc`, in MB; 0 for a process that has ended. */
function status(pid, field) {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    return (Number(new RegExp(`${field}:\\s*(\\d+)`).exec(text)?.[1] ?? 0) * 1024) / 1e6;
  } catch {
    return 0;
  }
}

if (fileURLToPath(import.meta.url) === process.argv[1])
  console.log(JSON.stringify(await one(...process.argv.slice(2))));
