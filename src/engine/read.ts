/** A read: what was typed, what it names, what kind of thing that is. */

import { isOrielError } from '../errors.ts';
import { endsInCodeQuestion, parseCodeQuestion } from '../selector/code-question.ts';
import { withSelector } from '../selector/rewrites.ts';
import { claimsArchive } from '../sources/archive/formats.ts';
import type { Scheme } from '../sources/schemes/scheme.ts';
import { isWeb, openWeb } from '../sources/web.ts';
import { oneLine } from '../text/visible.ts';
import type { Call } from '../types/call.ts';
import type { Notice } from '../types/notice.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { LinesRequest, ReadRequest } from '../types/request.ts';
import type { Resource, Subject } from '../types/resource.ts';
import type { LinesResult, Origin, ReadResult, SingleResult } from '../types/result.ts';
import type { CodeAnswer } from './code/read-code.ts';
import { type Asked, readText } from './read-text.ts';
import { findTarget, openAny } from './target.ts';

export async function read(request: ReadRequest, call: Call, policy: TextPolicy): Promise<ReadResult> {
  const one = (typed: ReadRequest, part: Call): Promise<SingleResult> => readOne(typed, part, policy);
  if (request.grammar !== 'selectors' || !request.target.includes(',')) return one(request, call);
  try {
    return await one(request, call);
  } catch (error) {
    if (!isOrielError(error)) throw error;
    const { readSeveral } = await import('./read-several.ts');
    const several = await readSeveral(request, error, one, call);
    if (several) return several;
    throw error;
  }
}

async function readOne(request: ReadRequest, call: Call, policy: TextPolicy): Promise<SingleResult> {
  const { target, grammar, window, outlineOver, tellsEnd } = request;
  const asked: Asked =
    grammar === 'selectors'
      ? { summarize: call.settings.summarize }
      : {
          selection: window ? { window } : {},
          summarize: false,
          ...(outlineOver !== undefined && { outlineOver }),
          ...(tellsEnd && { tellsEnd }),
        };
  return readFound(await resolve(target, grammar, call), asked, call, policy);
}

export async function readLines(request: LinesRequest, call: Call, policy: TextPolicy): Promise<LinesResult> {
  const { path, range, wholeUpTo = Number.POSITIVE_INFINITY, entries, on } = request;
  if (on !== undefined) return (await import('./read-in-workspace.ts')).readInWorkspace(request, on, call);
  let found: Found;
  try {
    found = await resolve(path, 'literal', call);
  } catch (error) {
    if (!entries || !isOrielError(error) || error.code !== 'IS_DIRECTORY') throw error;
    return (await import('./list.ts')).list({ do: 'list', path, ...entries }, call);
  }
  const { resource } = found;
  if (resource.is === 'text' && (resource.bytes.size ?? 0) > wholeUpTo) {
    return { ...originOf(found), is: 'too-large', bytes: resource.bytes.size ?? 0, most: wholeUpTo };
  }
  const selection = { window: { by: 'lines', ranges: [range], context: false } } as const;
  return readFound(found, { selection, summarize: false }, call, policy);
}

type Found = Pick<Origin, 'target' | 'resolvedPath' | 'suffix'> & { readonly resource: Resource };

async function resolve(target: string, grammar: 'selectors' | 'literal', call: Call): Promise<Found> {
  if (grammar === 'selectors' && isWeb(target) && !(await isPath(target, call))) {
    const resource = await openWeb(target, call);
    const url = resource.is === 'text' ? resource.target : target;
    return { resource, target: url, resolvedPath: url };
  }
  const named = grammar === 'selectors' && isUrl(target) ? await schemeOf(target, call) : undefined;
  if (named) {
    const resource = await named.scheme.open(named.rest, call);
    const url = resource.is === 'text' ? resource.target : target;
    return { resource, target: url, resolvedPath: url };
  }
  const { subject, suffix } = await findTarget(target, grammar, call);
  const answer = grammar === 'selectors' ? await answerAboutCode(subject, call) : undefined;
  if (answer) {
    if ('target' in answer) {
      const found = await resolve(answer.target, grammar, call);
      const { resource } = found;
      const isSame = resource.is === 'text' && answer.isAsParsed(resource.bytes.identity.key);
      return withPlace(isSame ? found : await resolve(answer.byName, grammar, call), answer);
    }
    return { ...answer, target: subject.typed, resolvedPath: subject.path, ...(suffix && { suffix }) };
  }
  try {
    const resource = await call.open(subject);
    return { resource, target: subject.typed, resolvedPath: subject.path, ...(suffix && { suffix }) };
  } catch (error) {
    // `a.zip:x.ts#L3`: the archive exists, and has no member of that name.
    const located = grammar === 'selectors' && isOrielError(error) ? withSelector(target) : undefined;
    if (located === undefined) throw error;
    return resolve(located, grammar, call).catch(() => {
      throw error;
    });
  }
}

/** Undefined where nothing is asked about the code of a directory or an archive, or about who uses a file. */
async function answerAboutCode(subject: Subject, call: Call): Promise<CodeAnswer | undefined> {
  const { typed, rest, opened } = subject;
  if (endsInCodeQuestion(rest) && claimsArchive(subject))
    return (await import('./code/archive-code.ts')).answerInArchive(subject, call);
  const asked = parseCodeQuestion(typed, rest, opened.is);
  return asked && (await import('./code/read-code.ts')).answerCode(subject, asked, call);
}

/** The lines of a symbol that was asked for by its name alone say where they are. */
function withPlace(found: Found, { target }: { readonly target: string }): Found {
  const { resource } = found;
  if (resource.is !== 'text') return found;
  const place: Notice = { kind: 'said', text: `Declared in ${oneLine(target)}` };
  return { ...found, resource: { ...resource, notes: [...(resource.notes ?? []), place] } };
}

function isUrl(target: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(target);
}

async function schemeOf(
  target: string,
  { settings }: Call,
): Promise<{ scheme: Scheme; rest: string } | undefined> {
  return (await import('../sources/schemes/table.ts')).schemeOf(target, settings);
}

/** A directory may be called like a host: `www.example.com`. */
async function isPath(target: string, call: Call): Promise<boolean> {
  if (!/^www\./i.test(target)) return false;
  const name = /^[^/:?#]+/.exec(target)?.[0] ?? target;
  const opened = await openAny(name, call).catch(() => undefined);
  await opened?.close();
  return opened !== undefined;
}

function originOf({ resource, ...found }: Found): Origin {
  const text = resource.is === 'mixed' ? resource.text : resource;
  return {
    ...found,
    kind: resource.kind,
    ...(text.is === 'text' && { identity: text.bytes.identity }),
    facts: ('facts' in resource && resource.facts) || {},
  };
}

async function readFound(found: Found, asked: Asked, call: Call, policy: TextPolicy): Promise<SingleResult> {
  const { resource } = found;
  const origin = originOf(found);
  switch (resource.is) {
    case 'image':
      return { ...origin, is: 'image', resource };
    case 'note':
      return { ...origin, is: 'note', resource };
    case 'mixed': {
      const result = await readText(resource.text, origin, asked, call, policy);
      if (result.is !== 'text' || !result.excerpt.span) return result;
      const { images, notes } = await resource.images(result.excerpt.span);
      return { ...result, images, notes: [...result.notes, ...notes] };
    }
    case 'text':
      return readText(resource, origin, asked, call, policy);
  }
}
