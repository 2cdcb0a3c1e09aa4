import { randomBytes } from 'node:crypto';
import { cp, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import type { OrielError } from '../../src/errors.ts';
import { openImage } from '../../src/formats/image/open.ts';
import { imageSource } from '../../src/formats/table.ts';
import type { ContentSource, ImageResource } from '../../src/types/call.ts';
import { childrenOf } from '../support/children.ts';
import { builtUrl } from '../support/built.ts';
import {
  bmpHeader,
  exifBlock,
  heic,
  iconDirectory,
  makePng,
  pngEnd,
  pngHeader,
  pngSignature,
  withExif,
} from '../support/images.ts';
import { file, openWith, type OpenOptions, temporaryFolder, wholeText } from '../support/open-source.ts';

/** What an image of this content, or at this path, is answered with; its name is always wrong, for names do not count. */
async function read(
  content: Uint8Array | string,
  { decoder, ...options }: OpenOptions & { readonly decoder?: URL } = {},
): Promise<ImageResource> {
  const source: ContentSource = {
    ...imageSource,
    open: (subject, call) => openImage(subject, call, decoder),
  };
  const resource = await openWith(
    source,
    typeof content === 'string' ? content : await file('picture.bin', content),
    options,
  );
  if (resource?.kind !== 'image') throw new Error('not answered as an image');
  return resource;
}

/** Nothing compresses noise: the hardest image to fit. Deterministic. */
const noise = (width: number, height: number) => {
  let state = 1;
  return makePng(width, height, () => {
    state = (state * 48_271) % 2_147_483_647;
    return [state & 255, (state >> 8) & 255, (state >> 16) & 255];
  });
};

describe('an image within the budget', () => {
  test('is shown at full size, with its details', async () => {
    const png = makePng(64, 48);
    const answer = await read(png);
    const shown = answer.image?.data.length ?? 0;
    expect(answer.text).toBe(
      `image/png, ${png.length} bytes, 64x48 pixels, 3 channels, no alpha\n` +
        `Shown at 64x48 pixels (full size), image/png, ${shown} bytes`,
    );
    expect(answer.facts).toEqual({
      image: { mimeType: 'image/png', bytes: png.length, width: 64, height: 48, channels: 3, alpha: false },
      shown: { mimeType: 'image/png', bytes: shown, width: 64, height: 48, scale: 1 },
    });
    expect(await sharp(answer.image?.data).raw().toBuffer()).toEqual(await sharp(png).raw().toBuffer());
  });

  test('an animation is shown by its first frame', async () => {
    const frames = [makePng(9, 9, () => [255, 0, 0]), makePng(9, 9, () => [0, 0, 255])];
    const answer = await read(
      await sharp(frames, { join: { animated: true } })
        .gif()
        .toBuffer(),
    );
    expect(answer.text).toContain(', 2 frames (the first is shown)\n');
    expect((await sharp(answer.image?.data).raw().toBuffer()).subarray(0, 3)).toEqual(
      Buffer.from([255, 0, 0]),
    );
  });

  test('the details of a TIFF give the number of pages', async () => {
    const pages = [makePng(9, 9), makePng(9, 9)];
    const answer = await read(
      await sharp(pages, { join: { animated: true } })
        .tiff()
        .toBuffer(),
    );
    expect(answer.text).toContain(', 2 pages (the first is shown)\n');
  });

  test('transparency is kept', async () => {
    const answer = await read(await sharp(makePng(64, 48)).ensureAlpha(0.5).png().toBuffer());
    expect(answer.text).toContain('4 channels, alpha\n');
    expect(await sharp(answer.image?.data).metadata()).toMatchObject({ hasAlpha: true });
  });
});

describe('a larger image', () => {
  test('is scaled to 1,568 pixels, with the factor', async () => {
    const answer = await read(await sharp(makePng(16, 8)).resize(3000, 1500).jpeg().toBuffer());
    expect(answer.text.split('\n')[1]).toBe(
      `Shown at 1568x784 pixels (scale 0.52267; multiply positions by 1.9133), image/jpeg, ${answer.image?.data.length} bytes`,
    );
  });

  test('fits the default budget even as noise with alpha', { tags: 'slow' }, async () => {
    const picture = await sharp(noise(500, 500)).ensureAlpha(0.5).png().toBuffer();
    const answer = await read(picture);
    expect(answer.image?.data.length).toBeLessThanOrEqual(300 * 1024);
    expect(answer.image?.mimeType).toBe('image/webp');
  });

  test('the same call gives the same bytes', { tags: 'slow' }, async () => {
    const picture = noise(400, 300);
    const [one, two] = [await read(picture), await read(picture)];
    expect(one).toEqual(two);
  });
});

describe('details only', () => {
  const line = /^image\/png, \d+ bytes, 64x48 pixels, 3 channels, no alpha$/;

  test(':meta', async () => {
    const answer = await read(makePng(64, 48), { rest: 'meta' });
    expect(answer.text).toMatch(line);
    expect(answer.image).toBeUndefined();
  });

  test('the setting', async () => {
    const answer = await read(makePng(64, 48), { settings: { imageMetadataOnly: true } });
    expect(answer.text).toMatch(line);
    expect(answer.image).toBeUndefined();
  });

  test.each(['1-5', 'raw', '@0+4K', 'outline', 'nonsense'])(
    'refuses any other selector: %s',
    async (rest) => {
      await expect(read(makePng(64, 48), { rest })).rejects.toMatchObject({
        code: 'BAD_SELECTOR',
        message: 'An image has no lines or members; its only selector is :meta.',
        next: 'picture.bin:meta',
      });
    },
  );
});

describe('formats that are not decoded', () => {
  test.each([
    ['BMP', bmpHeader(40, -30), 'image/bmp, 54 bytes, 40x30 pixels'],
    ['ICO', iconDirectory([16]), 'image/x-icon, 22 bytes, 16x16 pixels'],
    ['ICO', iconDirectory([16, 0, 32]), 'image/x-icon, 54 bytes, 256x256 pixels, 3 icons'],
    ['HEIC', heic, 'image/heic, 470 bytes, 300x200 pixels, 3 channels, no alpha'],
  ])('%s gives its details without a picture', async (format, bytes, line) => {
    const answer = await read(bytes);
    expect(answer.text).toBe(line);
    expect(answer.image).toBeUndefined();
    expect(answer.notes).toEqual([
      { kind: 'said', text: `${format} is described and not shown; convert it to PNG to see it` },
    ]);
    expect(await read(bytes, { rest: 'meta' })).toMatchObject({ text: line });
  });

  test('a bitmap with a truncated header', async () => {
    await expect(read(bmpHeader(40, 30).subarray(0, 26))).resolves.toMatchObject({
      text: 'image/bmp, 26 bytes, 40x30 pixels',
    });
    const core = bmpHeader(40, 30);
    core.writeUInt32LE(12, 14);
    await expect(read(core)).rejects.toMatchObject({
      code: 'CORRUPT',
      message: expect.stringContaining(
        'The bmp image cannot be read: its header is cut short or damaged.',
      ) as string,
    });
  });
});

describe('svg', () => {
  const open = async (svg: string, rest = '') =>
    openWith(imageSource, await file('drawing.txt', svg), { rest });

  test('is text, with its size', async () => {
    const svg =
      '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="30mm" viewBox="0 0 60 20"/>\n';
    const resource = await open(svg, '2-2');
    if (resource?.kind !== 'text') throw new Error('not text');
    expect(await wholeText(resource)).toBe(svg);
    expect(resource.notes).toEqual([
      { kind: 'said', text: 'image/svg+xml, 97 bytes, 113x37 pixels; shown as text' },
    ]);
    expect(resource.selection.window).toEqual({ kind: 'lines', ranges: [{ from: 2, to: 2 }], context: true });
  });

  test(':meta', async () => {
    const resource = await open('<svg width="50%" height="20px"></svg>', 'meta');
    expect(resource).toMatchObject({ kind: 'image', text: 'image/svg+xml, 37 bytes, no stated size' });
  });
});

describe('hostile images', () => {
  test('I01 a 60,000×60,000 PNG is refused by its header', async () => {
    const bomb = Buffer.concat([pngSignature, pngHeader(60_000, 60_000, 0, 1), pngEnd]);
    await expect(read(bomb, { decoder: new URL('file:///must-not-run') })).rejects.toMatchObject({
      code: 'LIMIT',
      message: `The image (image/png, ${bomb.length} bytes, 60000x60000 pixels) cannot be shown: its 3600 megapixels are more than the 150 that are decoded for this type.`,
      next: 'picture.bin:meta',
    });
  });

  test('a side of 0 pixels', async () => {
    const png = Buffer.concat([pngSignature, pngHeader(0, 7), pngEnd]);
    await expect(read(png)).rejects.toMatchObject({
      code: 'CORRUPT',
      message: expect.stringContaining('The png image has an invalid size of 0x7 pixels.') as string,
    });
  });

  // It is decoded in memory as a whole.
  test('I01 a progressive JPEG has a lower limit of pixels', async () => {
    const options = { progressive: true, chromaSubsampling: '4:4:4' };
    const jpeg = await sharp(makePng(60, 40)).jpeg(options).toBuffer();
    const sides = jpeg.indexOf(Buffer.from([0xff, 0xc2])) + 5;
    jpeg.writeUInt16BE(6000, sides);
    jpeg.writeUInt16BE(6000, sides + 2);
    await expect(read(jpeg)).rejects.toMatchObject({
      code: 'LIMIT',
      message: `The image (image/jpeg, ${jpeg.length} bytes, 6000x6000 pixels, 3 channels, no alpha) cannot be shown: its 36 megapixels are more than the 35 that are decoded for this type.`,
    });
  });

  test('I01 pixels that the header hides are refused while decoding', { tags: 'slow' }, async () => {
    const large = await sharp(makePng(4, 4)).resize(3000, 3000).webp().toBuffer();
    const container = Buffer.from(await sharp(makePng(4, 4)).ensureAlpha(0.5).webp().toBuffer());
    // The outer canvas says 4x4 where the frame inside has 3000x3000.
    const lying = Buffer.concat([container.subarray(0, 30), large.subarray(12)]);
    lying.writeUInt32LE(lying.length - 8, 4);
    await expect(read(lying)).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:LIMIT|CORRUPT)$/) as string,
    });
  });

  test.each(['png', 'jpeg', 'webp', 'gif', 'avif', 'tiff'] as const)('I03 truncated %s', async (format) => {
    const whole = await sharp(noise(300, 200))
      .toFormat(format, { compression: 'lzw' } as object)
      .toBuffer();
    const error: unknown = await read(whole.subarray(0, whole.length * 0.6)).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'CORRUPT' });
    // A TIFF has its header at its end.
    if (format !== 'tiff') expect((error as Error).message).toContain('300x200 pixels');
  });

  test('decoder memory may be large; pixels and time are limited', async () => {
    const noise = randomBytes(3400 * 2600 * 3);
    const png = await sharp(noise, { raw: { width: 3400, height: 2600, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer();
    expect(png.length).toBeGreaterThan(24 * 1024 * 1024);
    expect((await read(png)).facts).toMatchObject({ shown: { width: 1568, height: 1199 } });
  });

  test('the source may have at most 128 MiB', async () => {
    const jpeg = await sharp(makePng(64, 48)).jpeg().toBuffer();
    const path = await file('picture.bin', jpeg);
    await truncate(path, jpeg.length + 128 * 1024 * 1024);
    const error = await read(path).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'LIMIT' });
    expect((error as Error).message).toMatch(
      /cannot be shown: it is larger than the 128 MiB that are decoded\.$/,
    );
  });
});

