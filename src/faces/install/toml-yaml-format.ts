/** TOML, where an entry is a table of its own at the end, and YAML, where it is the first of its object or list. */

import { parse as parseToml, type TomlError } from 'smol-toml';
import {
  isCollection,
  isMap,
  isPair,
  isScalar,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  YAMLParseError,
} from 'yaml';
import { OrielError } from '../../errors.ts';
import {
  type ConfigEntry,
  type ConfigFormat,
  type ConfigPlace,
  lineStart,
  nested,
  newlineOf,
  type TextInsertion,
} from './config-format.ts';

type Ranged = Pair<Node, Node | null>;

function read(text: string): ReturnType<typeof parseDocument> {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw error;
  return document;
}

/** The only key of a place, with its value. */
function pairOf(text: string, { keys }: ConfigPlace): Ranged | undefined {
  const { contents } = read(text);
  if (!isMap(contents)) return undefined;
  return contents.items.find(({ key }) => isScalar(key) && key.value === keys[0]) as Ranged | undefined;
}

function insertion(text: string, place: ConfigPlace, entry: ConfigEntry): TextInsertion {
  const eol = newlineOf(text);
  const written = (value: unknown, indent: number): string =>
    stringify(value, { lineWidth: 0 })
      .replaceAll(/^(?=.)/gm, ' '.repeat(indent))
      .replaceAll('\n', eol);
  const pair = pairOf(text, place);
  const start = text === '' || text.endsWith('\n') ? '' : eol;
  if (!pair) return { at: text.length, text: start + written(nested(place.keys, place, entry), 0) };
  const { value } = pair;
  const inner = nested([], place, entry);
  if (isCollection(value) && value.flow) {
    const json = JSON.stringify(inner).slice(1, -1);
    return { at: (value.range?.[0] ?? 0) + 1, text: value.items.length > 0 ? `${json}, ` : json };
  }
  const isEmpty = isScalar(value) && value.source === '';
  if (!isEmpty && !isCollection(value))
    throw new OrielError('UNSUPPORTED', `${place.keys[0]} is not a list or an object`);
  const from = value?.range?.[0] ?? 0;
  const line = text.indexOf('\n', pair.key.range?.[1]) + 1;
  const indent = isEmpty ? 2 : from - lineStart(text, from);
  return line === 0
    ? { at: text.length, text: eol + written(inner, indent) }
    : { at: line, text: written(inner, indent) };
}

function without(text: string, place: ConfigPlace, made: number): string {
  const pair = pairOf(text, place);
  if (!isCollection(pair?.value)) return text;
  const { items } = pair.value;
  const isAll = items.length === 1 && made > 0;
  const item = isAll
    ? pair
    : items.find((one) =>
        isPair(one)
          ? isScalar(one.key) && one.key.value === place.name
          : place.isEntry?.((one as Node).toJS(read(text))),
      );
  if (item === undefined) return text;
  const [first, last] = isPair(item)
    ? [item.key as Node, (item.value ?? item.key) as Node]
    : [item as Node, item as Node];
  const to = last.range?.[2] ?? 0;
  const isLine = to === lineStart(text, to);
  return (
    text.slice(0, lineStart(text, first.range?.[0] ?? 0)) +
    text.slice(isLine ? to : text.indexOf('\n', to) + 1 || text.length)
  );
}

export const yamlFormat: ConfigFormat = {
  parse: (text) => (read(text).toJS() as unknown) ?? undefined,
  lineOf: (error) => (error instanceof YAMLParseError ? error.linePos?.[0].line : undefined),
  insertion,
  without,
};

const tablePath = (keys: readonly (string | undefined)[]): string =>
  keys.filter((key) => key !== undefined).join('.');

export const tomlFormat: ConfigFormat = {
  parse: (text) => parseToml(text, { integersAsBigInt: 'asNeeded' }),
  lineOf: (error) => (error as Partial<TomlError>).line,
  insertion(text, { keys, name }, entry) {
    const eol = newlineOf(text);
    const space = text.trim() === '' ? '' : eol;
    const lines = Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    const table = [`[${tablePath([...keys, name])}]`, ...lines, ''].join(eol);
    return { at: text.length, text: `${text === '' || text.endsWith('\n') ? '' : eol}${space}${table}` };
  },
  // The table as a host writes it again, with the tables below it.
  without(text, { keys, name }) {
    const header = new RegExp(
      String.raw`^\[${tablePath([...keys, name]).replaceAll('.', String.raw`\.`)}[.\]]`,
    );
    let inside = false;
    const kept = text.split(/(?<=\n)/).filter((line) => {
      if (line.startsWith('[')) inside = header.test(line);
      return !inside;
    });
    return kept.join('');
  },
};
