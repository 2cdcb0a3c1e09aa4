/** Parses a web target: the URL, and the selector after it. */

import { OrielError } from '../../errors.ts';
import { webUrl } from '../../network/fetch.ts';
import { isSelector } from '../../selector/selection.ts';

export interface WebAddress {
  /** The URL, normalized and without fragment. */
  readonly url: string;
  /** The text after the URL, without the colon: a selector, or a member of the file. */
  readonly rest: string;
  /** Whether `:fresh` was given: the page is fetched again even if it is cached. */
  readonly fresh: boolean;
}

/** The most characters of a URL with its selector; servers accept about as many. */
const MAX_URL_CHARACTERS = 8_192;

/** The most colons (from the end) that are tried as the start of a selector. */
const MAX_SELECTOR_COLONS = 64;

/** `https://h/x:raw:5-9`, `https://h:8080/`, `https://h/:80`, `https://h/a.zip:src/x.ts:5-9`. Throws OrielError. */
export function parseWebAddress(target: string, holds: (name: string) => boolean): WebAddress {
  const typed = withScheme(target);
  if (typed.length > MAX_URL_CHARACTERS) {
    throw new OrielError(
      'BAD_PATH',
      `A URL has at most ${MAX_URL_CHARACTERS} characters, its selector included, not ${typed.length}. Use a shorter one.`,
    );
  }
  const [front = ''] = /^https?:[\\/]*[^\\/?#]*/i.exec(typed) ?? [];
  const behind = typed.slice(front.length);
  if (behind === '') {
    const cut = hostEnd(front);
    return cut === -1 ? toWebAddress(front, '') : toWebAddress(front.slice(0, cut), front.slice(cut + 1));
  }
  let at = containerEnd(behind, holds);
  if (at !== -1) return toWebAddress(front + behind.slice(0, at), behind.slice(at + 1));
  let colons = 0;
  for (let i = behind.length - 1; i >= 0 && colons < MAX_SELECTOR_COLONS; i -= 1) {
    if (behind[i] !== ':') continue;
    colons += 1;
    if (isTail(behind.slice(i + 1))) at = i;
    else if (!/^[a-z\d#.,@+-]*$/i.test(behind.slice(i + 1))) break;
  }
  return at === -1
    ? toWebAddress(typed, '')
    : toWebAddress(front + behind.slice(0, at), behind.slice(at + 1));
}

function withScheme(target: string): string {
  return /^www\./i.test(target) ? `https://${target}` : target;
}

/** The offset of a selector directly after a host; -1 if there is none. A number after the host is the port. */
function hostEnd(front: string): number {
  const at = front.lastIndexOf(':');
  if (at < 'http://'.length || front.indexOf(']', at) !== -1) return -1;
  const before = front.slice(0, at);
  const isPort = /^\d+$/.test(front.slice(at + 1)) && !/:\d+$/.test(before);
  if (isPort || !isTail(front.slice(at + 1))) return -1;
  const longer = hostEnd(before);
  return longer !== -1 && isTail(front.slice(longer + 1)) ? longer : at;
}

const isTail = (text: string): boolean => text !== '' && isTailWithout(withoutFresh(text).rest);
const isTailWithout = (rest: string): boolean => rest === '' || isSelector(rest);

function toWebAddress(url: string, tail: string): WebAddress {
  const { rest, fresh } = withoutFresh(tail);
  return { url: webUrl(url).href, rest, fresh };
}

function withoutFresh(tail: string): { rest: string; fresh: boolean } {
  const parts = tail.split(':');
  const rest = parts.filter((part) => part !== 'fresh');
  return { rest: rest.join(':'), fresh: rest.length < parts.length };
}

/** The offset of the colon after the name (and query) of an archive, database or document; -1 if there is none. */
function containerEnd(path: string, holds: (name: string) => boolean): number {
  const query = /[?#]|$/.exec(path)?.index ?? path.length;
  const nameAt = (end: number): string => path.slice(path.lastIndexOf('/', end - 1) + 1, end);
  for (let i = path.indexOf(':'); i !== -1 && i < query; i = path.indexOf(':', i + 1)) {
    if (holds(nameAt(i))) return i;
  }
  const name = nameAt(query);
  if (!holds(name)) return -1;
  const inside = DATABASE.test(name) ? TABLE : MEMBER;
  const at = inside.exec(path.slice(query))?.index;
  return at === undefined ? -1 : query + at;
}

const DATABASE = /\.(?:sqlite3?|db3?)$/i;

/** Matches `:table` or `:table?limit=5` after a query; not a time (`:00:00Z`), and not if other parameters follow. */
const TABLE = /(?<!%3A|T\d\d|T\d\d:\d\d):(?=[^&=?]{1,1000}(?:\?|$))/i;

/** Matches `:dir/x.ts` and `:sheet?limit=5` after a query; not `sig=ab:cd` or `id=urn:isbn:1`. */
const MEMBER = /(?<!%3A|T\d\d|T\d\d:\d\d):(?=[^&=?:]{0,1000}[./][^&=?]{0,1000}(?:\?|$)|[^&=?]{1,1000}\?)/i;

/** The most colons that are tried as the end of a file's URL. */
const MAX_FILE_URL_COLONS = 8;

/** The ways to divide a target into the URL of a file (of any name) and a part of it, shortest URL first. */
export function listWebAddresses(target: string): WebAddress[] {
  const typed = withScheme(target);
  const [front = ''] = /^https?:[\\/]*[^\\/?#]*/i.exec(typed) ?? [];
  const ways: WebAddress[] = [];
  let at = front.length;
  while (ways.length < MAX_FILE_URL_COLONS) {
    at = typed.indexOf(':', at + 1);
    if (at === -1 || at === typed.length - 1) break;
    ways.push(toWebAddress(typed.slice(0, at), typed.slice(at + 1)));
  }
  return ways;
}