describe('I08 EXIF', () => {
  const corners = makePng(48, 32, (x, y) => [x < 24 ? 255 : 0, y < 16 ? 255 : 0, 128]);

  /** The four corners as they look, and the size. */
  async function look(image: Sharp) {
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    const [left, right, top, bottom] = [8, info.width - 8, 8, info.height - 8];
    const at = (x: number, y: number) =>
      [0, 1].map((channel) => ((data[(y * info.width + x) * info.channels + channel] ?? 0) > 127 ? 1 : 0));
    return [info.width, info.height, at(left, top), at(right, top), at(left, bottom), at(right, bottom)];
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'orientation %i is applied and no metadata stays',
    async (orientation) => {
      const icc = await sharp(corners).withIccProfile('p3').jpeg({ quality: 100 }).toBuffer();
      const jpeg = withExif(icc, exifBlock(orientation));
      const answer = await read(jpeg);
      expect(await look(sharp(answer.image?.data))).toEqual(await look(sharp(jpeg).autoOrient()));
      const { exif, icc: profile, xmp, iptc, orientation: left } = await sharp(answer.image?.data).metadata();
      expect({ exif, profile, xmp, iptc, left }).toEqual({});
      const [, said] = /EXIF orientation (\d) \(sizes are upright\)/.exec(answer.text) ?? [];
      expect(said).toBe(orientation > 1 ? `${orientation}` : undefined);
    },
  );
});

