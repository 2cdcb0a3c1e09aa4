/** Helpers of the adapters: answers as blocks of text and images. */

import type { RunOptions } from '../../assemble.ts';
import { OrielError } from '../../errors.ts';
import { installedVersion, isOlder } from '../../files/package-files.ts';
import type { Tool } from '../../oriel.ts';
import { errorAnswer } from '../../render/notices.ts';
import { quote } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';

/** The text of an answer, for hosts that accept only text. Images are replaced by a note. */
export function answerAsText({ content }: Answer): string {
  return content
    .map((block) =>
      block.type === 'text' ? block.text : `[An image, ${block.mimeType}, that cannot be shown here]`,
    )
    .join('\n');
}

export function hasImage({ content }: Answer): boolean {
  return content.some(({ type }) => type === 'image');
}

/** The JSON Schema of a tool's input, without the key that some providers refuse. */
export function parametersOf({ jsonSchema }: Tool): Record<string, unknown> {
  const { $schema: _, ...schema } = jsonSchema;
  return schema;
}

/** Parses the arguments that a model wrote. Invalid JSON is returned as a string, and the tool reports the error. */
export function parseArguments(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}

/** A notice of an answer, with its kind: `cut`, `binary`, `exit` and others. */
interface SaidNotice {
  readonly kind: string;
  readonly text: string;
}

export interface NoticeOptions {
  /**
   * Receives the notices of an answer before the model sees it. The text of a file may imitate a notice; the notices here
   * are authentic.
   */
  readonly onNotices?: ((notices: readonly SaidNotice[], tool: string) => void) | undefined;
}

/** Passes the notices of an answer to the host's `onNotices`, if there are any. */
export function tellNotices(tool: string, { details }: Answer, { onNotices }: NoticeOptions): void {
  const notices = details['notices'] as readonly SaidNotice[] | undefined;
  if (!onNotices || !notices || notices.length === 0) return;
  try {
    onNotices(notices, tool);
  } catch (error) {
    // An error of the host must not prevent the answer.
    process.emitWarning(error as Error);
  }
}

/** Runs the tool that a model named; without one of that name the answer is an error. Never throws. */
export async function runNamed(
  tools: readonly Tool[],
  name: string,
  input: unknown,
  options: RunOptions & NoticeOptions = {},
): Promise<Answer> {
  const tool = tools.find((one) => one.name === name);
  const names = tools.map((one) => one.name).join(', ');
  const answer = tool
    ? await tool.run(input, options)
    : errorAnswer(new OrielError('BAD_INPUT', `There is no tool ${quote(name)}. Use one of ${names}.`));
  tellNotices(name, answer, options);
  return answer;
}

/** A Standard Schema that declares a JSON Schema. */
export interface OpenSchema {
  '~standard': {
    version: 1;
    vendor: string;
    validate(value: unknown): { value: unknown };
    jsonSchema: { input(): Record<string, unknown>; output(): Record<string, unknown> };
  };
}

/** It accepts everything, because the tool validates its input itself, with better errors. */
export function openSchema(jsonSchema: Readonly<Record<string, unknown>>): OpenSchema {
  const { $schema: _, ...schema } = jsonSchema;
  return {
    '~standard': {
      version: 1,
      vendor: 'oriel',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}

// Refuses a library that is too old for its adapter, with a clear error.

/** The oldest versions with which the adapters are tested; for Mastra, the first one whose types accept a Standard Schema. */
export const MIN_PEER_VERSIONS = {
  openai: '5.0.1',
  '@anthropic-ai/sdk': '0.70.0',
  '@langchain/core': '0.3.80',
  '@mastra/core': '1.11.0',
  '@openai/agents': '0.8.0',
  '@modelcontextprotocol/sdk': '1.23.0',
} as const;

/**
 * Throws OrielError (`UNSUPPORTED`) if an older version of the package is installed. A package that is not found is
 * accepted, because it may be bundled. `from`: the URL of the code that would import it.
 */
export function needsPeer(name: keyof typeof MIN_PEER_VERSIONS, adapter: string, from?: string): void {
  const version = installedVersion(name, from);
  if (version === undefined || !isOlder(version, MIN_PEER_VERSIONS[name])) return;
  throw new OrielError(
    'UNSUPPORTED',
    `oriel/${adapter} needs version ${MIN_PEER_VERSIONS[name]} of the package ${name}, or a newer one, and ${version} is installed. Use npm install ${name}@latest.`,
  );
}
