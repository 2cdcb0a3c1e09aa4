/** The answer to a read in the default wording: the text with its notices, and the same facts as details. */

import { writeSelector } from '../selector/selection.ts';
import type { Answer, Block } from '../types/answer.ts';
import type { Limits } from '../types/limits.ts';
import type { Notice } from '../types/notice.ts';
import type { BinaryResult, ReadResult, TextResult } from '../types/result.ts';
import { withNotices } from './answer.ts';
import { displays, GAP, isNumbered, showParts } from './display.ts';
import { detailOf, say, sentence, type Wording } from './notices.ts';
import { readNotices, shownLines } from './read-notices.ts';
import { summaryAnswer } from './summary-answer.ts';

export function readAnswer(result: ReadResult, words: Wording): Answer {
  const prefix = result.suffix ? `${say({ kind: 'suffix', ...result.suffix }, words)}\n` : '';
  switch (result.is) {
    case 'text':
      return textOf(result, prefix, words);
    case 'summary':
      return summaryAnswer(result, prefix, originFacts(result), words);
    case 'binary':
      return noteOf(result, binaryNotice(result), prefix, words);
    case 'note':
      return noteOf(result, result.resource.note, prefix, words);
    case 'image': {
      const { text, image, notes = [] } = result.resource;
      const blocks: Block[] = [{ type: 'text', text: prefix + withNotices(text, notes, words) }];
      if (image) blocks.push(imageBlock(image));
      const notices = notes.map((notice) => detailOf(notice, words));
      return { content: blocks, details: { ...originFacts(result), notices }, isError: false };
    }
  }
}

function textOf(result: TextResult, prefix: string, words: Wording): Answer {
  const { excerpt, display, snapshot, selection } = result;
  const notices = readNotices(result);
  const gap = isNumbered(display) || display === displays.plain ? GAP : '';
  const body = showParts(excerpt.parts, display, gap);
  const header = snapshot && body !== '' ? `${snapshot.header}\n` : '';
  const images = (result.images ?? []).map(imageBlock);
  const { pastEnd } = excerpt;
  const details = {
    ...textFacts(result),
    ...(excerpt.next && {
      truncation: {
        by: excerpt.cutBy,
        shown: {
          ...(shownLines(excerpt).length > 0 && { lines: shownLines(excerpt) }),
          ...(excerpt.span && { bytes: [excerpt.span.start, excerpt.span.end] }),
        },
        next: result.target + writeSelector(excerpt.next, selection.mode),
      },
    }),
    ...(snapshot && { snapshot: snapshot.tag }),
    ...(notices.length > 0 && { notices: notices.map((notice) => detailOf(notice, words)) }),
    ...(pastEnd && { error: pastEndError(notices, words) }),
  };
  return {
    content: [{ type: 'text', text: prefix + header + withNotices(body, notices, words) }, ...images],
    details,
    isError: false,
  };
}

/** Not a failure, but hosts may want to branch on it. */
function pastEndError(notices: readonly Notice[], words: Wording): Record<string, unknown> {
  const notice = notices.at(-1);
  const next = notice?.kind === 'past-end' ? notice.use[0] : undefined;
  const message = notice ? sentence(notice, words) : '';
  return { code: 'OUT_OF_RANGE', message, ...(next !== undefined && { next }) };
}

function noteOf(
  result: Exclude<ReadResult, TextResult>,
  notice: Notice,
  prefix: string,
  words: Wording,
): Answer {
  const details = { ...originFacts(result), notices: [detailOf(notice, words)] };
  return { content: [{ type: 'text', text: prefix + say(notice, words) }], details, isError: false };
}

function binaryNotice({ target, type, bytes, selection }: BinaryResult): Notice {
  const part = selection.typed === undefined || selection.mode !== undefined ? '' : `:${selection.typed}`;
  return { kind: 'binary', target, type, ...(bytes !== undefined && { bytes }), use: `${target}${part}:raw` };
}

function imageBlock({ mimeType, data }: { mimeType: string; data: Uint8Array }): Block {
  return { type: 'image', mimeType, data: Buffer.from(data).toString('base64') };
}

/** What was read. */
function originFacts(result: ReadResult): Record<string, unknown> {
  const { target, resolvedPath, kind, suffix, facts } = result;
  return {
    source: target,
    resolvedPath,
    kind,
    ...(suffix && { suffixResolution: suffix }),
    ...(Object.keys(facts).length > 0 && { meta: facts }),
  };
}

/** What was read, by which window, and what it is part of. */
export function textFacts(result: TextResult): Record<string, unknown> {
  const { selection, excerpt, encoding } = result;
  return {
    ...originFacts(result),
    ...(selection.window && { window: selection.window }),
    ...(selection.mode && { mode: selection.mode }),
    totals: excerpt.totals,
    ...(encoding.name !== 'utf-8' && { encoding: encoding.name }),
    ...(encoding.bom > 0 && { byteOrderMark: true }),
    ...(excerpt.invalid > 0 && { invalid: excerpt.invalid }),
    limits: jsonLimits(result.limits),
  };
}

/** JSON has no infinity: a limit that is none is left out. */
function jsonLimits(limits: Limits): Record<string, number> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => Number.isFinite(value)));
}
