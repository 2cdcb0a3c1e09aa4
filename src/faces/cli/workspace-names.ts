/** What a workspace elsewhere is called, and where it is. */

/** A workspace as it was given. */
export interface Given {
  readonly url: string;
  readonly tokenFile?: string;
}

/** An address of a server, without a user or a password in it. */
export function isUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** What may stand before the path in `ws://NAME/path`. */
export function isName(name: string): boolean {
  return /^[\p{L}\p{N}_](?:[\p{L}\p{N}_.@+/-]{0,198}[\p{L}\p{N}_])?$/u.test(name) && !name.includes('//');
}
