/** Removes hidden text from the XML of an .odt. In cases of doubt text is kept. */

import { type Attributes, type Range, walk, without } from './walk-xml.ts';

/** The longest chain of parent styles that is followed. */
const MOST_PARENTS = 50;

interface Style {
  hides?: boolean;
  readonly parent: string;
}

/** Styles by `family/name`, because a name is unique only within its family. */
type Styles = Map<string, Style>;

/** Common styles apply to all parts, automatic ones only to the part that contains them. */
interface StylesOfPart {
  readonly common: Styles;
  readonly automatic: Styles;
}

function stylesOf(xml: string): StylesOfPart {
  const styles: StylesOfPart = { common: new Map(), automatic: new Map() };
  const isWhole = walk<Style | undefined>(xml, {
    open(name, attributes, parent) {
      const display = attributes['text:display'];
      if (name === 'style:text-properties' && parent?.noted && display !== undefined)
        parent.noted.hides = display === 'none';
      if (name !== 'style:style') return undefined;
      const family = attributes['style:family'] ?? '';
      const style: Style = { parent: `${family}/${attributes['style:parent-style-name'] ?? ''}` };
      const where = parent?.name === 'office:styles' ? styles.common : styles.automatic;
      where.set(`${family}/${attributes['style:name'] ?? ''}`, style);
      return style;
    },
  });
  return isWhole ? styles : { common: new Map(), automatic: new Map() };
}

/** Whether a style or one of its parents hides text; undefined if none says. */
function hides(key: string, { common, automatic }: StylesOfPart): boolean | undefined {
  let style = automatic.get(key) ?? common.get(key);
  for (let i = 0; style && i < MOST_PARENTS; i += 1) {
    if (style.hides !== undefined) return style.hides;
    style = common.get(style.parent);
  }
  return undefined;
}

/** `text`: characters are hidden, but inner elements may be visible again; `all`: a section or field with all its content. */
type Hidden = 'no' | 'text' | 'all';

interface Noted {
  readonly hidden: Hidden;
  readonly isBody: boolean;
  paragraph: Noted | undefined;
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
  const cuts: Range[] = [];
  const isWhole = walk<Noted>(xml, {
    open(name, attributes, parent) {
      const above = parent?.noted;
      const isBody = above?.isBody || BODIES.has(name);
      const noted: Noted = {
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
  return isWhole ? without(xml, cuts) : xml;
}

function hiddenOf(name: string, attributes: Attributes, above: Hidden, styles: StylesOfPart): Hidden {
  if (above === 'all') return 'all';
  const isOff = attributes['text:display'] === 'none' || attributes['text:is-hidden'] === 'true';
  if (isOff && name.startsWith('text:') && name !== 'text:hidden-paragraph') return 'all';
  if (BOX.test(name)) return 'no';
  const family = FAMILIES[name];
  if (family === undefined) return above;
  const own = hides(`${family}/${attributes['text:style-name'] ?? ''}`, styles);
  return own === undefined ? above : own ? 'text' : 'no';
}
