/**
 * Refuses malformed globs, which would match almost nothing. The rules are those of ripgrep's `globset`, but a range that
 * runs backwards is accepted: `app/[post-id]/page.tsx` may be a file.
 */

import { OrielError } from '../errors.ts';
import { oneLine, quote } from '../text/visible.ts';

/** The most characters of a glob that is repeated in a suggested call. */
const MOST_ECHOED = 200;

/** Throws `BAD_INPUT` for an empty or malformed glob, with a valid one in its place. `field`: the field that holds it. */
export function checkGlobSyntax(glob: string, field: 'pattern' | 'glob'): void {
  if (glob === '') throw new OrielError('BAD_INPUT', `The glob is empty. Use ${field} **.`, { next: '**' });
  const { fault, mended } = scanned(glob);
  if (fault === undefined) return;
  const why = `${quote(glob)} is not a valid glob: ${fault}.`;
  const next = mended.length <= MOST_ECHOED ? mended : '**';
  throw new OrielError('BAD_INPUT', `${why} Use ${field} ${oneLine(next)}.`, { next });
}

/** The glob, or a valid one in its place. */
export function validGlob(glob: string): string {
  return scanned(glob).mended;
}

interface Scanned {
  /** The first problem; undefined for a valid glob. */
  readonly fault: string | undefined;
  /** The glob with all problems mended. */
  readonly mended: string;
}

interface OpenBrace {
  readonly at: number;
  hasComma: boolean;
}

/** Takes a single pass, because the glob may be hostile. */
function scanned(glob: string): Scanned {
  const parts = [...glob];
  const lastClosing = parts.lastIndexOf(']');
  const open: OpenBrace[] = [];
  let fault: string | undefined;
  const escape = (at: number, problem: string): void => {
    fault ??= `${parts[at]} at character ${at + 1} ${problem}`;
    parts[at] = `\\${parts[at]}`;
  };
  for (let i = 0; i < parts.length; i += 1) {
    const character = parts[i];
    const brace = open.at(-1);
    if (character === '\\') {
      if (i === parts.length - 1) escape(i, 'escapes nothing');
      i += 1;
    } else if (character === '[') {
      const first = i + (parts[i + 1] === '!' || parts[i + 1] === '^' ? 2 : 1);
      // A `]` directly after the opening is a member.
      if (first < lastClosing) i = parts.indexOf(']', first + 1);
      else escape(i, 'is not closed');
    } else if (character === '{') open.push({ at: i, hasComma: false });
    else if (character === ',' && brace) brace.hasComma = true;
    else if (character === '}' && !open.pop()) escape(i, 'closes nothing');
  }
  const closing: string[] = [];
  for (const { at, hasComma } of open) {
    if (!hasComma) escape(at, 'is not closed');
    else {
      fault ??= `{ at character ${at + 1} is not closed`;
      closing.push('}');
    }
  }
  return { fault, mended: [...parts, ...closing].join('') };
}
