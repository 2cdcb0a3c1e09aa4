/** A read: what was typed, what it names, what kind of thing that is. */

import { schemeOf } from '../sources/table.ts';
import type { Call } from '../types/call.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { LinesRequest, ReadRequest } from '../types/request.ts';
import type { Resource } from '../types/resource.ts';
import type { LinesResult, Origin, ReadResult } from '../types/result.ts';
import { type Asked, readText } from './read-text.ts';
import { findTarget } from './target.ts';

export async function read(request: ReadRequest, call: Call, policy: TextPolicy): Promise<ReadResult> {
  const { target, grammar, window, outlineOver } = request;
  const asked: Asked =
    grammar === 'selectors'
      ? { summarize: call.settings.summarize }
      : {
          selection: window ? { window } : {},
          summarize: false,
          ...(outlineOver !== undefined && { outlineOver }),
        };
  return readFound(await resolve(target, grammar, call), asked, call, policy);
}

export async function readLines(request: LinesRequest, call: Call, policy: TextPolicy): Promise<LinesResult> {
  const { path, range, wholeUpTo = Number.POSITIVE_INFINITY, on } = request;
  if (on !== undefined) return (await import('./read-in-workspace.ts')).readInWorkspace(request, on, call);
  const found = await resolve(path, 'literal', call);
  const { resource } = found;
  if (resource.is === 'text' && (resource.bytes.size ?? 0) > wholeUpTo) {
    return { ...originOf(found), is: 'too-large', bytes: resource.bytes.size ?? 0, most: wholeUpTo };
  }
  const selection = { window: { by: 'lines', ranges: [range], context: false } } as const;
  return readFound(found, { selection, summarize: false }, call, policy);
}

type Found = Pick<Origin, 'target' | 'resolvedPath' | 'suffix'> & { readonly resource: Resource };

async function resolve(target: string, grammar: 'selectors' | 'literal', call: Call): Promise<Found> {
  const named = grammar === 'selectors' ? schemeOf(target) : undefined;
  if (named) {
    const resource = await named.scheme.open(named.rest, call);
    const url = resource.is === 'text' ? resource.target : target;
    return { resource, target: url, resolvedPath: url };
  }
  const { subject, suffix } = await findTarget(target, grammar, call);
  const resource = await call.open(subject);
  return { resource, target: subject.typed, resolvedPath: subject.path, ...(suffix && { suffix }) };
}

function originOf({ resource, ...found }: Found): Origin {
  return { ...found, kind: resource.kind, facts: ('facts' in resource && resource.facts) || {} };
}

async function readFound(found: Found, asked: Asked, call: Call, policy: TextPolicy): Promise<ReadResult> {
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
