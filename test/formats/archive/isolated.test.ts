import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { type Reader, reader } from '../../support/reader.ts';
import { rar } from '../../support/rar.ts';

let oriel: Reader;

beforeEach(() => {
  oriel = reader();
});

/** `dir/a.txt` and `ok.txt`, packed by 7-Zip 24; the encrypted ones with a password. */
function fixture(name: string): Promise<Buffer> {
  return readFile(fileURLToPath(new URL(`../../fixtures/archives/${name}`, import.meta.url)));
}

test('7z: encrypted members are refused, encrypted names are reported', async () => {
  oriel.write('e.7z', await fixture('encrypted.7z'));
  oriel.write('n.7z', await fixture('encrypted-names.7z'));
  expect(await oriel.read('e.7z')).toBe('dir/\nok.txt (5 B, encrypted)\n');
  expect(await oriel.read('e.7z:ok.txt')).toBe(
    'ENCRYPTED: e.7z:ok.txt cannot be read: it is encrypted. Use e.7z.',
  );
  expect(await oriel.read('n.7z')).toBe(
    'ENCRYPTED: n.7z cannot be read: it is encrypted. Use . to list the working directory.',
  );
});

test('7z: a truncated file, and a damaged one', async () => {
  const whole = await fixture('plain.7z');
  const damaged = Buffer.from(whole);
  damaged.write('A', 36);
  oriel.write('cut.7z', whole.subarray(0, 100));
  oriel.write('bad.7z', damaged);
  expect(await oriel.read('cut.7z')).toBe(
    'CORRUPT: cut.7z cannot be read: the file ends before its directory. Use a shell to look at it: file cut.7z, or xxd cut.7z | head -100.',
  );
  expect(await oriel.read('bad.7z:dir/a.txt')).toBe(
    'CORRUPT: bad.7z:dir/a.txt cannot be read: its CRC does not match. Use bad.7z:dir/.',
  );
  expect(await oriel.read('bad.7z:ok.txt')).toBe('1|fine\n');
});

test('rar: only members after the damage are missing', async () => {
  const whole = rar([
    { name: 'a.txt', content: 'alpha\n' },
    { name: 'b.txt', content: 'beta\n' },
  ]);
  oriel.write('cut.rar', whole.subarray(0, whole.length - 30));
  oriel.write('head.rar', whole.subarray(0, 10));
  expect(await oriel.read('cut.rar')).toMatch(/^a\.txt \(6 B\)\n/);
  expect(await oriel.read('cut.rar:a.txt')).toBe('1|alpha\n');
  expect(await oriel.read('head.rar')).toMatch(/^(CORRUPT: head\.rar|\(empty archive\))/);
});

test('an archive over the memory limit is refused immediately', async () => {
  const huge = Buffer.alloc(49 << 20);
  rar([]).copy(huge);
  oriel.write('huge.rar', huge);
  expect(await oriel.read('huge.rar')).toBe(
    'LIMIT: huge.rar cannot be read: a rar archive is read up to 48 MiB, and this one is 49 MiB. Use . to list the working directory.',
  );
});
