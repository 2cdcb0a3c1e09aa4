import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bunzip2 } from '../../../src/formats/archive/bzip2.ts';
import { listMembers, readMember, unxz, unzstd } from '../../../src/formats/archive/decoders.ts';
import { packed } from '../../support/packed.ts';
import { rar } from '../../support/rar.ts';
import { reader } from '../../support/reader.ts';
import { damagedCopies, expectAsRecorded } from '../../support/recorded.ts';
import { pax, tar } from '../../support/tar.ts';
import { unhurried, workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

/** Source: ar(5), the GNU variant that Debian packages have. */
function ar(members: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(members).flatMap(([name, content]) => [
    `${`${name}/`.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}`,
    `${String(content.length).padEnd(10)}\u0060\n${content}${content.length % 2 === 0 ? '' : '\n'}`,
  ]);
  return Buffer.from(`!<arch>\n${parts.join('')}`);
}

/** Source: cpio(5), the new ASCII format. */
function cpio(members: Readonly<Record<string, string>>): Buffer {
  const all = [...Object.entries(members), ['TRAILER!!!', ''] as const];
  const padded = (text: string): string => text.padEnd(Math.ceil(text.length / 4) * 4, '\0');
  const parts = all.map(([name, content], at) => {
    const mode = name === 'TRAILER!!!' ? 0 : 0o100644;
    const numbers = [at + 1, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length + 1, 0];
    const header = `070701${numbers.map((value) => value.toString(16).padStart(8, '0')).join('')}`;
    return padded(`${header}${name}\0`) + padded(content);
  });
  return Buffer.from(parts.join(''));
}

/** One stored file. Source: [MS-CAB], sections 2.1 to 2.5. */
function cab(name: string, content: string): Buffer {
  const file = Buffer.alloc(16 + name.length + 1);
  file.writeUInt32LE(content.length, 0);
  file.writeUInt16LE(0x5821, 10);
  file.write(name, 16);
  const data = Buffer.concat([Buffer.alloc(8), Buffer.from(content)]);
  data.writeUInt16LE(content.length, 4);
  data.writeUInt16LE(content.length, 6);
  const head = Buffer.alloc(44);
  head.write('MSCF', 0);
  head.writeUInt32LE(44 + file.length + data.length, 8);
  head.writeUInt32LE(44, 16);
  head.writeUInt8(3, 24);
  head.writeUInt8(1, 25);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(1, 28);
  head.writeUInt32LE(44 + file.length, 36);
  head.writeUInt16LE(1, 40);
  return Buffer.concat([head, file, data]);
}

test('a text that begins like an archive is text', async () => {
  const { write, read } = reader();
  write('numbers', '070701 is a number\n');
  write('x.deb', 'a note\n');
  expect(await read('numbers')).toBe('1|070701 is a number\n');
  expect(await read('x.deb')).toBe('1|a note\n');
});

const sevenZip = (name: string): Buffer =>
  readFileSync(new URL(`../../fixtures/archives/${name}.7z`, import.meta.url));
const TEXT = 'one\ntwo\nthree\n';
const STORED = zip([
  { name: 'a/b.txt', content: TEXT },
  { name: 'a/', method: 0 },
  { name: 'link', content: 'a/b.txt', mode: 0o120777, method: 0 },
  { name: '../out', content: 'x' },
  { name: 'a\\c.txt', content: 'y' },
  { name: Buffer.from('k\xf6.txt', 'latin1'), content: 'z', flags: 0 },
  { name: 'a/b.txt', content: 'again\n' },
  { name: 'locked', content: TEXT, flags: 0x801 },
  { name: 'wrong', content: TEXT, crc: 1 },
  { name: 'short', content: TEXT, size: 99 },
  { name: 'other', content: TEXT, method: 99, packed: Buffer.from('??') },
  { name: 'nested.zip', content: zip([{ name: 'in.txt', content: TEXT }]) },
]);
const TAPE = tar([
  { name: 'a/', flag: '5' },
  { name: 'a/b.txt', content: TEXT },
  { name: 'soft', flag: '2', link: 'a/b.txt' },
  { name: 'hard', flag: '1', link: 'a/b.txt' },
  { name: 'astray', flag: '2', link: '../../out' },
  { name: 'pipe', flag: '6' },
  pax({ path: `long/${'x'.repeat(120)}.txt`, size: '3' }),
  { name: 'short', content: 'pax' },
  { name: '././@LongLink', flag: 'L', content: `gnu/${'y'.repeat(110)}` },
  { name: 'gnu', content: 'gnu' },
  { name: '/rooted', content: 'x' },
  { name: 'sparse', flag: 'S', content: 'x' },
  { name: 'bad', content: 'x', badChecksum: true },
  { name: 'after', content: 'x' },
]);

const RAR = rar([
  { name: 'a/b.txt', content: TEXT },
  { name: 'c.txt', content: '' },
]);
const AR = ar({ 'debian-binary': '2.0\n', 'x.txt': TEXT });
const CPIO = cpio({ 'dir/one.txt': 'one\n', 'two.txt': TEXT });
const IN_ZIP = 'a a/b.txt link locked wrong short other nested.zip nested.zip:in.txt b.txt'.split(' ');
const IN_TAR = ['a/b.txt', 'soft', 'hard', 'astray', 'pipe', 'long', 'sparse', 'after', 'a/c.txt', ':1..2'];

test.each([
  ['s.zip', STORED, 25, IN_ZIP],
  ['t.tar', TAPE, 24, IN_TAR],
  ['t.tgz', gzipSync(TAPE), 3, ['a/b.txt', 'soft']],
  ['g.txt.gz', gzipSync(TEXT), 10, ['1..2', 'raw']],
  ['t.tar.bz2', packed.bz2.tar, 1, ['ok.txt']],
  ['n.txt.xz', packed.xz.needle, 1, ['-1']],
  ['p.7z', sevenZip('plain'), 1, ['a.txt']],
  ['e.7z', sevenZip('encrypted'), 0, ['a.txt']],
  ['r.rar', RAR, 1, ['a/b.txt', 'c.txt']],
  ['x.deb', AR, 0, ['debian-binary', 'x.txt:2..2']],
  ['lib.a', ar({ 'one.o': 'odd\nx\n' }), 0, ['one.o']],
  ['a.cpio', CPIO, 0, ['dir/one.txt', 'dir']],
  ['initrd', cpio({ init: 'run\n' }), 0, ['init']],
  ['setup.cab', cab('h.txt', 'hello\n'), 0, ['h.txt']],
] as const)('%s, whole and damaged, is as recorded', async (name, bytes, count, members) => {
  const { write, text } = workspace(unhurried);
  const copies = damagedCopies(name, bytes, count);
  for (const [path, content] of copies) write(path, content);
  const paths = [`${name}:nope`, ...members.map((member) => `${name}:${member}`)];
  for (const path of copies.keys()) paths.push(path, `${path}:${members[0]}`);
  await expectAsRecorded(name, paths, text);
});

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
}

