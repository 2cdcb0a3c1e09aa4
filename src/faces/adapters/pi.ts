/** `oriel/pi`: an extension for the pi coding agent, with types for the part of its interface that it needs. */

import type { OrielOptions } from '../../options.ts';
import { createOriel, type Tool } from '../../oriel.ts';
import type { Block } from '../../types/answer.ts';
import type { Progress } from '../../types/session.ts';
import { answerAsText, parametersOf } from './blocks.ts';

interface PiResult {
  content: Block[];
  details: Readonly<Record<string, unknown>>;
}

/** `ToolDefinition` of `@earendil-works/pi-coding-agent`. */
export interface PiTool {
  name: string;
  label: string;
  description: string;
  /** JSON Schema, which TypeBox's types are. */
  parameters: Record<string, unknown>;
  execute(
    toolCallId: string,
    input: unknown,
    signal: AbortSignal | undefined,
    onUpdate: ((partial: PiResult) => void) | undefined,
    context: { readonly cwd: string },
  ): Promise<PiResult>;
}

/** `ExtensionAPI` of `@earendil-works/pi-coding-agent`. */
export interface PiApi {
  registerTool(tool: PiTool): void;
  on(event: 'session_shutdown', handler: () => Promise<void>): void;
}

/** An extension that replaces pi's tools of the same names and adds the others. The session ends with pi's session. */
export function orielExtension(options: OrielOptions = {}): (pi: PiApi) => void {
  return (pi) => {
    const oriel = createOriel(options);
    for (const tool of oriel.tools) pi.registerTool(piTool(tool));
    pi.on('session_shutdown', () => oriel.close());
  };
}

/** For `customTools` of pi's SDK. */
export function piTool(tool: Tool): PiTool {
  return {
    name: tool.name,
    label: tool.title,
    description: tool.description,
    parameters: parametersOf(tool),
    async execute(_id, input, signal, onUpdate) {
      const tell = ({ message, tail }: Progress): void =>
        onUpdate?.({ content: [{ type: 'text', text: tail ?? message }], details: {} });
      const answer = await tool.run(input, {
        signal,
        onProgress: onUpdate ? tell : undefined,
      });
      // In pi a failure is an exception.
      if (answer.isError) throw new Error(answerAsText(answer));
      return { content: [...answer.content], details: answer.details };
    },
  };
}
