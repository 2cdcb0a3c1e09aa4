/** `http://host/a//` → `http://host/a`. In linear time; a regular expression such as `/\/+$/` is quadratic. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
