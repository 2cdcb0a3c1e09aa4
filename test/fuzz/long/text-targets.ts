/** Bytes that are scanned, decoded and cut; texts that are shown, quoted and told apart. */

import { estimateTokens } from '../../../src/text/limits.ts';
import { bounded } from '../../../src/render/display.ts';
import { looksBinary, terminalText } from '../../../src/text/terminal.ts';
import { alignDown, codePoints, cutHead, cutTail } from '../../../src/text/bytes.ts';
import {
  decode,
  encodingNamed,
  unicodeEncoding,
  createScanner,
  newlinesInBytes,
  newlinesInUnits,
  encodingOfText,
} from '../../../src/text/encoding.ts';
import {
  safeJson,
  percentDecode,
  percentEncode,
  shellWord,
  HIDDEN,
  makeVisible,
  oneLine,
  plainHead,
  quote,
  visibleBytes,
} from '../../../src/text/visible.ts';
import { nearNames } from '../../../src/text/near.ts';
import type { TextEncoding } from '../../../src/types/excerpt.ts';
import { type FuzzTarget, must } from './fuzz-target.ts';
import type { Random } from './random.ts';
import { shellWordsOf } from './shell-words.ts';
import { seeds, words } from './text-material.ts';

const material = { group: 'text', seeds, words, most: 64 } as const;

const unicode: readonly TextEncoding[] = (
  ['utf-8', 'utf-8', 'utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'] as const
).map((name) => unicodeEncoding(name));

const legacy: readonly TextEncoding[] = [
  'shift_jis',
  'euc-jp',
  'gbk',
  'gb18030',
  'big5',
  'euc-kr',
  'windows-1252',
  'koi8-r',
].map((name) => encodingNamed(name, 'told', new Uint8Array(0)) as TextEncoding);

/** As UTF-8, or, one time in four, as units of 16 bits: those may be half a pair. */
const textOf = (input: Buffer, random: Random): string =>
  random.below(4) === 0 ? input.toString('utf16le') : input.toString();

const scanner = createScanner();
/** Long enough for the counters of SIMD to be emptied on the way. */
const tiled = scanner.buffers[0];

const units = [
  [2, false, newlinesInUnits(2, false)],
  [2, true, newlinesInUnits(2, true)],
  [4, false, newlinesInUnits(4, false)],
  [4, true, newlinesInUnits(4, true)],
] as const;

