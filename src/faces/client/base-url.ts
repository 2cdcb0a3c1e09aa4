/** The address of a server: an origin, and the path below which a gateway has it. */

/** `http://host/`, `https://gateway/ws1`; no user, no password, no query, no fragment. */
export function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, href } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(href);
}

/** What is in front of each path of the API, and tells one server from another: no slash at its end. */
export function baseOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}
