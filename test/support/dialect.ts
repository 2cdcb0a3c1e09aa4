/** A folder with files in it, and the tools of one dialect over it. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type Answer,
  createOriel,
  type DialectName,
  type Oriel,
  type OrielOptions,
} from '../../src/index.ts';
import type { Workspace } from '../../src/types/settings.ts';
import { temporaryFolder } from './commands.ts';
import { notesServer } from './mcp.ts';

export interface Called {
  /** The text of the answer's only block. */
  readonly text: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly answer: Answer;
}

export interface Place {
  /** The working directory and the only root. */
  readonly folder: string;
  /** Writes a file and returns its absolute path. */
  write(path: string, content: string | Uint8Array): string;
  readonly oriel: Oriel;
  call(tool: string, input: object, signal?: AbortSignal): Promise<Called>;
}

/** Remote workspaces that every `place` gets; a test adds to them before it calls `place`. */
export const elsewhere: Record<string, Workspace> = {};

export function place(dialect: DialectName, options: OrielOptions = {}): Place {
  const folder = options.cwd ?? temporaryFolder();
  const oriel = createOriel({
    cwd: folder,
    roots: [folder],
    dialect,
    spills: { state: temporaryFolder() },
    // A port of another test may have been this one's: its pages are not in this cache.
    cache: { directory: temporaryFolder() },
    agentOutputs: folder,
    mcpServers: notesServer(folder),
    workspaces: elsewhere,
    web: true,
    s3: true,
    ...options,
  });
  onTestFinished(() => oriel.close());
  return {
    folder,
    oriel,
    write(path, content) {
      const full = join(folder, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, content);
      return full;
    },
    call: callsOf(oriel),
  };
}

/** A function that calls a tool of `oriel` by its name. */
export function callsOf(oriel: Oriel): Place['call'] {
  return async (tool, input, signal) => {
    const answer = await oriel.tool(tool).run(input, signal ? { signal } : {});
    return { ...answer, text: onlyText(answer), answer };
  };
}

function onlyText({ content }: Answer): string {
  const [block, ...others] = content;
  if (block?.type !== 'text' || others.length > 0) throw new Error('an answer has exactly one text block');
  return block.text;
}

/** The numbers `from` to `to` (inclusive), one per line, each followed by `text`. */
export function numbered(from: number, to: number, text = ''): string {
  return Array.from({ length: to - from + 1 }, (_, i) => `${from + i}${text}\n`).join('');
}

/** `count` lines of exactly `width` bytes each, terminator included. */
export function wideLines(count: number, width: number): string {
  return Array.from({ length: count }, (_, i) => `${`${i + 1} `.padEnd(width - 1, 'x')}\n`).join('');
}

/** Lines `from` to `to` of `text` (1-based, inclusive). */
export function linesOf(text: string, from: number, to: number): string {
  return text
    .split(/(?<=\n)/)
    .slice(from - 1, to)
    .join('');
}
