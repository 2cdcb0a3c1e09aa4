/** Makes the one-line signature of a declaration, without its body, the mark that introduces the body, and decorators. */

interface Part {
  readonly start: number;
  readonly end: number;
}

interface Parts {
  /** The declaration with its wrap, and without. */
  readonly node: Part;
  readonly inner: Part;
  readonly name: Part | undefined;
  readonly body: Part | undefined;
  /** If present, only this is shown: the start tag of an HTML element. */
  readonly head: Part | undefined;
}

/** Declarations of at most this many characters are shown whole, including the body. */
const short = 80;

/** Maximum characters that are examined; more would not be shown. */
const most = 1_000;

/** `@Component({…})`, `[Obsolete]` on a separate line. */
const annotation = /^(?:@[\w.:]+(?:\((?:[^()]|\([^()]*\))*\))?\s+|\[[^[\]]*\]\s*\n\s*)/;

/** `interface` in Go's `type A interface {`: a word that the grammar includes in the body. */
const lead = /^[A-Za-z_][\w\s]*(?=\{)/;

export function signature(text: string, { node, inner, name, body, head }: Parts): string {
  if (head) return part(text, head.start, head.end);
  const whole = part(text, node.start, node.end);
  if (whole.length <= short && !whole.includes('\n')) return trim(whole);
  const before =
    name === undefined
      ? part(text, node.start, body?.start ?? node.end)
      : declared(text, { node, inner, name, body });
  const led = body && name ? (lead.exec(part(text, body.start, body.end))?.[0] ?? '') : '';
  const shown = trim(`${before}${led}`);
  if (!name || !body || name.start < body.end) return shown;
  return `${shown} { … } ${part(text, name.start, name.end)}`;
}

function declared(text: string, { node, inner, body }: Omit<Parts, 'head'>): string {
  const end = body?.start ?? node.end;
  let rest = part(text, node.start, end);
  for (let found = annotation.exec(rest); found; found = annotation.exec(rest))
    rest = rest.slice(found[0].length);
  return rest.startsWith('@') ? part(text, inner.start, end) : rest;
}

function part(text: string, start: number, end: number): string {
  return text.slice(start, Math.min(end, start + most));
}

/** Removes the mark that introduces the body, a comment before the body, and other text after the head. */
function trim(declared: string): string {
  return declared
    .replace(/\s*(?:\{|\\)[ \t]*\n[\s\S]*$/, '')
    .replace(/([=:{;>])\s*(?:#|\/\/)[^\n]*\s*$/, '$1')
    .replace(/\s*(?:[=:{;]|\bdo|\n\s*end)?\s*$/, '')
    .replace(/([^=])=$/, '$1');
}
