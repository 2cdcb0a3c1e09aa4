import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { MatchPage, type PageBounds, type PlacedAddress } from '../../src/search/match-page.ts';

interface File {
  readonly path: string;
  /** Whether each line matches. */
  readonly lines: readonly boolean[];
}

/** What ripgrep prints for these files: matches and the lines around them. */
function printed(files: readonly File[], before: number, after: number): PlacedAddress[] {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((match, i) => {
      const near = lines.some((other, j) => other && j - i <= before && i - j <= after);
      return near ? [{ path, no: i + 1, offset: i * 10, match }] : [];
    }),
  );
}

/** "a:3" for a match, "a-2" for a context line. */
function pageOf(
  addresses: readonly PlacedAddress[],
  bounds: PageBounds,
): { shown: string[]; page: MatchPage } {
  const page = new MatchPage(bounds);
  for (const address of addresses) if (!page.take(address)) break;
  const shown = page.files.flatMap(({ path, lines }) =>
    lines.map(({ no, rank }) => `${path}${rank === undefined ? '-' : ':'}${no}`),
  );
  return { shown, page };
}

const files: File[] = [
  { path: 'a', lines: [false, true, true, false, false, true] },
  { path: 'b', lines: [true] },
];

test('shows matches from the offset on, up to the limit', () => {
  const { shown, page } = pageOf(printed(files, 0, 0), { offset: 1, limit: 2, before: 0, after: 0 });
  expect(shown).toEqual(['a:3', 'a:6']);
  expect(page).toMatchObject({ found: 2, more: true });
});

test('has no next page after the last match', () => {
  expect(pageOf(printed(files, 0, 0), { offset: 2, limit: 2, before: 0, after: 0 }).page.more).toBe(false);
});

test('a near match of another page is shown as context', () => {
  const { shown, page } = pageOf(printed(files, 1, 1), { offset: 1, limit: 1, before: 1, after: 1 });
  expect(shown).toEqual(['a-2', 'a:3', 'a-4']);
  expect(page.more).toBe(true);
  expect(pageOf(printed(files, 1, 1), { offset: 0, limit: 1, before: 1, after: 1 }).shown).toEqual([
    'a-1',
    'a:2',
    'a-3',
  ]);
});

test('pages show every match once, with its context lines', () => {
  const file = fc.array(fc.boolean(), { maxLength: 12 });
  fc.assert(
    fc.property(
      fc.array(file, { maxLength: 4 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(3),
      fc.nat(3),
      (contents, limit, before, after) => {
        const files = contents.map((lines, i) => ({ path: `f${i}`, lines }));
        const addresses = printed(files, before, after);
        const all = addresses.filter(({ match }) => match).map(({ path, no }) => `${path}:${no}`);
        const seen: string[] = [];
        for (let offset = 0; ; offset += limit) {
          const { shown, page } = pageOf(addresses, { offset, limit, before, after });
          seen.push(...shown.filter((line) => line.includes(':')));
          expect(new Set(shown.map((line) => line.replace(':', '-'))).size).toBe(shown.length);
          for (const line of shown.filter((line) => line.includes(':'))) {
            const [path, no] = line.split(':') as [string, string];
            const { lines } = files.find((file) => file.path === path) as File;
            for (let near = Number(no) - before; near <= Number(no) + after; near += 1) {
              if (near < 1 || near > lines.length) continue;
              expect(shown.map((shownLine) => shownLine.replace(':', '-'))).toContain(`${path}-${near}`);
            }
          }
          if (!page.more) break;
        }
        expect(seen).toEqual(all);
      },
    ),
  );
});