function newlinesByHand(bytes: Uint8Array, unit: number, isBig: boolean): number[] {
  const ends: number[] = [];
  for (let at = 0; at + unit <= bytes.length; at += unit) {
    let value = 0;
    for (let i = 0; i < unit; i += 1)
      value = value * 256 + (bytes[isBig ? at + i : at + unit - 1 - i] as number);
    if (value === 10) ends.push(at + unit);
  }
  return ends;
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Costs of a text that displays use. */
const costs: readonly ((text: string) => number)[] = [
  (text) => Buffer.byteLength(text),
  visibleBytes,
  (text) => text.length,
];

const SHOWN_CONTROL =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\r(?!\n)/;

/** A library that has an opinion about any bytes. */
const opinions = (random: Random) => () => () =>
  ['windows-1251', 'Big5', 'ISO-8859-2', 'Shift_JIS', 'UTF-8', 'nothing']
    .map((name) => ({ name, confidence: random.below(101) }))
    .sort((a, b) => b.confidence - a.confidence);

const NAMES = ['users', 'user_names', 'orders', 'order-items', 'Items', 'index', 'a', 'b', 'caf\u00e9'];

export const textTargets: readonly FuzzTarget[] = [
  {
    ...material,
    name: 'newlines',
    run(input, random) {
      // One of 256 is repeated to some kilobytes, in the memory that SIMD scans in place.
      let bytes: Uint8Array = input;
      if (random.below(256) === 0 && input.length > 0) {
        const offset = random.below(32);
        const length = random.below(16_384);
        for (let i = 0; i < length; i += 1) tiled[offset + i] = input[i % input.length] as number;
        bytes = tiled.subarray(offset, offset + length);
      }
      let count = 0;
      for (const byte of bytes) if (byte === 10) count += 1;
      must(newlinesInBytes.count(bytes) === count, 'newlines are counted');
      must(scanner.count(bytes) === count, 'SIMD counts as many');
      const k = 1 + random.below(count + 2);
      const from = random.below(bytes.length + 1);
      const after = newlinesInBytes.after(bytes, k, from);
      if (after !== -1) must(newlinesInBytes.count(bytes.subarray(from, after)) === k, 'it is the k-th');
      else must(newlinesInBytes.count(bytes.subarray(from)) < k, 'there are fewer');
    },
  },
  {
    ...material,
    name: 'newlines in units',
    run(input, random) {
      const [unit, isBig, found] = random.pick(units);
      const ends = newlinesByHand(input, unit, isBig);
      must(found.count(input) === ends.length, 'newlines are counted');
      const k = 1 + random.below(ends.length + 2);
      must(found.after(input, k) === (ends[k - 1] ?? -1), 'the k-th is found');
    },
  },
  {
    ...material,
    name: 'decoding',
    run(input, random) {
      const encoding = random.pick(random.below(4) === 0 ? legacy : unicode);
      const { text, invalid } = decode(input, encoding);
      must(text.isWellFormed(), 'decoded text is well-formed');
      must(invalid >= 0 && invalid <= input.length, 'invalid sequences are counted');
      let length = 0;
      let joined = '';
      for (const point of codePoints(input, encoding)) {
        must(point.length > 0, 'a character has bytes');
        length += point.length;
        joined += point.text;
      }
      must(length === input.length, 'characters are all bytes');
      if (!encoding.legacy || invalid === 0) must(joined === text, 'characters are the text');
    },
  },
  {
    ...material,
    name: 'alignment',
    run(input, random) {
      const encoding = random.pick(random.below(4) === 0 ? legacy : unicode);
      const at = random.below(input.length + 1);
      const down = alignDown(input, at, encoding);
      must(down >= 0 && down <= at, 'it goes back');
      must(at - down < 4, 'it goes back within one character');
      if (encoding.legacy) return;
      must(alignDown(input, down, encoding) === down, 'what is aligned stays');
      let start = 0;
      for (const point of codePoints(input, encoding)) {
        if (start >= down) break;
        start += point.length;
      }
      must(start === down, 'a character begins there');
    },
  },
  {
    ...material,
    name: 'cutting',
    run(input, random) {
      if (input.length === 0) return;
      const encoding = random.pick(unicode);
      const bytes =
        encoding.unit === 1 ? input : input.subarray(0, input.length - (input.length % encoding.unit));
      if (bytes.length === 0) return;
      const cost = random.pick(costs);
      const budget = 1 + random.below(48);
      const isHead = random.below(2) === 0;
      const length = (isHead ? cutHead : cutTail)(bytes, encoding, budget, cost);
      must(length > 0 && length <= bytes.length, 'a part is shown');
      const at = isHead ? length : bytes.length - length;
      const [head, tail] = [decode(bytes.subarray(0, at), encoding), decode(bytes.subarray(at), encoding)];
      const whole = decode(bytes, encoding);
      must(head.text + tail.text === whole.text, 'no character is cut');
      must(head.invalid + tail.invalid === whole.invalid, 'no sequence is cut');
      const part = isHead ? head.text : tail.text;
      if (cost(part) > budget) {
        const [first] = codePoints(isHead ? bytes : bytes.subarray(at), encoding);
        must(first?.length === length, 'more than the budget is one character');
      }
    },
  },
  {
    ...material,
    name: 'visible',
    run(input, random) {
      const text = textOf(input, random);
      const { text: shown, escaped } = makeVisible(text);
      must(escaped > 0 || shown === text, 'what needs no escape is as it was');
      must(shown.isWellFormed(), 'what is shown is well-formed');
      must(!SHOWN_CONTROL.test(shown), 'nothing that acts is shown');
      must(visibleBytes(text) === Buffer.byteLength(shown), 'cost and display agree');
      must(makeVisible(shown).escaped === 0, 'what is shown stays');
      const plain = plainHead(text);
      must(
        plain >= 0 && plain <= text.length && makeVisible(text.slice(0, plain)).escaped === 0,
        'a plain head is plain',
      );
      const hidden = text.match(HIDDEN)?.reduce((sum, run) => sum + run.length, 0) ?? 0;
      must(escaped <= hidden, 'nothing else is escaped');
      const line = oneLine(text);
      must(!/[\n\r\t]/.test(line), 'a name is one line');
      must(quote(text).length <= 2_001, 'what is quoted is bounded');
    },
  },
  {
    ...material,
    name: 'terminal',
    run(input, random) {
      const text = textOf(input, random);
      const newline = text.indexOf('\n');
      const line = newline === -1 ? text : text.slice(0, newline + 1);
      const shown = terminalText(line);
      must(shown.length <= line.length, 'a line grows no longer');
      must(shown.endsWith('\n') === (newline !== -1), 'its end stays');
      must(!/[\r\b]/.test(shown), 'no move is left');
    },
  },
  {
    ...material,
    name: 'tokens and binary',
    run(input, random) {
      const text = textOf(input, random);
      const tokens = estimateTokens(text);
      must(
        Number.isSafeInteger(tokens) && 4 * tokens >= text.length && tokens <= text.length,
        'tokens are bounded',
      );
      const copies = 1 + random.below(8);
      const bytes = Buffer.alloc(input.length * copies, input);
      const { invalid } = decode(bytes, unicodeEncoding('utf-8'));
      const isBinary = looksBinary(bytes, invalid);
      must(!isBinary || bytes.length >= 256, 'a short output is shown');
      must(!isBinary || bytes.some((byte) => byte < 0x20), 'only controls make it binary');
    },
  },
  {
    ...material,
    name: 'encoding of a text',
    run(input, random) {
      const encoding = encodingOfText(input, opinions(random));
      must(encoding.bom <= input.length, 'a mark lies in the text');
      must(decode(input.subarray(encoding.bom), encoding).text.isWellFormed(), 'it can be decoded');
      const named = encodingNamed(random.pick(['utf-16', 'UTF8', 'latin-1', 'cp936', 'x']), 'told', input);
      must(named === undefined || named.bom <= input.length, 'a mark of the named one, too');
    },
  },
  {
    ...material,
    name: 'words of a shell',
    run(input) {
      const path = input.toString();
      if (path.includes('\0')) return;
      const word = shellWord(path);
      must(!/[\n\r]/.test(word), 'a command is one line');
      const parsed = shellWordsOf(word);
      must(parsed?.length === 1, 'a path is one word');
      must(parsed[0] === (path.startsWith('-') ? `./${path}` : path), 'the word is the path');
    },
  },
  {
    ...material,
    name: 'percent and JSON',
    run(input) {
      must(same(percentDecode(percentEncode(input), Buffer.from), input), 'escapes are read back');
      const text = input.toString();
      const bytes = percentDecode(text, Buffer.from);
      must(bytes.length <= input.length * 3, 'what is decoded is no longer');
      if (!text.includes('%')) must(bytes.toString() === text, 'without escapes it is the text');
      const json = safeJson(text);
      must(JSON.parse(json) === text, 'JSON is read back');
      must(!/[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/.test(json), 'JSON shows nothing that acts');
    },
  },
  {
    ...material,
    name: 'names and notices',
    run(input, random) {
      const text = input.toString();
      const near = nearNames(text, NAMES);
      must(near.length <= 5 && near.every((name) => NAMES.includes(name)), 'near names are names');
      const long = text.repeat(1 + random.below(64));
      const sentence = bounded(`[${long}. Use ${text}]`, [text]);
      must(Buffer.byteLength(sentence) <= 1_022 + 4_096, 'a notice is bounded');
      must(sentence.isWellFormed(), 'a notice is well-formed');
    },
  },
];
