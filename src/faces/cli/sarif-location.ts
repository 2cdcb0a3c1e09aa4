/** The file at which a SARIF report shows its findings: code hosts reject a result without one. */

import { existsSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';

/** Where servers are configured, if the command names no file. */
const DEFAULT = 'mcp.json';

/** The URI of `--location`, or of the first file below this directory in the command. Throws `BAD_INPUT`. */
export function sarifLocation(given: string | undefined, command: readonly string[]): string {
  if (given === undefined) {
    const file = command.find((word) => word.includes('/') && isFile(word) && below(word) !== undefined);
    return uriOf(below(file ?? DEFAULT) ?? DEFAULT);
  }
  const path = below(given);
  if (path !== undefined) return uriOf(path);
  const message = `--location takes a file below this directory, not ${quote(given)}. Use a relative path, as it is in the repository.`;
  throw new OrielError('BAD_INPUT', message);
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** The path relative to this directory; undefined if it is outside. */
function below(path: string): string | undefined {
  const inside = relative('.', resolve(path));
  const isOutside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isOutside ? undefined : inside;
}

const uriOf = (path: string): string => path.split(sep).map(encodeURIComponent).join('/');
