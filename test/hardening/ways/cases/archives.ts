/** Archives that lie, swell, loop or lead out. */

import { deflateRawSync, gzipSync } from 'node:zlib';
import { packed } from '../../../support/packed.ts';
import { tar } from '../../../support/tar.ts';
import { zip } from '../../../support/zip.ts';
import { type Case, read } from '../case.ts';

const MIB = 1 << 20;

/** Deflate of `copies` times 1 MiB of `a`: full flushes end on byte boundaries. */
function bomb(copies: number): { packed: Buffer; size: number } {
  const repeated = deflateRawSync(Buffer.alloc(MIB, 'a'), { finishFlush: 3 });
  const bytes = Buffer.concat([...Array<Buffer>(copies).fill(repeated), deflateRawSync('')]);
  return { packed: bytes, size: copies * MIB };
}

function nested(levels: number): Buffer {
  let inner = zip([{ name: 'f.txt', content: 'bottom' }]);
  for (let level = 0; level < levels; level += 1) inner = zip([{ name: 'n.zip', content: inner }]);
  return inner;
}

/** A GNU sparse member of 1 PiB. */
function sparseMember(): Parameters<typeof tar>[0][number] {
  const petabyte = Buffer.alloc(12);
  petabyte.writeUInt8(0x80, 0);
  petabyte.writeBigUInt64BE(2n ** 50n, 4);
  return {
    name: 'sparse.img',
    flag: 'S',
    content: 'x'.repeat(512),
    edit: (header) => void petabyte.copy(header, 483),
  };
}

