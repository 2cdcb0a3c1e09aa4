/** Reads what the converter of slides leaves out: whether a slide is hidden, and its comments. */

import type { Aside } from './deck.ts';
import { contents, each } from './xml-elements.ts';
import { attribute, type Parts, plainText, relations } from './zip-parts.ts';

/** For a slide of a .pptx. Comments are in separate parts, of two kinds since 2021. */
export function packageAside(parts: Parts, slide: string): Aside {
  const root = /<(?:\w+:)?sld(?=\s)[^>]*>/.exec(parts.text(slide) ?? '')?.[0] ?? '';
  const said = [...relations(parts, slide).values()]
    .filter((name) => /\/comments\/[^/]+\.xml$/i.test(name))
    .map((name) => parts.text(name) ?? '');
  const names = said.length === 0 ? new Map<string, string>() : authors(parts);
  const comments = said.flatMap((xml) => {
    const found: Aside['comments'][number][] = [];
    const add = (content: string, tag: string): string => {
      const text = plainText(contents(content, '(?:p:text|a:t|text)').join(' '));
      if (text !== '') found.push({ by: names.get(attribute(tag, 'authorId') ?? '') ?? '', text });
      return '';
    };
    each(xml, '(?:\\w+:)?cm', (content, tag) => {
      const replies: [content: string, tag: string][] = [];
      const own = each(content, '(?:\\w+:)?reply', (...reply) => {
        replies.push(reply);
        return '';
      });
      add(own, tag);
      for (const reply of replies) add(...reply);
      return '';
    });
    return found;
  });
  return { isHidden: ['0', 'false'].includes(attribute(root, 'show') ?? ''), comments };
}

function authors(parts: Parts): Map<string, string> {
  const xml = (parts.text('ppt/commentAuthors.xml') ?? '') + (parts.text('ppt/authors.xml') ?? '');
  const tags = [...xml.matchAll(/<(?:\w+:)?(?:cmAuthor|author)(?=\s)[^>]*>/g)];
  return new Map(tags.map(([tag]) => [attribute(tag, 'id') ?? '', attribute(tag, 'name') ?? '']));
}

/** For a slide of an .odp. `front` is the XML before the slides, which has their styles. */
export function openAside(front: string, slide: string): Aside {
  const style = attribute(/^<[^>]*>/.exec(slide)?.[0] ?? '', 'draw:style-name');
  let isHidden = false;
  each(front, 'style:style', (content, tag) => {
    isHidden ||=
      style !== undefined &&
      attribute(tag, 'style:name') === style &&
      /\spresentation:visibility="hidden"/.test(content);
    return '';
  });
  const comments = contents(slide, 'office(?:ooo)?:annotation').map((content) => ({
    by: plainText(contents(content, 'dc:creator').join(' ')),
    text: plainText(each(content, '(?:dc|meta|loext):[\\w-]+', () => '')),
  }));
  return { isHidden, comments: comments.filter(({ text }) => text !== '') };
}
