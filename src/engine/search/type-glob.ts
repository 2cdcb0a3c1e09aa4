/** Translates a file type of ripgrep into a glob on file names. */

import { fileTypes } from '../../access/ripgrep-types.ts';
import { OrielError } from '../../errors.ts';
import { nearNames } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';

/** Throws `BAD_INPUT` for a type that ripgrep does not know; the message suggests similar types. */
export async function typeGlob(type: string, signal: AbortSignal): Promise<string> {
  const types = await fileTypes(signal);
  const globs = types.get(type);
  if (!globs) throw unknownType(type, types);
  return globs.length === 1 ? (globs[0] as string) : `{${globs.join(',')}}`;
}

/** The most suggested types. */
const MOST_OFFERED = 3;

function unknownType(type: string, types: ReadonlyMap<string, readonly string[]>): OrielError {
  const extension = type.replace(/^\*?\./, '').toLowerCase();
  const byExtension = [...types]
    .filter(([, globs]) => globs.includes(`*.${extension}`))
    .map(([name]) => name);
  const near = byExtension.length > 0 ? byExtension : nearNames(extension, types.keys());
  const meant = near.slice(0, MOST_OFFERED);
  const offered = meant.map((name) => `type=${name}`);
  const several = extension.split(/[, |]+(?:\*?\.)?/).filter((one) => one !== '');
  if (several.length > 0 && several.every((one) => /^[\w+-]{1,20}$/.test(one)))
    offered.push(several.length > 1 ? `glob=*.{${several.join(',')}}` : `glob=*.${several[0]}`);
  const message = `${quote(type)} is not a file type of ripgrep. Use ${offered.join(' or ') || 'glob'}.`;
  const next = meant[0] === undefined ? undefined : JSON.stringify({ type: meant[0] });
  return new OrielError('BAD_INPUT', message, { next });
}