export const archives: readonly Case[] = [
  {
    id: 'A03',
    title: 'a link in a zip is shown, and not followed to the disk',
    make: ({ write }) => write('a.zip', zip([{ name: 'sl', content: '/etc/passwd', mode: 0o120777 }])),
    steps: [
      read('a.zip', { is: 'sl -> /etc/passwd\n' }),
      read('a.zip:sl', { has: 'links are never followed out of it' }),
      read('a.zip:sl/../../../etc/passwd', { code: 'BAD_PATH' }),
      read('a.zip:sl/shadow', { code: 'NOT_FOUND' }),
    ],
  },
  {
    id: 'A05',
    title: 'a member that swells from 2 MB to 2 GB',
    make({ write }) {
      const { packed: bytes, size } = bomb(2_048);
      write('a.zip', zip([{ name: 'big.txt', packed: bytes, size, crc: 1 }]));
    },
    steps: [read('a.zip:big.txt', { has: 'Showing bytes 0-51168, inside line 1.' })],
    mostMb: 150,
  },
  {
    id: 'A06',
    title: 'a bomb beside a good member',
    make({ write }) {
      const { packed: bytes, size } = bomb(64);
      write(
        'a.zip',
        zip([
          { name: 'big.txt', packed: bytes, size },
          { name: 'ok.txt', content: 'fine' },
        ]),
      );
    },
    steps: [
      read('a.zip:ok.txt', { is: '1|fine' }),
      read('a.zip', { is: 'big.txt (64 MiB)\nok.txt (4 B)\n' }),
    ],
  },
  {
    id: 'A08',
    title: 'a declared size of 4 GB, and two bytes',
    make: ({ write }) => write('a.zip', zip([{ name: 'f.txt', content: 'hi', size: 0xfffffffe }])),
    steps: [
      read('a.zip', { is: 'f.txt (4 GiB)\n' }),
      read('a.zip:f.txt', { has: ['1|hi\n', 'it has 2 bytes, and 4294967294 were declared'] }),
    ],
    mostMb: 100,
  },
  {
    id: 'A11',
    title: 'sixty zips in one another',
    make: ({ write }) => write('a.zip', nested(60)),
    steps: [
      read(`a.zip${':n.zip'.repeat(4)}`, { has: /^n\.zip \(/ }),
      read(`a.zip${':n.zip'.repeat(60)}:f.txt`, {
        code: 'LIMIT',
        has: 'archives are opened at most 4 levels deep',
      }),
    ],
    mostMb: 150,
  },
  {
    id: 'A12',
    title: 'tar members that lead out, are links, devices or FIFOs',
    make({ write }) {
      const bytes = tar([
        { name: '../../slip.txt', content: 'out' },
        { name: '/abs.txt', content: 'abs' },
        { name: 'ok.txt', content: 'fine' },
        { name: 'hard', flag: '1', link: '../../../etc/passwd' },
        { name: 'soft', flag: '2', link: '/etc/passwd' },
        { name: 'dev', flag: '3' },
        { name: 'disk', flag: '4' },
        { name: 'pipe', flag: '6' },
        { name: 'dir/', flag: '5' },
      ]);
      write('a.tar', bytes);
      write('a.tgz', gzipSync(bytes));
    },
    steps: ['a.tar', 'a.tgz'].flatMap((name) => [
      read(name, {
        is:
          '../../slip.txt (3 B, refused: leads out of the archive)\nabs.txt (3 B)\ndev (device)\ndir/\ndisk (device)\n' +
          'hard -> ../../../etc/passwd (hard link)\nok.txt (4 B)\npipe (fifo)\nsoft -> /etc/passwd\n',
      }),
      read(`${name}:ok.txt`, { is: '1|fine' }),
      read(`${name}:abs.txt`, { is: '1|abs' }),
      read(`${name}:../../slip.txt`, { code: 'BAD_PATH' }),
      read(`${name}:%~1`, { code: 'BAD_PATH' }),
      read(`${name}:hard`, { has: 'hard is a hard link → ../../../etc/passwd, which is not in the archive' }),
      read(`${name}:dev`, { code: 'NOT_REGULAR' }),
      read(`${name}:pipe`, { code: 'NOT_REGULAR' }),
    ]),
  },
  {
    id: 'A13',
    title: 'a tar member of negative size',
    make({ write }) {
      const negative = { name: 'neg.txt', sizeField: Buffer.alloc(12, 0xff) };
      write('a.tar', tar([negative]));
      write('behind.tar', tar([{ name: 'ok.txt', content: 'fine' }, negative]));
    },
    steps: [
      read('a.tar', { code: 'CORRUPT', has: 'the tar header at byte 0 has a negative size' }),
      read('behind.tar', {
        is: 'ok.txt (4 B)\n[The listing is not complete: the tar header at byte 1024 has a negative size]',
      }),
      read('behind.tar:ok.txt', { is: '1|fine' }),
    ],
  },
  {
    id: 'A18',
    title: 'a checksum that does not match',
    make: ({ write }) => write('a.zip', zip([{ name: 'f.txt', content: 'hello\n', crc: 1 }])),
    steps: [read('a.zip:f.txt', { is: '1|hello\n[Warning for a.zip:f.txt: its CRC does not match]' })],
  },
  {
    id: 'A19',
    title: 'two members of one name, and a member of two names',
    make({ write }) {
      write(
        'dup.zip',
        zip([
          { name: 'f.txt', content: 'first' },
          { name: 'f.txt', content: 'second' },
        ]),
      );
      write('two.zip', zip([{ name: 'good.txt', localName: 'evil.sh', content: 'same' }]));
    },
    steps: [
      read('dup.zip', {
        has: [
          'f.txt (6 B)\nf.txt (5 B, another of this name, read as %~1)\n',
          '[1 name stored more than once: the last copy has the name. Use dup.zip:%~1',
        ],
      }),
      read('dup.zip:f.txt', { is: '1|second' }),
      read('dup.zip:%~1', { is: '1|first' }),
      read('two.zip', {
        is: 'evil.sh (4 B, the zip directory calls it good.txt)\ngood.txt (4 B, its local header calls it evil.sh)\n',
      }),
      read('two.zip:evil.sh', { has: ['1|same\n', 'the zip directory calls it good.txt'] }),
      read('two.zip:good.txt', { has: '1|same\n' }),
    ],
  },
  {
    id: 'A21',
    title: '50,000 gzip streams in a row',
    make: ({ write }) => write('f.gz', Buffer.concat(Array<Buffer>(50_000).fill(gzipSync('line\n')))),
    steps: [read('f.gz:-1', { is: '50000|line\n' })],
  },
  {
    id: 'A22',
    title: 'a dictionary of 1 GB',
    make: ({ write }) => write('f.xz', packed.xz.hugeDictionary),
    steps: [read('f.xz', { code: 'LIMIT', has: 'its xz dictionary is larger than 64 MiB' })],
    mostMb: 150,
  },
  {
    id: 'A23',
    title: 'a sparse member of 1 PiB, and a header of 8 GB over five bytes',
    make({ write }) {
      write('sparse.tar', tar([sparseMember(), { name: 'ok.txt', content: 'fine' }]));
      const huge = { name: 'huge.txt', content: 'five\n', size: 8 * 2 ** 30 - 1 };
      write('huge.tar', tar([huge], { end: false }).subarray(0, 517));
    },
    steps: [
      read('sparse.tar', { is: 'ok.txt (4 B)\nsparse.img (1 PiB)\n' }),
      read('sparse.tar:sparse.img', {
        code: 'LIMIT',
        has: 'a sparse file that declares 1125899906842624 bytes',
      }),
      read('sparse.tar:ok.txt', { is: '1|fine' }),
      read('huge.tar', {
        is: 'huge.txt (8 GiB, the archive ends inside it, after 5 of 8589934591 bytes)\n',
      }),
      read('huge.tar:huge.txt', { has: '1|five\n[Warning' }),
    ],
    mostMb: 100,
  },
  {
    id: 'A24',
    title: 'links of a tar that lead in a circle',
    make: ({ write }) =>
      write(
        'a.tar',
        tar([
          { name: 'a', flag: '2', link: 'b' },
          { name: 'b', flag: '2', link: 'a' },
          { name: 'hard', flag: '1', link: 'hard' },
          { name: 'up', flag: '2', link: 'up/up' },
        ]),
      ),
    steps: [
      read('a.tar', { is: 'a -> b\nb -> a\nhard -> hard (hard link)\nup -> up/up\n' }),
      ...['a', 'hard', 'up'].map((name) => read(`a.tar:${name}`, { code: 'LOOP', has: 'loop of links' })),
    ],
  },
  {
    id: 'A26',
    title: 'members named like properties of every object',
    make: ({ write }) =>
      write(
        'p.zip',
        zip(
          ['__proto__', 'constructor/prototype/x', 'hasOwnProperty'].map((name) => ({ name, content: 'v' })),
        ),
      ),
    steps: [
      read('p.zip', { is: '__proto__ (1 B)\nconstructor/\nhasOwnProperty (1 B)\n' }),
      read('p.zip:__proto__', { is: '1|v' }),
      read('p.zip:constructor/prototype/x', { is: '1|v' }),
      read('p.zip:hasOwnProperty', { is: '1|v' }),
    ],
  },
  {
    id: 'Y17',
    title: '200,000 empty streams of bzip2',
    make: ({ write }) =>
      write('f.bz2', Buffer.alloc(200_000 * 14, Buffer.from('425a683917724538509000000000', 'hex'))),
    steps: [read('f.bz2', { is: '[f.bz2 is empty: 0 lines]' })],
  },
];
