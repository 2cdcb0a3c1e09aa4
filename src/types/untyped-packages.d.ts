/** What is used of packages that have no types, or are not installed in a checkout. */

declare module 'hyparquet-compressors/src/lz4.js' {
  export function decompressLz4(input: Uint8Array, outputLength: number): Uint8Array;
  export function decompressLz4Raw(input: Uint8Array, outputLength: number): Uint8Array;
}

declare module '@langchain/core/messages' {
  export type MessageContent =
    | string
    | readonly (
        | { readonly type: 'text'; readonly text: string }
        | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
      )[];
  export const ToolMessage: new (fields: {
    readonly name: string;
    readonly tool_call_id: string;
    readonly content: MessageContent;
    readonly artifact: unknown;
    readonly status: 'error';
  }) => object;
}

declare module '@langchain/core/tools' {
  export interface ToolRunnableConfig {
    readonly signal?: AbortSignal;
    readonly toolCall?: { readonly id?: string };
  }
  export interface DynamicStructuredTool {
    call(input: unknown): Promise<unknown>;
  }
  export const DynamicStructuredTool: new (fields: {
    readonly name: string;
    readonly description: string;
    readonly schema: object;
    readonly responseFormat: 'content_and_artifact';
    func(input: unknown, manager: unknown, config?: ToolRunnableConfig): Promise<readonly unknown[]>;
  }) => DynamicStructuredTool;
}
