/** Whatever is typed as a path with a selector. */

import {
  parseCodeQuestion,
  isSpelledSelector,
  otherSpelling,
  parseBehind,
  parseSelection,
  writeSelector,
  candidates,
} from '../../../src/selector/selection.ts';
import { MAX_LISTED_PATHS, pathLists, pathRewrites, targetRewrites } from '../../../src/selector/rewrites.ts';
import type { Window } from '../../../src/types/excerpt.ts';
import typed from '../corpus/typed.json' with { type: 'json' };
import { selectorSeeds } from '../selector-seeds.ts';
import { type FuzzTarget, must, unlessRefused } from './fuzz-target.ts';

const seeds = [
  ...selectorSeeds,
  ...typed,
  'src/a.ts:5-9',
  'a.zip:dir/x.ts:5-9:raw',
  'file:///tmp/a%20b.ts#L10-L20',
  'lines 5 to 10',
  'encoding=shift_jis:5-9',
  '#Server.start:outline',
  'outline?bytes=32K&from=121&q=some%20words',
  'data.db:t?where=a>1&order=b',
  '{a,b}.ts:1-2,9',
  '["a.ts", "b.ts"]',
  "sed -n '10,20p' a.ts",
  '1,000-1,010',
];

const words =
  '0 1 5 9 12 99 100 9007199254740993 99999999999999999999 - .. + , : @ # ? & = / \\ . % L l C K M kb ( ) [ ] { } " \' ` $ ! * ; | ~ raw conflicts outline outputs meta refs encoding= gbk utf-16le ?from= &q= ?bytes= file:// .zip .. ../ #L3 (3,4) line lines to and through of offset= limit= head tail start end bytes= \u2013 \uff1a \u3001 \u0661 \u{1f600} \u202e \u00e9'.split(
    ' ',
  );

const material = { group: 'selector', seeds, words: [...words, ' ', '\n', '\t', '\0'], most: 48 } as const;

const refusedOr = <T>(parse: () => T): T | undefined => unlessRefused(/^BAD_SELECTOR$/, parse);

const isPosition = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

function checkWindow(window: Window): void {
  if (window.kind === 'bytes') {
    must(isPosition(window.start), 'a byte window begins at a byte');
    must(window.length === undefined || (isPosition(window.length) && window.length > 0), 'it has a length');
  } else if (window.kind === 'tail') {
    must(isPosition(window.lines) && window.lines > 0, 'a tail has lines');
  } else if (window.kind === 'lines') {
    must(window.ranges.length > 0, 'there is a range');
    let behind = 0;
    for (const { from, to } of window.ranges) {
      must(Number.isSafeInteger(from) && from >= 1 && from > behind, 'ranges are sorted and apart');
      must(to === undefined || (Number.isSafeInteger(to) && to >= from), 'a range ends behind its start');
      behind = to === undefined ? Number.MAX_SAFE_INTEGER : to + 1;
    }
  } else must(false, 'no selector asks for both ends');
}

/** What we write is read as what was meant. */
function checkWritten(window: Window): void {
  if (window.kind === 'lines') {
    const { ranges, inside } = window;
    const read = parseBehind(
      'a',
      writeSelector({ kind: 'lines', ranges, ...(inside !== undefined && { inside }) }).slice(1),
    )?.window;
    must(read?.kind === 'lines' && !read.context && read.inside === inside, 'written lines are lines');
    must(read.ranges.length === ranges.length, 'written ranges are as many');
    for (const [i, { from, to }] of ranges.entries())
      must(read.ranges[i]?.from === from && read.ranges[i]?.to === to, 'written ranges are the same');
  } else if (window.kind === 'bytes' && window.length !== undefined) {
    const read = parseBehind('a', writeSelector({ ...window, length: window.length }).slice(1))?.window;
    must(
      read?.kind === 'bytes' && read.start === window.start && read.length === window.length,
      'written bytes are the same',
    );
  }
}

const isZip = (name: string): boolean => name.endsWith('.zip');

export const selectorTargets: readonly FuzzTarget[] = [
  {
    ...material,
    name: 'selection',
    run(input) {
      const selection = refusedOr(() => parseBehind('a', input.toString()));
      const window = selection?.window;
      if (!window) return;
      checkWindow(window);
      checkWritten(window);
    },
  },
  {
    ...material,
    name: 'spelling',
    run(input) {
      const text = input.toString();
      const other = otherSpelling(text);
      if (other === undefined) return;
      must(other !== text, 'another spelling is another text');
      must(other.length <= 2 * text.length + 32, 'it is not much longer');
      must(isSpelledSelector(text), 'what has another spelling is a selector');
      let refused = false;
      try {
        refused = parseSelection(other) === undefined;
      } catch {
        // It has the shape of one.
      }
      must(!refused, 'the other spelling is a selector of ours');
    },
  },
  {
    ...material,
    name: 'split',
    run(input) {
      const target = input.toString();
      const found = candidates(target);
      must(found.length <= 256, 'places are bounded');
      let longest = target.length + 1;
      for (const { path, rest } of found) {
        must(path.length < longest, 'the longest path comes first');
        longest = path.length;
        const between = target.length - path.length - rest.length;
        must(between === 0 || (between === 1 && target[path.length] === ':'), 'path and rest are the target');
        must(target.startsWith(path) && target.endsWith(rest), 'nothing is changed');
      }
    },
  },
  {
    ...material,
    name: 'rewrites',
    run(input) {
      const text = input.toString();
      const forms = [...targetRewrites(text, isZip), ...pathRewrites(text)];
      must(forms.length <= 520, 'forms are bounded');
      for (const form of forms) {
        must(form !== '' && form !== text, 'a form is another text');
        must(form.length <= text.length + 24, 'a form is not much longer');
      }
    },
  },
  {
    ...material,
    name: 'question about code',
    run(input, random) {
      const text = input.toString();
      const asked = refusedOr(() =>
        parseCodeQuestion('a', text, random.below(2) === 0 ? 'file' : 'directory'),
      );
      if (!asked) return;
      must(isPosition(asked.from), 'a page begins somewhere');
      if (asked.kind === 'map') must(asked.query.length <= 200, 'words are bounded');
      if (asked.kind === 'definitions') must(asked.names.length <= 20, 'names are bounded');
    },
  },
  {
    ...material,
    name: 'list of paths',
    run(input) {
      for (const list of pathLists(input.toString()))
        must(list.length <= MAX_LISTED_PATHS + 1, 'a list of paths is bounded');
    },
  },
];
