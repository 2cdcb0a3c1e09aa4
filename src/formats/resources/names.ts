/** Lists of the names that a scheme, a workspace or a server has, and the error for a name that is none of them. */

import { OrielError } from '../../errors.ts';
import { sha256Of } from '../../files/package-files.ts';
import { Identity } from '../../identity.ts';
import { everything, parseSelection, withPath } from '../../selector/selection.ts';
import { memoryBytes } from '../../text/bytes.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Notice } from '../../types/answer.ts';
import type { Call, Resource, SourceKind, TextResource } from '../../types/call.ts';
import type { Settings } from '../../types/settings.ts';
import { objectLimits } from '../ranges/limits.ts';
import { selectionOf } from '../text/open.ts';

export interface ListedName {
  readonly name: string;
  readonly about?: string | undefined;
}

export interface NameList {
  readonly names: readonly ListedName[];
  readonly more: boolean;
}

const MAX_LISTED_NAMES = 1_000;

export function byName(a: ListedName, b: ListedName): number {
  return a.name < b.name ? -1 : 1;
}

/** The longest name that `typed` begins with and that is followed by one of `ends`, which names may contain too. */
export function longestNamed(typed: string, names: readonly string[], ends = '/:'): string | undefined {
  return names
    .filter((name) => typed.startsWith(name) && ends.includes(typed.charAt(name.length)))
    .sort((a, b) => b.length - a.length)[0];
}

export function listNames(scheme: string, rest: string, { names, more }: NameList, empty: string): Resource {
  const target = `${scheme}://`;
  const selection = rest === '' ? everything : withPath(target, () => parseSelection(rest.replace(/^:/, '')));
  if (!selection) throw notNamed(scheme, rest, { names, more });
  const shown = names.slice(0, MAX_LISTED_NAMES).map(({ name, about }) => {
    const url = oneLine(`${scheme}://${name}`);
    return about === undefined ? `${url}\n` : `${url}  ${oneLine(about).slice(0, 200)}\n`;
  });
  const left = names.length - shown.length;
  const total = `${names.length}${more ? ' or more' : ''}`;
  return {
    kind: 'text',
    format: 'internal',
    bytes: memoryBytes(shown.length === 0 ? `(${empty})\n` : shown.join('')),
    encoding: 'utf-8',
    selection,
    target,
    name: scheme,
    display: 'plain',
    editable: false,
    notes:
      left > 0 || more
        ? [
            {
              kind: 'said',
              text: `The list has the first ${shown.length} of ${total} names; others can be read by name`,
            },
          ]
        : undefined,
  };
}

/** `NOT_FOUND`, with the most similar name, or with some existing ones. */
export function notNamed(scheme: string, rest: string, { names, more }: NameList): OrielError {
  const why = `${quote(`${scheme}://${rest}`)} does not exist.`;
  const list = { next: `${scheme}://` };
  if (names.length === 0) {
    const has = more ? 'has none among the entries that were looked at' : 'is empty';
    return new OrielError('NOT_FOUND', `${why} ${scheme}:// ${has}.`, list);
  }
  const all = names.map(({ name }) => name);
  const [near] = nearNames(
    rest.replace(/[:?].*$/s, ''),
    all.slice(0, MAX_LISTED_NAMES).flatMap((name) => [name, name.replace(/\.[^./]*$/, '')]),
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

// A listing of something that is not a directory of the file system, as a text with one name per line.

/** `rest` is a selector, without the colon. */
export async function textListing(
  lines: readonly string[],
  target: string,
  rest: string,
): Promise<TextResource> {
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  return {
    kind: 'text',
    format: 'internal',
    bytes: memoryBytes(bytes, Identity.of('text-listing', { target, sha256: await sha256Of(bytes) })),
    encoding: 'utf-8',
    selection: selectionOf({ typed: target, rest }),
    target,
    name: 'listing',
    display: 'plain',
    editable: false,
  };
}

// The interface of a scheme, such as `artifact://1:50-100`. The schemes are listed in `table.ts`.

export interface UrlScheme {
  /** The name without the colon: `artifact`. */
  readonly name: string;
  /** Whether the scheme is enabled by the settings; always when absent. */
  isOn?(settings: Settings): boolean;
  /** Opens the text after `name://`, including its selector. An empty text opens the list of names. */
  open(rest: string, call: Call): Promise<Resource>;
}

/** With facts for `details.meta` and notices. It cannot be edited; lines of a remote one are counted only without more reads. */
export function asImmutable(
  resource: Resource,
  format: SourceKind,
  facts: Readonly<Record<string, unknown>>,
  said: readonly string[] = [],
): Resource {
  const noted = <T extends { readonly notes?: readonly Notice[] | undefined }>(one: T): T => ({
    ...one,
    notes: [...(one.notes ?? []), ...said.map((text) => ({ kind: 'said', text }) as const)],
  });
  const told = (text: TextResource): TextResource => ({
    ...noted(text),
    format,
    editable: false,
    countUpTo: text.bytes.remote ? objectLimits.counted : text.countUpTo,
    facts: { ...text.facts, ...facts },
  });
  if (resource.kind === 'mixed') return { ...resource, format, text: told(resource.text) };
  if (resource.kind === 'text') return told(resource);
  const known = { ...resource, format, facts: { ...resource.facts, ...facts } };
  return known.kind === 'image' ? noted(known) : known;
}
