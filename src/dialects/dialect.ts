/**
 * What a dialect is: the names, parameters, limits and words of one tool surface, declared as data over the one
 * engine. A dialect has no features of its own.
 */

import type { z, ZodType } from 'zod';
import type { Order } from '../engine/open-call.ts';
import type { OrielError, Place } from '../errors.ts';
import { errorAnswer } from '../render/answer.ts';
import type { Answer } from '../types/answer.ts';
import type { Window } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { Request } from '../types/request.ts';
import type { Result } from '../types/result.ts';
import type { Settings } from '../types/settings.ts';
import { cutPolicy } from '../window/fit.ts';
import type { Fields } from './lenient.ts';

/** What of zod tools may be declared with. */
export type Zod = Pick<
  typeof z,
  'boolean' | 'enum' | 'int' | 'number' | 'preprocess' | 'strictObject' | 'string'
>;

/** The input of a tool whose fields are declared as `fields(zod)`. */
export type InputOf<Declared extends (zod: Zod) => z.core.$ZodShape> = z.output<
  z.ZodObject<ReturnType<Declared>, z.core.$strict>
>;

/** What a tool does to the world, as hosts ask it. */
export interface Effects {
  readonly readOnly: boolean;
  /** May undo or overwrite something. */
  readonly destructive: boolean;
  /** The same call again changes nothing more. */
  readonly idempotent: boolean;
  /** Reaches beyond this machine. */
  readonly openWorld: boolean;
}

export const reads: Effects = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

/** The same, of web pages too. */
export const readsWeb: Effects = { ...reads, openWorld: true };

/** Whatever the command does. */
export const runs: Effects = { readOnly: false, destructive: true, idempotent: false, openWorld: true };

/** What is switched on beside a tool: descriptions name nothing else. */
export interface Offered {
  readonly bash: boolean;
  readonly settings: Pick<
    Settings,
    | 'display'
    | 'summarize'
    | 'mapBytes'
    | 'imageMetadataOnly'
    | 'schemes'
    | 'web'
    | 'mcpServers'
    | 'agentOutputs'
    | 'workspaces'
  >;
}

/** A tool as a dialect declares it. `answer` gets the result that belongs to the requests of `request`. */
export interface ToolSpec<Input, R extends Request> {
  readonly name: string;
  readonly title: string;
  readonly effects: Effects;
  /** A call that is accepted: what the error for a bad one names. */
  readonly example: Input;
  /** For the model: what it does, what bounds it, how to continue; nothing that is switched off. Under 2,000 characters. */
  about(limits: Limits, offered: Offered): string;
  /** Given the library, so that a face which checks its own input does not load it. */
  input(zod: Zod): ZodType<Input>;
  /** Fields that the schema does not have, as those that mean the same. Throws OrielError (`BAD_INPUT`). */
  adapt?(input: Fields): Fields;
  /** Pure. Throws OrielError (`BAD_INPUT`) for what a schema cannot say. */
  request(input: Input, limits: Limits): R;
  /** The dialect's limits for this call, where the input changes them. */
  limits?(input: Input, limits: Limits): Limits;
  policy?(input: Input, limits: Limits): TextPolicy;
  answer(result: Result<R>, input: Input, limits: Limits): Answer;
  /** `input` with the lines that followed its path in its own fields; undefined if those are taken. */
  placed?(input: Input, place: Place): Input | undefined;
  /** How a failure is worded; one sentence when absent. `input` is absent if it did not fit the schema. */
  failure?(error: OrielError, input?: Input): Answer;
}

/** One accepted call: what the engine is asked, and how its result is worded. */
export interface Prepared<A> extends Order {
  /** `result` is that of `request`. */
  answer(result: Result): A;
}

/** What can be called: by a model as a tool, or by a face for answers of another shape. */
export interface Callable<A> {
  readonly name: string;
  /** `accepted` has passed the schema, or was made by a face to fit it. Throws OrielError (`BAD_INPUT`). */
  prepare(accepted: unknown, limits: Limits): Prepared<A>;
  /** `accepted` with the lines that follow its path as fields; undefined if it has no place for them. */
  placed?(accepted: unknown, place: Place): unknown;
  /** `accepted` as in `prepare`, where it came so far. */
  failure(error: OrielError, accepted?: unknown): A;
}

/** A tool whose input type is its own business. */
export interface DeclaredTool extends Callable<Answer> {
  readonly title: string;
  readonly effects: Effects;
  /** A call that is accepted. */
  readonly example: Fields;
  about(limits: Limits, offered: Offered): string;
  schema(zod: Zod): ZodType;
  /** An input that the schema refused, put right where the tool takes it anyway. Throws as `prepare`. */
  adapt(input: unknown): unknown;
}

/** Where a dialect does what a law forbids, because its origin demands it. Tests hold it to exactly this. */
export interface Departure {
  readonly law: number;
  readonly tool: string;
  readonly why: string;
}

export interface Dialect {
  readonly name: string;
  readonly limits: Limits;
  readonly tools: readonly DeclaredTool[];
  /** Whether the text of an answer is JSON, in which a text takes more bytes than it has. */
  readonly answersJson?: boolean;
  readonly departs: readonly Departure[];
}

/** Puts a tool with its own input type into a dialect's list. */
export function tool<Input, R extends Request>(spec: ToolSpec<Input, R>): DeclaredTool {
  const { name, title, effects } = spec;
  return {
    name,
    title,
    effects,
    example: spec.example as Fields,
    about: (limits, offered) => spec.about(limits, offered),
    schema: (zod) => spec.input(zod),
    adapt: (input) =>
      spec.adapt && typeof input === 'object' && input !== null && !Array.isArray(input)
        ? spec.adapt(input as Fields)
        : input,
    prepare(accepted, dialectLimits) {
      const input = accepted as Input;
      const limits = spec.limits?.(input, dialectLimits) ?? dialectLimits;
      return {
        request: spec.request(input, limits),
        limits,
        policy: spec.policy?.(input, limits) ?? cutPolicy,
        answer: (result: Result<R>) => spec.answer(result, input, limits),
      };
    },
    placed: (accepted, place) => spec.placed?.(accepted as Input, place),
    failure: (error, accepted) => spec.failure?.(error, accepted as Input | undefined) ?? errorAnswer(error),
  };
}

/** `limit` lines from line `offset` (1-based); to the end without a limit. */
export function lineRange(offset = 1, limit?: number): Window {
  const to = limit === undefined ? undefined : Math.min(offset + limit - 1, Number.MAX_SAFE_INTEGER);
  return { by: 'lines', ranges: [{ from: offset, ...(to !== undefined && { to }) }], context: false };
}
