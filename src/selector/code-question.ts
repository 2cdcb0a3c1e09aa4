/**
 * Selectors that query code: `:outline` and `:#name` after a directory, `:refs` and `:#name:refs` after a directory or a
 * file. `?bytes=32K&from=121&q=words` may follow `:outline` of a directory, `?from=` may follow a name or `:refs`.
 */

import { advised, OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';

export type AskedOfCode =
  | { readonly is: 'map'; readonly bytes?: number; readonly from: number; readonly query: string }
  | { readonly is: 'definitions'; readonly names: readonly string[]; readonly from: number }
  | { readonly is: 'uses'; readonly name: string; readonly from: number }
  | { readonly is: 'importers'; readonly from: number };

/** Maximum names in a list. */
const MOST_NAMES = 20;

/** Maximum characters of the words `q`. */
const LONGEST_QUERY = 200;

/** Whether `rest` ends with such a selector: `package:outline`, `#name`, `lib/a.js:refs`. */
export function endsInCodeQuestion(rest: string): boolean {
  return /(?:^|:)(?:#.|(?:outline|refs)(?:\?|$))/i.test(rest);
}

/** Parses `rest`, the text after the path `typed`. Undefined if it is something else. Throws `BAD_SELECTOR`. */
export function parseCodeQuestion(
  typed: string,
  rest: string,
  of: 'directory' | 'file',
): AskedOfCode | undefined {
  const [, words = '', parameters] = /^([^?]*)(?:\?(.*))?$/s.exec(rest) ?? [];
  const known = (names: readonly string[]): Map<string, string> =>
    parametersOf(typed, `${typed}:${words}`, parameters ?? '', names);
  const uses = /^#(.+):refs$/i.exec(words)?.[1];
  const fromOnly = (): number => fromOf(`${typed}:${words}`, known(['from']));
  if (uses !== undefined) return { is: 'uses', name: uses, from: fromOnly() };
  if (/^refs$/i.test(words) && of === 'file') return { is: 'importers', from: fromOnly() };
  if (of === 'file') return undefined;
  if (/^outline$/i.test(words)) {
    const given = known(['bytes', 'from', 'q']);
    const bytes = bytesOf(typed, given.get('bytes'));
    return {
      is: 'map',
      ...(bytes !== undefined && { bytes }),
      from: fromOf(`${typed}:outline`, given),
      query: queryOf(typed, given.get('q') ?? ''),
    };
  }
  if (/^outline:/i.test(words)) {
    const next = `${typed}:outline`;
    const why = `The outline of a directory takes no selector such as :${quote(words.slice('outline:'.length))}.`;
    throw advised('BAD_SELECTOR', why, `Use ${quote(next)}, or ${quote(next)}?from=N for a later part.`, {
      next,
    });
  }
  if (/^refs$/i.test(words)) {
    const next = `${typed}:outline`;
    throw new OrielError(
      'BAD_SELECTOR',
      `:refs is for a file or a name. Use ${quote(next)}, or ${quote(typed)}:#name:refs.`,
      { next },
    );
  }
  if (!/^#./.test(words)) return undefined;
  const names = words.split(',').map((name) => name.trim().replace(/^#/, ''));
  if (names.length > MOST_NAMES) {
    const next = `${typed}:${words.split(',').slice(0, MOST_NAMES).join(',')}`;
    throw new OrielError('BAD_SELECTOR', `A list holds at most ${MOST_NAMES} names. Use fewer.`, { next });
  }
  // Only a single name has pages.
  const from = names.length === 1 ? fromOnly() : fromOf(`${typed}:${words}`, known([]));
  return { is: 'definitions', names: names.filter((name) => name !== ''), from };
}

function parametersOf(
  typed: string,
  next: string,
  text: string,
  names: readonly string[],
): Map<string, string> {
  const all = [...new URLSearchParams(text)];
  const given = new Map(all);
  const twice = all.find(([name], i) => all.findIndex(([other]) => other === name) !== i)?.[0];
  if (twice !== undefined && names.includes(twice))
    throw new OrielError('BAD_SELECTOR', `?${twice}= is given twice. Use ${quote(next)} with one of them.`, {
      next,
    });
  const wrong = [...given.keys()].find((name) => !names.includes(name));
  if (wrong === undefined) return given;
  throw new OrielError(
    'BAD_SELECTOR',
    names.length === 0
      ? `A list of names takes no ?${quote(wrong)}=. Use ${quote(next)}.`
      : `${quote(typed)} takes no ?${quote(wrong)}=. Use ${quote(next)} with ${names.map((name) => `?${name}=`).join(' or ')}, or without.`,
    { next },
  );
}

/** Limits the length of the words, because they are compared with every file. Throws `BAD_SELECTOR`. */
function queryOf(typed: string, query: string): string {
  if (query.length <= LONGEST_QUERY) return query;
  const next = `${typed}:outline`;
  throw new OrielError(
    'BAD_SELECTOR',
    `?q= has at most ${LONGEST_QUERY} characters. Use ${quote(next)} with a few words.`,
    { next },
  );
}

/** Converts `from`, which is typed 1-based, to a 0-based offset. Throws `BAD_SELECTOR`. */
function fromOf(next: string, given: ReadonlyMap<string, string>): number {
  const from = given.get('from') ?? '1';
  if (/^\d{1,9}$/.test(from) && Number(from) > 0) return Number(from) - 1;
  throw new OrielError(
    'BAD_SELECTOR',
    `?from=${quote(from)} is not a whole number from 1 to 999999999. Use ${quote(next)}.`,
    { next },
  );
}

function bytesOf(typed: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits, unit] = /^(\d{1,9})(K|M)?$/i.exec(text) ?? [];
  const bytes = Number(digits) * (unit === undefined ? 1 : unit.toUpperCase() === 'K' ? 1024 : 1 << 20);
  if (bytes > 0) return bytes;
  const next = `${typed}:outline?bytes=32K`;
  throw new OrielError('BAD_SELECTOR', `?bytes=${quote(text)} is not a valid size. Use ${quote(next)}.`, {
    next,
  });
}
