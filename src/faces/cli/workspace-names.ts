/** The name and the address of a remote workspace. */

/** A workspace as given in an option or a list. */
export interface Given {
  readonly url: string;
  readonly tokenFile?: string;
}

/** Whether it is a valid NAME in `ws://NAME/path`. */
export function isName(name: string): boolean {
  return /^[\p{L}\p{N}_](?:[\p{L}\p{N}_.@+/-]{0,198}[\p{L}\p{N}_])?$/u.test(name) && !name.includes('//');
}
