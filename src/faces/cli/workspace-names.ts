/** What a remote workspace is called, and where it is. */

/** A workspace as it was given. */
export interface Given {
  readonly url: string;
  readonly tokenFile?: string;
}

/** What may be before the path in `ws://NAME/path`. */
export function isName(name: string): boolean {
  return /^[\p{L}\p{N}_](?:[\p{L}\p{N}_.@+/-]{0,198}[\p{L}\p{N}_])?$/u.test(name) && !name.includes('//');
}
