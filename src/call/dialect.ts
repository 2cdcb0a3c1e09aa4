/**
 * The interface of a dialect: the names, parameters, limits and texts of a set of tools, declared as data. All dialects use
 * the same engine; a dialect has no features of its own.
 */

import type { z, ZodType } from 'zod';
import type { OrielError } from '../errors.ts';
import { errorAnswer } from '../render/notices.ts';
import { cutPolicy } from '../text/limits.ts';
import type { Answer } from '../types/answer.ts';
import type { Limits, TextPolicy, Window } from '../types/excerpt.ts';
import type { EngineRequest } from '../types/request.ts';
import type { EngineResult } from '../types/result.ts';
import type { Settings } from '../types/settings.ts';
import type { CallOrder } from './open-call.ts';
import type { InputFields } from './other-names.ts';

/** The parts of zod that tools may use for their fields. */
export type SchemaKit = Pick<
  typeof z,
  'boolean' | 'enum' | 'int' | 'number' | 'preprocess' | 'strictObject' | 'string'
>;

/** The input of a tool whose fields are declared as `fields(zod)`. */
export type InputOf<Declared extends (zod: SchemaKit) => z.core.$ZodShape> = z.output<
  z.ZodObject<ReturnType<Declared>, z.core.$strict>
>;

/** The side effects of a tool, as in the tool annotations of MCP. */
export interface Effects {
  readonly readOnly: boolean;
  /** It may delete or overwrite something. */
  readonly destructive: boolean;
  /** Repeating a call has no further effect. */
  readonly idempotent: boolean;
  /** It accesses the network. */
  readonly openWorld: boolean;
}

export const reads: Effects = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

/** The effects of a tool that also reads web pages. */
export const readsWeb: Effects = { ...reads, openWorld: true };

/** The effects of a tool that runs any command. */
export const runs: Effects = { readOnly: false, destructive: true, idempotent: false, openWorld: true };

/** What else is turned on: the description of a tool mentions nothing that is turned off. */
export interface OfferedFeatures {
  /** Whether the tool of that name is offered, too. */
  readonly offers: (tool: string) => boolean;
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

/** The declaration of a tool. `answer` receives the result of the request that `request` returned. */
export interface ToolSpec<Input, R extends EngineRequest> {
  readonly name: string;
  readonly title: string;
  readonly effects: Effects;
  /** A valid input, for the error about an invalid one. */
  readonly example: Input;
  /** The description for the model: what the tool does, its limits, how to continue. Less than 2,000 characters. */
  about(limits: Limits, offered: OfferedFeatures): string;
  /** The schema. zod is passed in, so that a face which checks inputs itself does not load it. */
  input(zod: SchemaKit): ZodType<Input>;
  /** Translates fields that the schema does not have to equivalent ones. Throws OrielError (`BAD_INPUT`). */
  adapt?(input: InputFields): InputFields;
  /** Makes the request; pure. Throws OrielError (`BAD_INPUT`) for what the schema cannot express. */
  request(input: Input, limits: Limits): R;
  /** The limits of this call, if they depend on the input. */
  limits?(input: Input, limits: Limits): Limits;
  policy?(input: Input, limits: Limits): TextPolicy;
  answer(result: EngineResult<R>, input: Input, limits: Limits): Answer;
  /** The answer for an error; its message when absent. `input` is absent if it did not match the schema. */
  failure?(error: OrielError, input?: Input): Answer;
}

/** A valid call: its request, and the function that formats its result. */
interface PreparedCall<A> extends CallOrder {
  /** `result`: the result of `request`. */
  answer(result: EngineResult): A;
}

/** A function that can be called: a tool for a model, or an operation of a face with another kind of answer. */
export interface CallableTool<A> {
  readonly name: string;
  /** `accepted`: an input that matches the schema. Throws OrielError (`BAD_INPUT`). */
  prepare(accepted: unknown, limits: Limits): PreparedCall<A>;
  /** The answer for an error. `accepted` is absent if the input did not match the schema. */
  failure(error: OrielError, accepted?: unknown): A;
}

/** A tool, with the type of its input hidden. */
export interface DeclaredTool extends CallableTool<Answer> {
  readonly title: string;
  readonly effects: Effects;
  /** A valid input. */
  readonly example: InputFields;
  about(limits: Limits, offered: OfferedFeatures): string;
  schema(zod: SchemaKit): ZodType;
  /** Corrects an input that the schema refused, as far as its meaning is clear. Throws OrielError (`BAD_INPUT`). */
  adapt(input: unknown): unknown;
}

/** A law of the contract that a dialect breaks, because the original tool does. Tests allow exactly this. */
export interface ContractDeparture {
  readonly law: number;
  readonly tool: string;
  readonly why: string;
}

export interface Dialect {
  readonly name: string;
  readonly limits: Limits;
  readonly tools: readonly DeclaredTool[];
  /** Whether the text of an answer is JSON, in which strings take more bytes than their text. */
  readonly answersJson?: boolean | undefined;
  readonly departs: readonly ContractDeparture[];
}

/** Turns the declaration of a tool into an element of a dialect's list. */
export function tool<Input, R extends EngineRequest>(spec: ToolSpec<Input, R>): DeclaredTool {
  const { name, title, effects } = spec;
  return {
    name,
    title,
    effects,
    example: spec.example as InputFields,
    about: (limits, offered) => spec.about(limits, offered),
    schema: (zod) => spec.input(zod),
    adapt: (input) =>
      spec.adapt && typeof input === 'object' && input !== null && !Array.isArray(input)
        ? spec.adapt(input as InputFields)
        : input,
    prepare(accepted, dialectLimits) {
      const input = accepted as Input;
      const limits = spec.limits?.(input, dialectLimits) ?? dialectLimits;
      return {
        request: spec.request(input, limits),
        limits,
        policy: spec.policy?.(input, limits) ?? cutPolicy,
        answer: (result: EngineResult<R>) => spec.answer(result, input, limits),
      };
    },
    failure: (error, accepted) => spec.failure?.(error, accepted as Input | undefined) ?? errorAnswer(error),
  };
}

/** `limit` lines from line `offset` (1-based); to the end without a limit. */
export function lineRange(offset = 1, limit?: number): Window {
  const to = limit === undefined ? undefined : Math.min(offset + limit - 1, Number.MAX_SAFE_INTEGER);
  return { kind: 'lines', ranges: [{ from: offset, to }], context: false };
}
