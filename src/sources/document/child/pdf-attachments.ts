/** Lists the files that are attached to a PDF, and extracts one of them. */

import { type AttachmentFacts, type DocumentFacts, Refused } from '../document-protocol.ts';
import { openPdf } from './pdf.ts';

interface Attachment {
  readonly name: string;
  readonly content: Uint8Array;
}

/** The most attachments that are listed. */
const MOST_ATTACHMENTS = 1_000;

const MOST_NAME = 200;

/** The list, one line per attachment: `notes.txt  1024 bytes`. */
export async function listAttachments(
  bytes: Buffer,
  password: string | undefined,
): Promise<{ text: string; facts: DocumentFacts }> {
  const { attachments, left, pages } = await attachmentsOf(bytes, password);
  const listed = attachments.map(({ name, content }): AttachmentFacts => ({ name, bytes: content.length }));
  const lines = listed.map((one) => `${one.name}  ${one.bytes} bytes\n`);
  return {
    text: (lines.join('') || '(no files are attached)\n') + (left > 0 ? `(${left} more are attached)\n` : ''),
    facts: { pages, attachments: listed },
  };
}

/** Attachment `number`, 1-based, in the order of the list. Throws Refused. */
export async function attachmentOf(
  bytes: Buffer,
  number: number,
  password: string | undefined,
): Promise<{ data: Uint8Array; facts: DocumentFacts }> {
  const { attachments, pages } = await attachmentsOf(bytes, password);
  const found = attachments[number - 1];
  if (!found) throw new Refused('absent', 'it has no such attachment');
  return { data: found.content, facts: { pages } };
}

async function attachmentsOf(
  bytes: Buffer,
  password: string | undefined,
): Promise<{ attachments: readonly Attachment[]; left: number; pages: number }> {
  const document = await openPdf(bytes, password);
  try {
    const found = ((await document.getAttachments()) ?? {}) as Readonly<Record<string, Partial<Raw>>>;
    const names = new Set<string>();
    const files = Object.values(found);
    const attachments = files
      .slice(0, MOST_ATTACHMENTS)
      .flatMap(({ filename = '', content }) =>
        content instanceof Uint8Array ? [{ name: unique(nameFrom(String(filename)), names), content }] : [],
      );
    return { attachments, left: Math.max(0, files.length - MOST_ATTACHMENTS), pages: document.numPages };
  } finally {
    await document.destroy();
  }
}

interface Raw {
  readonly filename: string;
  readonly content: Uint8Array;
}

/** A name that can be typed after a path: without separators, colons and invisible characters. */
function nameFrom(filename: string): string {
  const name = filename
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}:/\\?#]/gu, '_')
    .trim()
    .slice(0, MOST_NAME)
    .toWellFormed();
  return name === '' ? 'unnamed' : name;
}

function unique(name: string, names: Set<string>): string {
  let free = name;
  for (let i = 2; names.has(free); i += 1) free = name.replace(/(\.[^.]*)?$/, ` (${i})$1`);
  names.add(free);
  return free;
}
