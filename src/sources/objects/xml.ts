/** The lists of S3, which are XML: the entries of one answer with their fields. */

import { setImmediate } from 'node:timers/promises';
import { OrielError } from '../../errors.ts';

export interface XmlList {
  /** The name of the outermost element. */
  readonly root: string;
  /** Texts of the elements right below it. */
  readonly fields: Readonly<Record<string, string>>;
  /** The elements of the wanted names, with the texts right below each. */
  readonly entries: readonly { readonly is: string; readonly fields: Readonly<Record<string, string>> }[];
}

/** Bytes that are parsed before others have their turn. */
const AT_ONCE = 64 << 10;

/** A list has four levels, and 1,000 entries; what a level costs the parser grows with the depth. */
const MOST_DEPTH = 16;
const MOST_ENTRIES = 2_000;

/** Bytes of one field. */
const MOST_FIELD = 16 << 10;

/** Text that is not XML gives an empty list without a root. */
export async function listInXml(
  xml: Uint8Array,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<XmlList> {
  const { Parser } = await import('htmlparser2');
  const open: string[] = [];
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  const entries: { is: string; fields: Record<string, string> }[] = [];
  let root = '';
  let entry: { is: string; fields: Record<string, string>; depth: number } | undefined;
  let text = '';
  const parser = new Parser(
    {
      onopentag(name) {
        if (open.length >= MOST_DEPTH || entries.length > MOST_ENTRIES) {
          throw new OrielError(
            'CORRUPT',
            'The answer of the server is not a list: it has too many levels or entries.',
          );
        }
        open.push(name);
        text = '';
        root ||= name;
        if (!entry && wanted.has(name)) {
          entry = { is: name, fields: Object.create(null) as Record<string, string>, depth: open.length };
        }
      },
      ontext(part) {
        if (text.length < MOST_FIELD) text += part;
      },
      onclosetag(name) {
        if (entry && open.length === entry.depth) {
          entries.push({ is: entry.is, fields: entry.fields });
          entry = undefined;
        } else if (entry && open.length === entry.depth + 1) entry.fields[name] = text;
        else if (!entry && open.length === 2) fields[name] = text;
        open.pop();
        text = '';
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const decoder = new TextDecoder();
  for (let at = 0; at < xml.length; at += AT_ONCE) {
    signal.throwIfAborted();
    parser.write(decoder.decode(xml.subarray(at, at + AT_ONCE), { stream: true }));
    await setImmediate();
  }
  parser.end();
  return { root, fields, entries };
}
