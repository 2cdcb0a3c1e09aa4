/** The base URL of a server: an origin, and possibly the path at which a gateway serves it. */

/** Whether it is a valid base URL: `http://host/`, `https://gateway/ws1`, without credentials, query and fragment. */
export function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, href } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(href);
}

/** The prefix of all URLs of the API, which identifies the server; without a slash at its end. */
export function baseOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}
