/** Lists of the names that a scheme, a workspace or a server has, and the error for a name that is none of them. */

import { memoryBytes } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import { everything, parseSelection, withPath } from '../../selector/selection.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Resource } from '../../types/resource.ts';

/** A name that can be read, with a short description. */
export interface Named {
  readonly name: string;
  readonly about?: string;
}

export interface Names {
  readonly names: readonly Named[];
  /** Whether there are more than were examined. */
  readonly more: boolean;
}

/** The most names of a list. */
const MOST_NAMES = 1_000;

export function byName(a: Named, b: Named): number {
  return a.name < b.name ? -1 : 1;
}

/** The longest name that `typed` begins with and that is followed by one of `ends`, which names may contain too. */
export function longestNamed(typed: string, names: readonly string[], ends = '/:'): string | undefined {
  return names
    .filter((name) => typed.startsWith(name) && ends.includes(typed.charAt(name.length)))
    .sort((a, b) => b.length - a.length)[0];
}

/** The list of a scheme, one name per line. */
export function listOf(scheme: string, rest: string, { names, more }: Names, empty: string): Resource {
  const target = `${scheme}://`;
  const selection = rest === '' ? everything : withPath(target, () => parseSelection(rest.replace(/^:/, '')));
  if (!selection) throw notNamed(scheme, rest, { names, more });
  const shown = names.slice(0, MOST_NAMES).map(({ name, about }) => {
    const url = oneLine(`${scheme}://${name}`);
    return about === undefined ? `${url}\n` : `${url}  ${oneLine(about).slice(0, 200)}\n`;
  });
  const left = names.length - shown.length;
  const total = `${names.length}${more ? ' or more' : ''}`;
  return {
    is: 'text',
    kind: 'internal',
    bytes: memoryBytes(shown.length === 0 ? `(${empty})\n` : shown.join('')),
    encoding: 'utf-8',
    selection,
    target,
    name: scheme,
    display: 'plain',
    editable: false,
    ...((left > 0 || more) && {
      notes: [
        {
          kind: 'said',
          text: `The list has the first ${shown.length} of ${total} names; others can be read by name`,
        },
      ],
    }),
  };
}

/** `NOT_FOUND`, with the most similar name, or with some existing ones. */
export function notNamed(scheme: string, rest: string, { names, more }: Names): OrielError {
  const why = `${quote(`${scheme}://${rest}`)} does not exist.`;
  const list = { next: `${scheme}://` };
  if (names.length === 0) {
    const has = more ? 'has none among the entries that were looked at' : 'is empty';
    return new OrielError('NOT_FOUND', `${why} ${scheme}:// ${has}.`, list);
  }
  const all = names.map(({ name }) => name);
  const [near] = nearNames(
    rest.replace(/[:?].*$/s, ''),
    all.slice(0, MOST_NAMES).flatMap((name) => [name, name.replace(/\.[^./]*$/, '')]),
  );
  const how = `Use ${scheme}:// for the list.`;
  if (near !== undefined) {
    const url = `${scheme}://${near}`;
    return new OrielError('NOT_FOUND', `${why}${didYouMean([quote(url)])} ${how}`, { next: url });
  }
  const some = all.slice(0, 5).map((name) => quote(`${scheme}://${name}`));
  const others = all.length > some.length || more ? ', …' : '';
  const verb = all.length > 1 ? 'There are' : 'There is';
  return new OrielError('NOT_FOUND', `${why} ${verb} ${some.join(', ')}${others}. ${how}`, list);
}
