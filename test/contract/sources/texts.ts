/** The texts that the sources of the contract suite are filled with. */

/** 4 KB of everything that a page may meet: empty lines, both kinds of terminators, wide characters, no final newline. */
export const small: string = Array.from({ length: 90 }, (_, i) => smallLine(i)).join('');

function smallLine(i: number): string {
  const text = i % 7 === 3 ? '' : `${i} ${['words', 'süß und weiß', '線と点', '👩‍🚀 in space'][i % 4]}`;
  const long = i === 40 ? ` ${'wide öäü '.repeat(200)}` : '';
  return `${text}${long}${i === 89 ? '' : i % 5 === 2 ? '\r\n' : '\n'}`;
}

/** Over 4 MiB, so that what is unpacked of it outgrows memory; lines of 64 bytes that say where they are. */
export const LARGE_LINES = 70_000;

export const large: string = Array.from({ length: LARGE_LINES }, (_, i) =>
  `${i + 1} ${Math.sin(i).toString(36).slice(3, 14)} some words of a log`.padEnd(63, '.').concat('\n'),
).join('');
