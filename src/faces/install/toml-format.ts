/** TOML: an entry is a table of its own at the end. */

import { parse, type TomlError } from 'smol-toml';
import { type ConfigFormat, newlineOf } from './config-format.ts';

const path = (keys: readonly (string | undefined)[]): string =>
  keys.filter((key) => key !== undefined).join('.');

export const tomlFormat: ConfigFormat = {
  parse: (text) => parse(text, { integersAsBigInt: 'asNeeded' }),
  lineOf: (error) => (error as Partial<TomlError>).line,
  insertion(text, { keys, name }, entry) {
    const eol = newlineOf(text);
    const space = text.trim() === '' ? '' : eol;
    const lines = Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    const table = [`[${path([...keys, name])}]`, ...lines, ''].join(eol);
    return { at: text.length, text: `${text === '' || text.endsWith('\n') ? '' : eol}${space}${table}` };
  },
  // The table as a host writes it again, with the tables below it.
  without(text, { keys, name }) {
    const header = new RegExp(String.raw`^\[${path([...keys, name]).replaceAll('.', String.raw`\.`)}[.\]]`);
    let inside = false;
    const kept = text.split(/(?<=\n)/).filter((line) => {
      if (line.startsWith('[')) inside = header.test(line);
      return !inside;
    });
    return kept.join('');
  },
};
