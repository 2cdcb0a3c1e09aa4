/** Removes hidden text from the XML of text documents. In cases of doubt text is kept. */

import {
  replaceRanges,
  walkXml,
  type XmlAttributes,
  type XmlPlace,
  type XmlReplacement,
} from './xml-walk.ts';

/** The longest chain of parent styles that is followed. */
export const MAX_STYLE_PARENTS = 50;

interface HidingStyle {
  hides?: boolean | undefined;
  parent?: string | undefined;
}

/** Whether a style or one of its parents hides text; undefined if none says. */
function hidesText(
  first: HidingStyle | undefined,
  named: (parent: string) => HidingStyle | undefined,
): boolean | undefined {
  let style = first;
  for (let i = 0; style && i < MAX_STYLE_PARENTS; i += 1) {
    if (style.hides !== undefined) return style.hides;
    style = style.parent === undefined ? undefined : named(style.parent);
  }
  return undefined;
}

// The XML of a .docx.

/** Styles of Word by `type/identifier`; with an empty identifier, the default style of the type. */
type WordStyles = ReadonlyMap<string, HidingStyle>;

const VANISH = /<(?:\w+:)?vanish[\s/>]/;

/** What is noted about an element: for a run its properties, its paragraph, and the ranges to cut if it is hidden. */
interface WordNote extends HidingStyle {
  readonly local: string;
  paragraph: WordNote | undefined;
  readonly cuts: XmlReplacement[];
  style?: string | undefined;
  holdsBox?: boolean | undefined;
  keeps?: boolean | undefined;
}

export function wordStyles(xml: string): WordStyles {
  const styles = new Map<string, HidingStyle>();
  if (!VANISH.test(xml)) return styles;
  const isWhole = walkXml<WordNote>(xml, {
    open(name, attributes, parent) {
      const noted = note(name, attributes, parent);
      if (noted.local !== 'style') return noted;
      const type = valueOf(attributes, 'type') ?? 'paragraph';
      styles.set(`${type}/${valueOf(attributes, 'styleId') ?? ''}`, noted);
      if (isOnValue(valueOf(attributes, 'default') ?? '0')) styles.set(`${type}/`, noted);
      return noted;
    },
  });
  return isWhole ? styles : new Map();
}

