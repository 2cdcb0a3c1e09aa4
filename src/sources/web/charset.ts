/** The text of a page: its encoding by the header, the mark, what the page declares, else a guess that is said. */

import { decode, detectEncoding } from '../../text/encoding.ts';
import { declaredEncoding, decodeLegacy, encodingName } from '../../text/legacy.ts';

export interface Text {
  readonly text: string;
  /** What was done, where the page did not say it rightly. */
  readonly note?: string;
}

export async function textOfBytes(bytes: Uint8Array, contentType: string): Promise<Text> {
  const marked = detectEncoding(bytes.subarray(0, 4096));
  if (marked.bom > 0) return { text: decode(bytes.subarray(marked.bom), marked).text };
  const label = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
  const stated = (label === undefined ? undefined : encodingName(label)) ?? declared(bytes);
  const unknown = label !== undefined && encodingName(label) === undefined;
  const said = unknown ? `the encoding ${JSON.stringify(label.slice(0, 40))} is not known` : undefined;
  if (stated !== undefined && stated !== 'utf-8')
    return { text: named(bytes, stated), ...(said !== undefined && { note: said }) };
  const { text, invalid } = decode(bytes, marked);
  if (invalid === 0) return { text, ...(said !== undefined && { note: said }) };
  if (stated === 'utf-8' && invalid < bytes.length / 200) {
    return { text, note: `${invalid} invalid sequences of UTF-8 are shown as U+FFFD` };
  }
  const guess = await guessed(bytes);
  return { text: named(bytes, guess), note: `the encoding ${guess} was guessed` };
}

/** UTF-16 that is declared in bytes of ASCII is UTF-8. Source: HTML, "prescan a byte stream". */
function declared(bytes: Uint8Array): string | undefined {
  const found = declaredEncoding(bytes.subarray(0, 4096));
  return found?.startsWith('utf-16') ? 'utf-8' : found;
}

function named(bytes: Uint8Array, name: string): string {
  return name === 'utf-8' ? decode(bytes, detectEncoding(new Uint8Array(0))).text : decodeLegacy(bytes, name);
}

async function guessed(bytes: Uint8Array): Promise<string> {
  const { default: chardet } = await import('chardet');
  const found = chardet.detect(bytes.subarray(0, 65_536));
  const name = found === null ? undefined : encodingName(found);
  return name === undefined || name === 'utf-8' ? 'windows-1252' : name;
}
