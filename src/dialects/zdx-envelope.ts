/** Shared parts of zdx's tools: the JSON envelope of answers, and numbers that may be given as strings. */

import type { ZodType } from 'zod';
import type { OrielError } from '../errors.ts';
import { textAnswer } from '../render/answer.ts';
import { safeJson } from '../text/json.ts';
import type { Answer } from '../types/answer.ts';
import type { Zod } from './dialect.ts';

/** `{"ok":true,"data":{…}}` */
export function success(data: Record<string, unknown>, details: Record<string, unknown>): Answer {
  return textAnswer(safeJson({ ok: true, data }), details);
}

/** `{"ok":false,"error":{"code":…,"message":…}}` */
export function failure({ code, message, next }: OrielError): Answer {
  const error = { code, message };
  const details = { error: { ...error, ...(next !== undefined && { next }) } };
  return textAnswer(safeJson({ ok: false, error }), details, true);
}

/** The schema `number`, which also accepts a decimal number in a string. */
export function numeric(zod: Zod, number: ZodType<number>): ZodType<number> {
  return zod.preprocess(
    (value) => (typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value),
    number,
  );
}
