/** The outcomes of a case that did not pass. */

import { oriel } from './oriel.ts';

/** What shows that a law is violated. */
export interface CaseEvidence {
  /** The call; long texts in its arguments are cut. */
  readonly call?: ServerCall | undefined;
  /** A part of the answer, escaped. */
  readonly answer?: string | undefined;
  /** Files that were changed: `new: work/a.txt`. */
  readonly changes?: readonly string[] | undefined;
}

interface BrokenOptions extends ErrorOptions {
  /** The answer that shows it. */
  readonly answer?: ServerAnswer | undefined;
  /** The call, if it has no answer. */
  readonly call?: ServerCall | undefined;
  /** The text that shows it, if it is not the text of the answer. */
  readonly text?: string | undefined;
  /** Index in the text of what violates the law. */
  readonly at?: number | undefined;
  readonly changes?: readonly string[] | undefined;
  /** The evidence of the error that this one replaces. */
  readonly evidence?: CaseEvidence | undefined;
}

/** A law is violated: the message says what happened. */
export class BrokenLaw extends Error {
  readonly evidence: CaseEvidence;

  constructor(
    message: string,
    { answer, call = answer?.call, text, at, changes, evidence, ...options }: BrokenOptions = {},
  ) {
    super(message, options);
    const shown = text ?? answer?.text;
    this.evidence = evidence ?? {
      call: call ? shortenArguments(call) : undefined,
      answer: shown === undefined ? undefined : excerptEvidence(shown, at),
      changes,
    };
  }
}

/** The case cannot be tried: the message says why. */
export class SkippedCase extends Error {}

// Parts of calls and answers that fit in a report.

/** Maximum characters of an excerpt, before they are escaped. */
const MAX_EXCERPT_CHARACTERS = 300;

/** Characters before the place that matters. */
const BEFORE = 100;

/** The part of `text` around the index `at`, on one line and escaped. */
function excerptEvidence(text: string, at = 0): string {
  const from = at < MAX_EXCERPT_CHARACTERS - BEFORE ? 0 : at - BEFORE;
  const part = text.slice(from, from + MAX_EXCERPT_CHARACTERS);
  return `${from > 0 ? '…' : ''}${oriel.oneLine(part)}${from + MAX_EXCERPT_CHARACTERS < text.length ? '…' : ''}`;
}

/** Cuts the long texts in the arguments of a call. */
function shortenArguments({ tool, arguments: all }: ServerCall): ServerCall {
  const short = Object.entries(all).map(([name, value]) => [
    name,
    typeof value === 'string' && value.length > MAX_EXCERPT_CHARACTERS
      ? `${value.slice(0, MAX_EXCERPT_CHARACTERS)}…`
      : value,
  ]);
  return { tool, arguments: Object.fromEntries(short) as Record<string, unknown> };
}

// A call and its answer, which is made from a result or an error of the protocol.

/** A call as it is sent. */
export interface ServerCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The answer of a server to a call. */
export interface ServerAnswer {
  readonly call: ServerCall;
  readonly text: string;
  /** The structured content as JSON. */
  readonly structured?: string | undefined;
  /** UTF-8 bytes of the text. */
  readonly bytes: number;
  /** Whether it is an error of the tool or of the protocol. */
  readonly isError: boolean;
}

interface Result {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

/** Hosts show either the content or the structured content: both are checked, and the larger one counts. */
export function answerToCall(
  { content, structuredContent, isError }: Result,
  call: ServerCall,
): ServerAnswer {
  const blocks = (Array.isArray(content) ? content : []) as readonly Readonly<Record<string, unknown>>[];
  const text = blocks
    .map((block) => (typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block)))
    .join('\n');
  const structured = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  return {
    text: text.length > 0 ? text : structured,
    structured,
    bytes: Math.max(Buffer.byteLength(text), Buffer.byteLength(structured)),
    isError: isError === true,
    call,
  };
}

/** An error of the protocol. */
export function protocolErrorAnswer(text: string, call: ServerCall): ServerAnswer {
  return { text, bytes: Buffer.byteLength(text), isError: true, call };
}

/** Whether an answer contains one of these texts. */
export function shows({ text, structured = '' }: ServerAnswer, ...texts: readonly string[]): boolean {
  return texts.some((one) => text.includes(one) || structured.includes(one));
}
