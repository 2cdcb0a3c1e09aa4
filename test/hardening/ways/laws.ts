/** What every answer of every way is held to, whatever was asked. */

import { expect } from 'vitest';
import type { Case, Step } from './case.ts';
import { SECRET } from './place.ts';
import { INTERNAL_SECRET } from './site.ts';
import type { Reply } from './way.ts';

/** Bytes of the text of one answer. */
const MOST_BYTES = 65_536;

const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;
const STACK = /^\s+at .+:\d+:\d+\)?$/m;

export function holdToLaws(reply: Reply, { mostBytes = MOST_BYTES }: Case): void {
  const { text, bytes, isError, code, details } = reply;
  expect(bytes, 'a byte from outside').not.toContain(SECRET);
  expect(bytes, 'a byte of a site that may not be read').not.toContain(INTERNAL_SECRET);
  expect(bytes, 'a byte of /etc/passwd').not.toContain('root:x:0');
  expect(Buffer.byteLength(text), 'bytes of the answer').toBeLessThanOrEqual(mostBytes);
  expect(text.isWellFormed(), 'well-formed Unicode').toBe(true);
  expect(text.match(CONTROLS), 'control characters').toBeNull();
  expect(code, text).not.toBe('INTERNAL');
  expect(code, text).not.toBe('unnamed');
  if (!isError || code === 'EXIT' || code === 'TIMED_OUT') return;
  const { message = text } = (details['error'] ?? {}) as { message?: string };
  expect(message, 'an error of one line').not.toContain('\n');
  expect(message.length, 'characters of an error').toBeLessThanOrEqual(1_000);
  expect(bytes, 'a stack').not.toMatch(STACK);
}

export function holdToStep(reply: Reply | undefined, step: Step): void {
  const { code = 'OK', is, has = [], lacks = [], images } = step;
  const what = `${step.tool} ${JSON.stringify(step.input).slice(0, 300)}`;
  if (reply === undefined) return expect(step.cancelWhen, `${what} was not answered`).toBeDefined();
  const codes = step.cancelWhen ? ['CANCELLED', 'EXIT'] : [code].flat();
  expect(codes, `${what}: ${reply.text.slice(0, 500)}`).toContain(reply.code);
  if (is !== undefined) expect(reply.text, what).toBe(is);
  for (const part of [has].flat()) {
    if (typeof part === 'string') expect(reply.text, what).toContain(part);
    else expect(reply.text, what).toMatch(part);
  }
  for (const part of [lacks].flat()) {
    if (typeof part === 'string') expect(reply.text, what).not.toContain(part);
    else expect(reply.text, what).not.toMatch(part);
  }
  if (images !== undefined) expect(reply.images, what).toBe(images);
}
