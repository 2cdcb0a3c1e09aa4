/** Guesses the encoding of the names of a zip that does not declare it: East Asian programs store those of their system. */

/** An encoding of WHATWG whose characters have two bytes, or one below 0x80. */
interface NameEncoding {
  readonly encoding: string;
  isPair(lead: number, trail: number): boolean;
  /** Whether the characters with this start are common in names: kana, Hangul, or the frequent ideographs. */
  isCommon(lead: number, trail: number): boolean;
}

const within = (byte: number, from: number, to: number): boolean => byte >= from && byte <= to;

/** Where two fit equally, the first one is taken. */
const ENCODINGS: readonly NameEncoding[] = [
  {
    encoding: 'Shift_JIS',
    isPair: (lead, trail) => (within(lead, 0x81, 0x9f) || within(lead, 0xe0, 0xef)) && trail >= 0x40,
    isCommon: (lead, trail) =>
      within(lead, 0x88, 0x97) || lead === 0x83 || (lead === 0x82 && within(trail, 0x9f, 0xf1)),
  },
  {
    encoding: 'GBK',
    isPair: (lead, trail) => within(lead, 0x81, 0xfe) && within(trail, 0x40, 0xfe),
    isCommon: (lead, trail) => within(lead, 0xb0, 0xd7) && trail >= 0xa1,
  },
  {
    encoding: 'Big5',
    isPair: (lead, trail) => within(lead, 0xa1, 0xf9) && within(trail, 0x40, 0xfe),
    isCommon: (lead) => within(lead, 0xa4, 0xc6),
  },
];

/** Hangul syllables are among the ideographs of GBK. So many of them in a row are no Chinese by chance. */
const HANGUL = { encoding: 'EUC-KR', lastLead: 0xc8, pairs: 6 } as const;

/** The shares of characters that are common, and that stand beside another one: accents of code page 437 stand alone. */
const MIN_COMMON = 0.8;
const MIN_BESIDE = 0.7;

/** `names` are those of one archive that are not UTF-8. Undefined if no encoding fits well. */
export function guessNameEncoding(names: readonly Uint8Array[]): string | undefined {
  let best: { readonly encoding: string; readonly share: number } | undefined;
  for (const one of ENCODINGS) {
    const share = commonShare(names, one);
    if (share >= MIN_COMMON && share > (best?.share ?? 0)) best = { encoding: one.encoding, share };
  }
  return best?.encoding === 'GBK' && isHangul(names) ? HANGUL.encoding : best?.encoding;
}

/** The share of common characters; 0 if the bytes are not in this encoding. */
function commonShare(names: readonly Uint8Array[], { isPair, isCommon }: NameEncoding): number {
  let [pairs, common, beside] = [0, 0, 0];
  for (const name of names) {
    let run = 0;
    for (let at = 0; at < name.length; at += 1) {
      const [lead = 0, trail = 0] = name.subarray(at, at + 2);
      if (lead < 0x80) run = 0;
      else if (!isPair(lead, trail)) return 0;
      else {
        at += 1;
        run += 1;
        pairs += 1;
        if (isCommon(lead, trail)) common += 1;
        beside += run === 1 ? 0 : run === 2 ? 2 : 1;
      }
    }
  }
  return pairs === 0 || beside < MIN_BESIDE * pairs ? 0 : common / pairs;
}

function isHangul(names: readonly Uint8Array[]): boolean {
  const bytes = names.flatMap((name) => [...name].filter((byte) => byte >= 0x80));
  return bytes.length >= 2 * HANGUL.pairs && bytes.every((byte, i) => i % 2 === 1 || byte <= HANGUL.lastLead);
}
