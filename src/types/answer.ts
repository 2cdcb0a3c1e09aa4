/** The answer of a tool: the same shape from every face. */

export interface Answer {
  readonly content: readonly Block[];
  /** Facts about the answer, plain JSON. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

export type Block =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string };
