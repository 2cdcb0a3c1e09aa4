/** Tools of the suite that a tool of ours can be: they go through our own registration. */

import { z } from 'zod';
import { reads } from '../../src/call/dialect.ts';
import type { Tool } from '../../src/oriel.ts';
import { textAnswer } from '../../src/render/notices.ts';
import type { Answer } from '../../src/types/answer.ts';
import { PNG, wait } from './fixtures.ts';

export const ownTools: readonly Tool[] = [
  ownTool('test_simple_text', () => textAnswer('This is a simple text response for testing.')),
  ownTool('test_image_content', () => ({
    content: [{ type: 'image', mimeType: 'image/png', data: PNG }],
    details: {},
    isError: false,
  })),
  ownTool('test_error_handling', () =>
    textAnswer('This tool intentionally returns an error for testing', {}, true),
  ),
  ownTool('test_tool_with_progress', async ({ onProgress }) => {
    for (const done of [0, 50, 100]) {
      onProgress?.({ message: `${done} of 100`, done, total: 100 });
      // Progress is told ten times a second at most.
      await wait(120);
    }
    return textAnswer('Done.');
  }),
];

function ownTool(
  name: string,
  run: (options: Parameters<Tool['run']>[1] & object) => Answer | Promise<Answer>,
): Tool {
  const inputSchema = z.strictObject({});
  return {
    name,
    title: name,
    description: `The fixture ${name} of the conformance suite.`,
    effects: reads,
    inputSchema,
    jsonSchema: z.toJSONSchema(inputSchema, { io: 'input' }) as Record<string, unknown>,
    run: async (_input, options = {}) => run(options),
  };
}