describe('I09 a decoder that fails', () => {
  /** A decoder of the test's own in place of the package's. */
  const decoder = async (code: string) => {
    const path = join(await temporaryFolder(), 'decoder.mjs');
    await writeFile(path, `${SAY}\n${code}`);
    return pathToFileURL(path);
  };
  /** Answers with a frame of any JSON and any bytes. */
  const SAY = `
    const say = (json, body = '') => {
      const lengths = Buffer.alloc(8);
      lengths.writeUInt32LE(Buffer.byteLength(json), 0);
      lengths.writeUInt32LE(Buffer.byteLength(body), 4);
      process.stdout.write(Buffer.concat([lengths, Buffer.from(json), Buffer.from(body)]));
    };`;
  const failing = async (code: string, signal?: AbortSignal) =>
    read(makePng(64, 48), { decoder: await decoder(code), ...(signal && { signal }) }).catch(
      (error: unknown) => error,
    );

  test.each([
    ['aborts', 'process.abort()', 'CORRUPT', 'its decoder crashed on it'],
    ['faults', 'process.kill(process.pid, "SIGSEGV")', 'CORRUPT', 'its decoder crashed on it'],
    [
      'is killed',
      'process.kill(process.pid, "SIGKILL")',
      'LIMIT',
      'its decoder was ended from outside; the same call may work',
    ],
    ['throws', 'throw new Error("no")', 'CORRUPT', 'its decoder crashed on it'],
    [
      'never stops talking',
      'import { writeSync } from "node:fs"; for (;;) writeSync(1, "x".repeat(65536))',
      'CORRUPT',
      'its decoder crashed on it',
    ],
    ['says nothing', '', 'CORRUPT', 'its decoder crashed on it'],
    ['says nonsense', 'say("}{")', 'CORRUPT', 'its decoder crashed on it'],
    ['says what is no frame', 'console.log("hello, world")', 'CORRUPT', 'its decoder crashed on it'],
    ['says null', 'say("null")', 'CORRUPT', 'its pixels are damaged or cut short'],
    [
      'refuses for a reason that is none',
      `say('{"refusal":"constructor"}')`,
      'CORRUPT',
      'its pixels are damaged or cut short',
    ],
    [
      'passes off a page as an image',
      `say('{"facts":{"width":1,"height":1,"channels":3,"alpha":false},"shown":{"mimeType":"text/html","width":1,"height":1}}', '<html>')`,
      'CORRUPT',
      'its pixels are damaged or cut short',
    ],
    ['gives up', `say('{"refusal":"slow"}')`, 'LIMIT', 'decoding it takes longer than 10 seconds'],
  ])('%s', async (_, code, expected, why) => {
    await expectRefused(code, expected, why);
  });

  test('takes all memory', { tags: 'slow' }, async () => {
    const code = 'const held = []; setInterval(() => held.push(Buffer.alloc(5e7, 1)), 1)';
    await expectRefused(code, 'LIMIT', 'decoding it takes more than the 400 MiB of memory allowed');
  });

  async function expectRefused(code: string, expected: string, why: string): Promise<void> {
    expect(await failing(code)).toMatchObject({
      code: expected,
      message: expect.stringMatching(new RegExp(`cannot be shown: ${why}\\.$`)) as string,
      next: 'picture.bin:meta',
    });
  }

  test('of six concurrent images at most two run at once', { tags: 'slow' }, async () => {
    const url = await decoder('setTimeout(() => process.exit(), 200)');
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, childrenOf(process.pid, 'decoder.mjs').length);
    }, 5);
    const failures = await Promise.all(
      Array.from({ length: 6 }, () =>
        read(makePng(64, 48), { decoder: url }).catch((error: unknown) => error),
      ),
    );
    clearInterval(watch);
    expect(failures.map((error) => (error as OrielError).code)).toEqual(Array(6).fill('CORRUPT'));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(2);
  });

  test('a reused decoder gets each image with its decoder enabled', async () => {
    const formats = ['png', 'jpeg', 'webp', 'gif', 'avif', 'tiff', 'png'] as const;
    await read(makePng(64, 48));
    const before = childrenOf(process.pid, 'decode-child');
    for (const format of formats) {
      const image = await sharp(makePng(64, 48)).toFormat(format).toBuffer();
      const answer = await read(image);
      expect(await sharp(answer.image?.data).metadata()).toMatchObject({ width: 64, height: 48 });
    }
    expect(childrenOf(process.pid, 'decode-child').filter((pid) => !before.includes(pid))).toEqual([]);
  });

  test('is kept after a large image: its memory is released', { tags: 'slow' }, async () => {
    const side = 4500;
    const large = await sharp(randomBytes(3 * side ** 2), { raw: { width: side, height: side, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer();
    await read(makePng(64, 48));
    const before = childrenOf(process.pid, 'decode-child');
    expect(before.length).toBeGreaterThan(0);
    // At most two are kept: were each killed after its image, the third image would need a new one.
    for (const image of [large, large, makePng(64, 48)]) {
      expect((await read(image)).image?.data.length).toBeGreaterThan(0);
    }
    expect(childrenOf(process.pid, 'decode-child').filter((pid) => !before.includes(pid))).toEqual([]);
  });

  test('shows both images of one size in the same memory', { tags: 'slow' }, async () => {
    const plain = (background: string): Promise<Buffer> =>
      sharp({ create: { width: 900, height: 700, channels: 3, background } })
        .png({ compressionLevel: 0 })
        .toBuffer();
    const images = [await plain('#ff0000'), await plain('#0000ff')];
    expect(images[0]?.length).toBe(images[1]?.length);
    const pixels: unknown[] = [];
    for (const image of [...images, ...images]) {
      const { data = new Uint8Array(0) } = (await read(image)).image ?? {};
      const { channels } = await sharp(data).stats();
      pixels.push(channels.slice(0, 3).map(({ min, max }) => [Math.round(min / 255), Math.round(max / 255)]));
    }
    const red = [
      [1, 1],
      [0, 0],
      [0, 0],
    ];
    expect(pixels).toEqual([red, red.toReversed(), red, red.toReversed()]);
  });

  test('is killed when the call is cancelled', { tags: 'slow' }, async () => {
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(new Error('enough')), 300);
    expect(await failing('setInterval(() => {}, 1000)', cancel.signal)).toMatchObject({ message: 'enough' });
  });

  test('without sharp the answer names the package to install', { tags: 'slow' }, async () => {
    const folder = await temporaryFolder();
    const child = 'formats/image/decode-child.js';
    for (const name of [child, 'chunks']) await cp(builtUrl(name), join(folder, name), { recursive: true });
    const path = join(folder, child);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await expect(read(makePng(64, 48), { decoder: pathToFileURL(path) })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringMatching(
        /^The image \(image\/png, .*\) cannot be shown: that needs the optional package sharp, which is not installed \(npm install sharp@0\.35\.5\)\.$/,
      ) as string,
      next: 'picture.bin:meta',
    });
    const decoder = pathToFileURL(path);
    const photo = withExif(await sharp(makePng(64, 48)).jpeg().toBuffer(), exifBlock(6));
    expect(await read(photo, { decoder, rest: 'meta' })).toMatchObject({
      text: `image/jpeg, ${photo.length} bytes, 48x64 pixels`,
    });
    await expect(read(makePng(64, 48).subarray(0, 16), { decoder, rest: 'meta' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message:
        'The png image cannot be read: that needs the optional package sharp, which is not installed (npm install sharp@0.35.5).',
    });
  });
});
