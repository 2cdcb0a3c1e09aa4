/** Parses the XML lists of S3: the entries of one reply with their fields. */

import { setImmediate } from 'node:timers/promises';
import { OrielError } from '../../errors.ts';

export interface XmlList {
  /** The name of the outermost element. */
  readonly root: string;
  /** The texts of its child elements. */
  readonly fields: Readonly<Record<string, string>>;
  /** The elements with the wanted names, with the texts of their child elements. */
  readonly entries: readonly { readonly is: string; readonly fields: Readonly<Record<string, string>> }[];
}

/** Bytes that are parsed before the event loop gets control again. */
const AT_ONCE = 64 << 10;

/** Limits on nesting and entries. A real list has four levels and 1,000 entries; the parser gets slower with each level. */
const MOST_DEPTH = 16;
const MOST_ENTRIES = 2_000;

/** The most bytes of one field. */
const MOST_FIELD = 16 << 10;

/** For a text that is not XML, an empty list with an empty root. */
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
