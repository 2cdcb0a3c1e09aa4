import { describe, expect, test } from 'vitest';
import { reader } from '../../support/reader.ts';

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

describe.each([
  ['x.deb', ar({ 'debian-binary': '2.0\n' }), 'debian-binary (4 B)\n', 'debian-binary', '1|2.0\n'],
  ['lib.a', ar({ 'one.o': 'odd\nx\n' }), 'one.o (6 B)\n', 'one.o', '1|odd\n2|x\n'],
  [
    'a.cpio',
    cpio({ 'dir/one.txt': 'one\n', 'two.txt': 'two\n' }),
    'dir/\ntwo.txt (4 B)\n',
    'dir/one.txt',
    '1|one\n',
  ],
  ['initrd', cpio({ init: 'run\n' }), 'init (4 B)\n', 'init', '1|run\n'],
  ['setup.cab', cab('h.txt', 'hello\n'), 'h.txt (6 B)\n', 'h.txt', '1|hello\n'],
])('%s', (name, bytes, listing, member, content) => {
  test('lists it and reads a member', async () => {
    const { write, read } = reader();
    write(name, bytes);
    expect(await read(name)).toBe(listing);
    expect(await read(`${name}:${member}`)).toBe(content);
  });
});

test('a text that begins like an archive is text', async () => {
  const { write, read } = reader();
  write('numbers', '070701 is a number\n');
  write('x.deb', 'a note\n');
  expect(await read('numbers')).toBe('1|070701 is a number\n');
  expect(await read('x.deb')).toBe('1|a note\n');
});
