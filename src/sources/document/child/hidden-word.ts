/** Removes hidden text from the XML of a .docx. In cases of doubt text is kept. */

import { type Attributes, type Place, type Range, walk, without } from './walk-xml.ts';

/** The longest chain of parent styles that is followed. */
const MOST_PARENTS = 50;

interface Style {
  vanishes?: boolean;
  parent?: string;
}

/** Styles of Word by `type/identifier`; with an empty identifier, the default style of the type. */
export type WordStyles = ReadonlyMap<string, Style>;

const VANISH = /<(?:\w+:)?vanish[\s/>]/;

/** What is noted about an element: for a run its properties, its paragraph, and the ranges to cut if it is hidden. */
interface Noted extends Style {
  readonly local: string;
  paragraph: Noted | undefined;
  readonly cuts: Range[];
  style?: string;
  holdsBox?: boolean;
  keeps?: boolean;
}

export function wordStyles(xml: string): WordStyles {
  const styles = new Map<string, Style>();
  if (!VANISH.test(xml)) return styles;
  const isWhole = walk<Noted>(xml, {
    open(name, attributes, parent) {
      const noted = note(name, attributes, parent);
      if (noted.local !== 'style') return noted;
      const type = valueOf(attributes, 'type') ?? 'paragraph';
      styles.set(`${type}/${valueOf(attributes, 'styleId') ?? ''}`, noted);
      if (isOn(valueOf(attributes, 'default') ?? '0')) styles.set(`${type}/`, noted);
      return noted;
    },
  });
  return isWhole ? styles : new Map();
}

/** The part without hidden runs: hidden by their own property, or by the style of the run or its paragraph. */
export function shownWord(xml: string, styles: WordStyles): string {
  if (styles.size === 0 && !VANISH.test(xml)) return xml;
  const cuts: Range[] = [];
  const isWhole = walk<Noted>(xml, {
    open: note,
    close({ noted, start, parent }, end) {
      if (noted.local === 'r' && isHidden(noted, styles)) {
        // Not `push(...)`: a run may contain more elements than a call can have arguments.
        if (noted.keeps) for (const cut of noted.cuts) cuts.push(cut);
        else cuts.push([start, end]);
      }
      if (!parent) return;
      if (noted.holdsBox) parent.noted.holdsBox = true;
      if (parent.noted.local !== 'r' || noted.local === 'rPr') return;
      if (noted.holdsBox || STAYING.has(noted.local)) parent.noted.keeps = true;
      else parent.noted.cuts.push([start, end]);
    },
  });
  return isWhole ? without(xml, cuts) : xml;
}

/** Elements that stay in a hidden run: fields continue after it, and comments refer to more than it. */
const STAYING: ReadonlySet<string> = new Set(['fldChar', 'instrText', 'commentReference']);

/** Notes an element, and records its properties at the run, paragraph or style that they belong to. */
function note(name: string, attributes: Attributes, parent: Place<Noted> | undefined): Noted {
  const local = name.slice(name.indexOf(':') + 1);
  const noted: Noted = { local, paragraph: parent?.noted.paragraph, cuts: [] };
  if (local === 'p') noted.paragraph = noted;
  if (local === 'txbxContent') noted.holdsBox = true;
  // Properties from before a tracked change are nested deeper, and are ignored by matching the exact path.
  const holder = parent?.parent?.noted;
  const within = `${holder?.local}/${parent?.noted.local}/${local}`;
  if (holder && /^(?:r|style)\/rPr\/vanish$/.test(within))
    holder.vanishes = isOn(valueOf(attributes, 'val') ?? '1');
  if (holder && (within === 'r/rPr/rStyle' || within === 'p/pPr/pStyle'))
    holder.style = valueOf(attributes, 'val') ?? '';
  if (parent?.noted.local === 'style' && local === 'basedOn')
    parent.noted.parent = valueOf(attributes, 'val') ?? '';
  return noted;
}

/**
 * `vanish` is a toggle property: set by both the paragraph style and the run style, it is off. A run style that explicitly
 * shows its text wins, as in LibreOffice. Source: ECMA-376-1, 17.7.3.
 */
function isHidden(run: Noted, styles: WordStyles): boolean {
  if (run.vanishes !== undefined) return run.vanishes;
  const ofParagraph = hides(styles, 'paragraph', run.paragraph?.style) ?? false;
  const ofRun = hides(styles, 'character', run.style);
  return ofRun === undefined ? ofParagraph : ofRun && !ofParagraph;
}

/** Whether a style or one of its parents hides text; undefined if none says. */
function hides(styles: WordStyles, type: string, id = ''): boolean | undefined {
  let style = styles.get(`${type}/${id}`);
  for (let i = 0; style && i < MOST_PARENTS; i += 1) {
    if (style.vanishes !== undefined) return style.vanishes;
    style = style.parent === undefined ? undefined : styles.get(`${type}/${style.parent}`);
  }
  return undefined;
}

const isOn = (value: string): boolean => !['0', 'false', 'off'].includes(value);

function valueOf(attributes: Attributes, local: string): string | undefined {
  for (const name in attributes) if (name === local || name.endsWith(`:${local}`)) return attributes[name];
  return undefined;
}
