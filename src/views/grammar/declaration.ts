/** Turns a captured declaration into a symbol: its names, its lines, its signature. */

import { inside, lastRow, type Stretch } from '../lines.ts';
import type { Found } from '../scanners/scanner.ts';
import type { SymbolKind } from '../structure.ts';
import { signature } from './signature.ts';

/** A range: offsets in UTF-16 units, 0-based and half-open, and the rows and columns of the same range. */
export interface Node extends Stretch {
  readonly start: number;
  readonly end: number;
}

export interface Declaration {
  readonly kind: SymbolKind;
  /** Whether it is dropped if a property of the same name exists. */
  readonly isParameter: boolean;
  readonly node: Node;
  readonly name: Node | undefined;
  readonly body: Node | undefined;
  readonly scope: Node | undefined;
  readonly head: Node | undefined;
  /** The node around it: `export`, a list of decorators, `template <…>`. */
  wrap?: Node;
}

/** Maximum characters of a name that are examined. */
const longestName = 1_000;

/** `attributes` are in the order of the text. */
export function foundOf(
  declaration: Declaration,
  text: string,
  lines: readonly string[],
  attributes: readonly Node[],
): Found {
  const { kind, isParameter, node, wrap = node, name, body, scope } = declaration;
  const shown = signature(text, { ...declaration, node: wrap, inner: node });
  const path = name ? pathOf(text.slice(name.start, Math.min(name.end, name.start + longestName))) : [shown];
  const around = [...(scope ? [text.slice(scope.start, scope.end)] : []), ...path.slice(0, -1)];
  const interior = body && inside(lines, body, 'body');
  const at = (name ?? node).row + 1;
  return {
    kind,
    name: path.at(-1) ?? shown,
    signature: shown,
    from: withAttributes(wrap.row, attributes) + 1,
    to: lastRow(wrap) + 1,
    at,
    span: [wrap.start, wrap.end],
    ...(isParameter && { isParameter }),
    ...(around.length > 0 && { scope: scopeName(around) }),
    ...(interior && { bodyFrom: upToSignature(lines, interior.from, at), bodyTo: interior.to }),
  };
}

/**
 * `"ns::List<a::T>::size"` → `["ns", "List<a::T>", "size"]`, `"operator bool() const"` → `["operator bool"]`,
 * `"'a title'"` → `["a title"]`.
 */
function pathOf(text: string): string[] {
  const name = text.replace(/(\boperator\s+[\w:]+(?:<.*>)?[\s*&]*)\(.*$/s, '$1').trim();
  if (/^["'`]/.test(name)) return [name.slice(1, name.endsWith(name[0] ?? '') ? -1 : undefined)];
  if (!name.includes('::')) return [name];
  const path = [''];
  let angles = 0;
  for (const part of name.split(/(::|[<>])/)) {
    if (part === '<' || part === '>') angles += part === '<' ? 1 : -1;
    if (part === '::' && angles <= 0) path.push('');
    else path.push(`${path.pop() ?? ''}${part}`);
  }
  return path;
}

/** `["std", "vector<T>"]` → `"std.vector"`. `module.exports`, `exports`, `this`, `self` and `prototype` are removed. */
function scopeName(path: readonly string[]): string {
  const name = path.map((part) => part.replace(/<[\s\S]*$/, '').trim()).join('.');
  return name.replace(/^(?:module\.exports|exports|this|self)\b\.?/, '').replace(/\.prototype\b/, '');
}

/** The first row of the attributes directly above `row`, including attributes above those. */
function withAttributes(row: number, attributes: readonly Node[]): number {
  let low = 0;
  for (let high = attributes.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((attributes[middle]?.row ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  let first = row;
  for (
    let above = attributes[low - 1];
    above && lastRow(above) === first - 1;
    above = attributes[(low -= 1) - 1]
  ) {
    first = above.row;
  }
  return first;
}

/** Extends the body to the comments between the signature and its first statement. */
function upToSignature(lines: readonly string[], from: number, at: number): number {
  let first = from;
  while (first - 1 > at && /^\s*(?:#|\/\/|--|$)/.test(lines[first - 2] ?? '')) first -= 1;
  return first;
}
