/** `http://host/a//` → `http://host/a`. In linear time, as a pattern anchored at the end is not. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
