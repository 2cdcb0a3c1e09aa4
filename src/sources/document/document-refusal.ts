/** The error messages for documents that cannot be read. */

import { isOrielError, type ErrorCode, OrielError } from '../../errors.ts';
import { plural } from '../../render/units.ts';
import { quote } from '../../text/visible.ts';
import type { Subject } from '../../types/resource.ts';
import type { Extent, Reply, Why } from './document-protocol.ts';

type Refusal = Extract<Reply, { is: 'refused' }>;

const CODES: Readonly<Record<Why, ErrorCode>> = {
  encrypted: 'ENCRYPTED',
  password: 'ENCRYPTED',
  damaged: 'CORRUPT',
  old: 'UNSUPPORTED',
  unknown: 'CORRUPT',
  limit: 'LIMIT',
  absent: 'OUT_OF_RANGE',
  missing: 'UNSUPPORTED',
  unsupported: 'UNSUPPORTED',
};

/**
 * The error for a refusal of the child process, with a next call if there is one. `asked` is the requested page and the
 * path in front of it.
 */
export function refused(
  refusal: Refusal,
  subject: Pick<Subject, 'typed' | 'name'>,
  asked: { readonly page: number; readonly front: string } | undefined,
): OrielError {
  const { why, detail, extent, facts } = refusal;
  const { typed } = subject;
  if (why === 'absent' && asked) return noPage(asked.page, extent, asked.front);
  const isPdf = facts?.format === 'pdf';
  const said = detail === undefined ? undefined : quote(detail);
  const clause = {
    encrypted: isPdf
      ? `it is encrypted and needs a password. Use ${quote(typed)}:password=PASSWORD`
      : said
        ? `it is encrypted by ${said}. Open it with the program for which it was obtained`
        : 'it is encrypted with a password. Save a copy without a password and read that',
    password: `it is encrypted and this is not its password. Use ${quote(typed)}:password=PASSWORD`,
    damaged: `it is damaged or truncated${said ? ` (${said})` : ''}. Get the file again, or ask for a copy in another format`,
    old: `it is a ${said ?? 'legacy'} document, a format older than Office 97 that is not supported. Save it as a newer format and read that`,
    unknown: `its format is not known${said ? ` (${said})` : ''}, or corrupt. Check its type with the command \`file\``,
    limit: `it is over a limit of its converter${said ? `: ${said}` : ''}. Read a part of it, or split it`,
    absent: `${said ?? 'it has no such part'}. Use ${quote(typed)}`,
    missing: `that needs the optional package ${said ?? ''}, which is not installed (npm install ${said ?? ''})`,
    unsupported: (said ?? 'it cannot be converted here') + instead(extent, asked),
  }[why];
  return cannotRead(CODES[why], clause, subject);
}

/** The advice for an image that cannot be decoded: show the picture of its page. */
function instead(
  extent: Extent | undefined,
  asked: { readonly page: number; readonly front: string } | undefined,
): string {
  if (extent?.of !== 'image' || !asked) return '';
  return `. Use ${quote(`${asked.front}:p${asked.page}:image`)} to see its page`;
}

/** The error for a page beyond the end, or in a document without pages. The document itself is fine. */
function noPage(page: number, extent: Extent | undefined, typed: string): OrielError {
  if (extent?.of === 'image') {
    const list = `${typed}:p${page}:images`;
    const has = `page ${page} of ${quote(typed)} has ${plural(extent.count, 'embedded image')}`;
    return new OrielError('OUT_OF_RANGE', `There is no such image: ${has}. Use ${quote(list)}.`, {
      next: list,
    });
  }
  const next = extent ? `${typed}:p${extent.count}` : typed;
  const what = extent?.of === 'slide' ? 'Slide' : 'Page';
  const why = extent ? `has ${plural(extent.count, extent.of)}` : 'has no pages';
  const message = `${what} ${page} does not exist: ${quote(typed)} ${why}. Use ${quote(next)}.`;
  return new OrielError('OUT_OF_RANGE', message, { next });
}

/** The message in the form `[Cannot read .pdf file: …]`. */
function cannotRead(
  code: ErrorCode,
  clause: string,
  { typed, name }: Pick<Subject, 'typed' | 'name'>,
  cause?: unknown,
  next = code === 'OUT_OF_RANGE' ? typed : undefined,
): OrielError {
  const extension = /\.[a-z0-9]{1,8}$/i.exec(name)?.[0].toLowerCase() ?? 'this';
  return new OrielError(code, `[Cannot read ${extension} file: ${clause}.]`, { next, cause });
}

/** Turns the clause of a failed conversion into a complete error message. */
export function worded(error: unknown, subject: Pick<Subject, 'typed' | 'name'>): unknown {
  if (!isOrielError(error) || (error.code !== 'LIMIT' && error.code !== 'CORRUPT')) return error;
  const list = ZIPPED.test(subject.name) ? `${subject.typed}:/` : undefined;
  const advice = list ? `Use ${quote(list)} to list the files in it` : 'Convert it with another program';
  return cannotRead(error.code, `${error.message}. ${advice}`, subject, error, list);
}

/** Formats that are zip archives: their files can be read one by one. */
const ZIPPED = /\.(?:docx|pptx|xlsx|xlsb|odt|ods|odp|epub)$/i;
