/** Finds the shape of a JSON text: the keys of its first two levels with the types of their values, arrays with their items. */

import { plural } from '../../render/display.ts';
import { showName } from '../sqlite/stored-text.ts';
import { type JsonPath, JsonScanner, writeDataPath } from './json-scan.ts';
import { type DataFile, type JsonDamage, scanFile } from './record-bytes.ts';

/** The bytes that are looked at, the keys that are shown, and the items whose keys are. */
const MAX_SHAPED_BYTES = 8 << 20;
const MAX_SHAPED_KEYS = 100;
const SAMPLED_ITEMS = 20;
const MAX_ITEM_KEYS = 12;
const MAX_EXAMPLE_CHARACTERS = 40;
const SHAPED_LEVELS = 2;

export interface DataShape {
  readonly text: string;
  /** The paths of arrays with objects, the most items first, and of other values with keys. */
  readonly arrays: readonly string[];
  readonly objects: readonly string[];
  /** Whether it is that of a part of the text. */
  readonly isPart: boolean;
  readonly damage: JsonDamage | undefined;
}

interface ShapedValue {
  readonly path: JsonPath;
  readonly kind: 'object' | 'array';
  /** Of an array its items, of an object its members. */
  count: number;
  readonly keys: Set<string>;
}

interface ShapedScalar {
  readonly path: JsonPath;
  readonly kind: 'scalar';
  readonly example: string;
}

/** Those of the first level, and in equal shares those below: a long object must not hide the keys behind it. */
function shownOf<Shaped extends ShapedValue | ShapedScalar>(held: readonly Shaped[]): Shaped[] {
  const first = held.filter(({ path }) => path.length === 1).slice(0, MAX_SHAPED_KEYS);
  const around = first.filter(({ kind }) => kind === 'object').length;
  const share = Math.floor((MAX_SHAPED_KEYS - first.length) / Math.max(1, around));
  let [tops, below] = [0, 0];
  return held.filter((one) => {
    const isFirst = one.path.length === 1;
    tops += isFirst ? 1 : 0;
    below = isFirst ? 0 : below + 1;
    return tops <= first.length && (isFirst || below <= share);
  });
}

/** Undefined if the text is an array, or is no JSON; one that only ends too early has a shape. */
export function shapeOf(file: DataFile): DataShape | undefined {
  const held: (ShapedValue | ShapedScalar)[] = [];
  const open: ShapedValue[] = [];
  let isRooted = false;
  const isInItem = (path: JsonPath): boolean => path.some((step) => typeof step === 'number');
  const scanner = new JsonScanner({
    want: (path) => {
      const last = path.at(-1);
      const around = open.at(-1);
      if (around && path.length > 0) around.count += 1;
      if (isInItem(path)) {
        if (typeof last === 'number')
          return path.length <= SHAPED_LEVELS + 1 && last < SAMPLED_ITEMS ? 'enter' : 'skip';
        const items = open.at(-2);
        if (items && items.keys.size <= MAX_ITEM_KEYS) items.keys.add(String(last));
        return 'skip';
      }
      return path.length <= SHAPED_LEVELS ? 'enter' : 'skip';
    },
    entered: (path, kind) => {
      const value = { path: [...path], kind, count: 0, keys: new Set<string>() };
      if (path.length === 0) isRooted = kind === 'object';
      else if (!isInItem(path)) held.push(value);
      open.push(value);
    },
    left: () => void open.pop(),
    value: (path, value) => {
      if (isInItem(path) || path.length === 0 || path.length > SHAPED_LEVELS) return;
      const shown = showName(JSON.stringify(value) ?? '…', Infinity);
      const example =
        shown.length > MAX_EXAMPLE_CHARACTERS ? `${shown.slice(0, MAX_EXAMPLE_CHARACTERS)}…` : shown;
      held.push({ path: [...path], kind: 'scalar', example });
    },
  });
  const { at, damage: error } = scanFile(scanner, file, MAX_SHAPED_BYTES);
  // Comments in JSON, a page of HTML: the keys before them are no shape.
  if (error && error.offset < file.size) return undefined;
  const damage = error && { offset: error.offset, why: error.message };
  if (!isRooted || held.length === 0) return undefined;
  // Those that are still open go on behind what was looked at.
  const least = (one: ShapedValue): string => (open.includes(one) ? 'at least ' : '');
  const lines = shownOf(held).map((one) => {
    const name = `${'  '.repeat(one.path.length - 1)}${showName(String(one.path.at(-1)), 200) || '""'}`;
    if (one.kind === 'scalar') return `${name}: ${one.example}\n`;
    if (one.kind === 'object') return `${name}: {${least(one)}${plural(one.count, 'key')}}\n`;
    const keys = [...one.keys].slice(0, MAX_ITEM_KEYS).map((key) => showName(key, 50));
    const of =
      keys.length === 0 ? '' : ` of {${keys.join(', ')}${one.keys.size > MAX_ITEM_KEYS ? ', …' : ''}}`;
    return `${name}: [${least(one)}${plural(one.count, 'item')}${of}]\n`;
  });
  const left = held.length - lines.length;
  const values = held.filter((one): one is ShapedValue => one.kind !== 'scalar' && one.count > 0);
  const named = (kind: ShapedValue['kind']): string[] =>
    values
      .filter((one) => one.kind === kind)
      .toSorted((one, other) => other.count - one.count)
      .map(({ path }) => writeDataPath(path));
  return {
    text: lines.join('') + (left > 0 ? `… ${plural(left, 'more key')}\n` : ''),
    arrays: named('array').slice(0, 3),
    objects: named('object').slice(0, 1),
    isPart: at < file.size,
    damage,
  };
}
