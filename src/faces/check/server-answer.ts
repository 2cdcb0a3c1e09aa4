/** A call and its answer, which is made from a result or an error of the protocol. */

/** A call as it is sent. */
export interface Call {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The answer of a server to a call. */
export interface Answer {
  readonly call: Call;
  readonly text: string;
  /** The structured content as JSON. */
  readonly structured?: string;
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
export function answerOf({ content, structuredContent, isError }: Result, call: Call): Answer {
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
export function errorAnswer(text: string, call: Call): Answer {
  return { text, bytes: Buffer.byteLength(text), isError: true, call };
}

/** Whether an answer contains one of these texts. */
export function shows({ text, structured = '' }: Answer, ...texts: readonly string[]): boolean {
  return texts.some((one) => text.includes(one) || structured.includes(one));
}
