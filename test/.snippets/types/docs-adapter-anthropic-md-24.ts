import type Anthropic from '@anthropic-ai/sdk';
import type { Tool } from 'oriel';
import { runToolUse } from 'oriel/anthropic';

export function results(tools: readonly Tool[], { content }: Anthropic.Message, signal: AbortSignal) {
  const uses = content.filter((block) => block.type === 'tool_use');
  return Promise.all(uses.map((use) => runToolUse(tools, use, { signal })));
}