/** What comes of it, and the failure behind it. */
async function drained(stream: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash('sha256');
  let [text, bytes] = ['', 0];
  try {
    for await (const part of stream) {
      if (part instanceof Uint8Array) {
        hash.update(part);
        bytes += part.length;
        text = `${bytes} bytes ${hash.copy().digest('hex').slice(0, 12)}`;
      } else text += JSON.stringify(part);
    }
    return text;
  } catch (error) {
    return `${text} ${String(error)}`;
  }
}

test.each([
  ['needle.bz2', packed.bz2.needle, 60, bunzip2],
  ['lines.bz2', packed.bz2.lines, 4, bunzip2],
  ['hello.bz2', packed.bz2.hello, 40, bunzip2],
  ['needle.xz', packed.xz.needle, 20, unxz],
  ['needle.zst', packed.zst.needle, 40, unzstd],
  ['hello.zst', packed.zst.hello, 40, unzstd],
  ['plain.7z', sevenZip('plain'), 4, undefined],
  ['locked.7z', sevenZip('encrypted-names'), 2, undefined],
  ['ab.rar', RAR, 5, undefined],
  ['ar.deb', AR, 3, undefined],
  ['dir.cpio', CPIO, 4, undefined],
  ['h.cab', cab('h.txt', TEXT), 4, undefined],
] as const)(
  'what is decoded of %s, whole and damaged, is as recorded',
  { tags: 'slow' },
  async (name, bytes, count, unpack) => {
    const copies = damagedCopies(name, bytes, count);
    await expectAsRecorded(name, [...copies.keys()], async (path) => {
      const copy = copies.get(path) ?? bytes;
      if (unpack) return drained(unpack(piecesOf(copy)));
      const members = await drained(listMembers(copy.length, piecesOf(copy)));
      return `${members}\n${await drained(readMember(copy.length, 1, piecesOf(copy)))}`;
    });
  },
);