/** The part without hidden runs: hidden by their own property, or by the style of the run or its paragraph. */
export function shownWord(xml: string, styles: WordStyles): string {
  if (styles.size === 0 && !VANISH.test(xml)) return xml;
  const cuts: XmlReplacement[] = [];
  const isWhole = walkXml<WordNote>(xml, {
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
  return isWhole ? replaceRanges(xml, cuts) : xml;
}

/** Elements that stay in a hidden run: fields continue after it, and comments refer to more than it. */
const STAYING: ReadonlySet<string> = new Set(['fldChar', 'instrText', 'commentReference']);

/** Notes an element, and records its properties at the run, paragraph or style that they belong to. */
function note(name: string, attributes: XmlAttributes, parent: XmlPlace<WordNote> | undefined): WordNote {
  const local = name.slice(name.indexOf(':') + 1);
  const noted: WordNote = { local, paragraph: parent?.noted.paragraph, cuts: [] };
  if (local === 'p') noted.paragraph = noted;
  if (local === 'txbxContent') noted.holdsBox = true;
  // Properties from before a tracked change are nested deeper, and are ignored by matching the exact path.
  const holder = parent?.parent?.noted;
  const within = `${holder?.local}/${parent?.noted.local}/${local}`;
  if (holder && /^(?:r|style)\/rPr\/vanish$/.test(within))
    holder.hides = isOnValue(valueOf(attributes, 'val') ?? '1');
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
function isHidden(run: WordNote, styles: WordStyles): boolean {
  if (run.hides !== undefined) return run.hides;
  const ofParagraph = hidesInWord(styles, 'paragraph', run.paragraph?.style) ?? false;
  const ofRun = hidesInWord(styles, 'character', run.style);
  return ofRun === undefined ? ofParagraph : ofRun && !ofParagraph;
}

const hidesInWord = (styles: WordStyles, type: string, id = ''): boolean | undefined =>
  hidesText(styles.get(`${type}/${id}`), (parent) => styles.get(`${type}/${parent}`));

export const isOnValue = (value: string): boolean => !['0', 'false', 'off'].includes(value);

function valueOf(attributes: XmlAttributes, local: string): string | undefined {
  for (const name in attributes) if (name === local || name.endsWith(`:${local}`)) return attributes[name];
  return undefined;
}

// The XML of an .odt.

/** Styles by `family/name`, because a name is unique only within its family. */
type Styles = Map<string, HidingStyle>;

/** Common styles apply to all parts, automatic ones only to the part that contains them. */
interface StylesOfPart {
  readonly common: Styles;
  readonly automatic: Styles;
}

function stylesOf(xml: string): StylesOfPart {
  const styles: StylesOfPart = { common: new Map(), automatic: new Map() };
  const isWhole = walkXml<HidingStyle | undefined>(xml, {
    open(name, attributes, parent) {
      const display = attributes['text:display'];
      if (name === 'style:text-properties' && parent?.noted && display !== undefined)
        parent.noted.hides = display === 'none';
      if (name !== 'style:style') return undefined;
      const family = attributes['style:family'] ?? '';
      const style: HidingStyle = { parent: `${family}/${attributes['style:parent-style-name'] ?? ''}` };
      const where = parent?.name === 'office:styles' ? styles.common : styles.automatic;
      where.set(`${family}/${attributes['style:name'] ?? ''}`, style);
      return style;
    },
  });
  return isWhole ? styles : { common: new Map(), automatic: new Map() };
}

const hidesInOdf = (key: string, { common, automatic }: StylesOfPart): boolean | undefined =>
  hidesText(automatic.get(key) ?? common.get(key), (parent) => common.get(parent));

/** `text`: characters are hidden, but inner elements may be visible again; `all`: a section or field with all its content. */
type OdfHiddenText = 'no' | 'text' | 'all';

interface OdfNote {
  readonly hidden: OdfHiddenText;
  readonly isBody: boolean;
  paragraph: OdfNote | undefined;
  holdsShown: boolean;
  holdsBox: boolean;
  isHiddenByField: boolean;
}

const FAMILIES: Readonly<Record<string, string>> = {
  'text:span': 'text',
  'text:a': 'text',
  'text:p': 'paragraph',
  'text:h': 'paragraph',
};

/** Drawings and comments have texts of their own, which are not hidden with the surrounding text. */
const BOX = /^(?:draw:|office:annotation$)/;

const BODIES: ReadonlySet<string> = new Set(['office:body', 'office:master-styles']);

/** A part without its hidden text. `common` is the part styles.xml. */
export function shownOpen(xml: string, common: string): string {
  if (!/\s(?:text:display|text:is-hidden)\s*=/.test(xml + common)) return xml;
  const styles = { common: stylesOf(common).common, automatic: stylesOf(xml).automatic };
  const cuts: XmlReplacement[] = [];
  const isWhole = walkXml<OdfNote>(xml, {
    open(name, attributes, parent) {
      const above = parent?.noted;
      const isBody = above?.isBody || BODIES.has(name);
      const noted: OdfNote = {
        hidden: isBody ? hiddenOf(name, attributes, above?.hidden ?? 'no', styles) : 'no',
        isBody,
        paragraph: above?.paragraph,
        holdsShown: false,
        holdsBox: BOX.test(name),
        isHiddenByField: false,
      };
      if (name === 'text:hidden-paragraph' && attributes['text:is-hidden'] === 'true' && noted.paragraph)
        noted.paragraph.isHiddenByField = true;
      if (FAMILIES[name] === 'paragraph') noted.paragraph = noted;
      return noted;
    },
    text(start, end, { noted }) {
      if (noted.hidden === 'text') cuts.push([start, end]);
    },
    close({ noted, start, parent }, end) {
      const isGone = noted.hidden === 'no' ? noted.isHiddenByField && !noted.holdsBox : !noted.holdsShown;
      if (isGone) cuts.push([start, end]);
      if (!parent) return;
      parent.noted.holdsShown ||= noted.hidden === 'no' || noted.holdsShown;
      parent.noted.holdsBox ||= noted.holdsBox;
    },
  });
  return isWhole ? replaceRanges(xml, cuts) : xml;
}

function hiddenOf(
  name: string,
  attributes: XmlAttributes,
  above: OdfHiddenText,
  styles: StylesOfPart,
): OdfHiddenText {
  if (above === 'all') return 'all';
  const isOff = attributes['text:display'] === 'none' || attributes['text:is-hidden'] === 'true';
  if (isOff && name.startsWith('text:') && name !== 'text:hidden-paragraph') return 'all';
  if (BOX.test(name)) return 'no';
  const family = FAMILIES[name];
  if (family === undefined) return above;
  const own = hidesInOdf(`${family}/${attributes['text:style-name'] ?? ''}`, styles);
  return own === undefined ? above : own ? 'text' : 'no';
}
