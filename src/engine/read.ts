/** Owns the way of a read below the gate: what was typed, what it names, what kind of thing that is. */

import { schemeOf } from '../sources/table.ts';
import type { Call } from '../types/call.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { ReadRequest } from '../types/request.ts';
import type { Resource } from '../types/resource.ts';
import type { Origin, ReadResult, TooLargeResult } from '../types/result.ts';
import { readText } from './read-text.ts';
import { findTarget } from './target.ts';

export async function read(
  request: ReadRequest,
  call: Call,
  policy: TextPolicy,
): Promise<ReadResult | TooLargeResult> {
  const { resource, ...found } = await resolve(request, call);
  const origin: Origin = {
    ...found,
    kind: resource.kind,
    facts: ('facts' in resource && resource.facts) || {},
  };
  switch (resource.is) {
    case 'image':
      return { ...origin, is: 'image', resource };
    case 'note':
      return { ...origin, is: 'note', resource };
    case 'mixed': {
      const result = await readText(resource.text, origin, request, call, policy);
      if (result.is !== 'text' || !result.excerpt.span) return result;
      const { images, notes } = await resource.images(result.excerpt.span);
      return { ...result, images, notes: [...result.notes, ...notes] };
    }
    case 'text':
      return readText(resource, origin, request, call, policy);
  }
}

type Resolved = Pick<Origin, 'target' | 'resolvedPath' | 'suffix'> & { readonly resource: Resource };

async function resolve({ target, grammar }: ReadRequest, call: Call): Promise<Resolved> {
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
