/** A temporary folder with files in it, and the tools of a dialect over it. */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createAccess } from '../../src/files/local.ts';
import { defaultSettings } from '../../src/assemble.ts';
import type { OrielOptions } from '../../src/options.ts';
import { baseLimits } from '../../src/text/limits.ts';
import { createOriel } from '../../src/oriel.ts';
import { createSession } from '../../src/session/session.ts';
import type { Answer } from '../../src/types/answer.ts';
import type { Call } from '../../src/types/call.ts';

export class Tree {
  /** The root: absolute, without symlinks. */
  readonly path: string;
  /** A folder next to the root and outside of it. */
  readonly outside: string;
  readonly #base: string;

  private constructor(base: string) {
    this.#base = base;
    this.path = join(base, 'work');
    this.outside = join(base, 'outside');
  }

  /** Creates a tree with files (path → content); parent folders are created. */
  static async create(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Tree> {
    const tree = new Tree(await realpath(await mkdtemp(join(tmpdir(), 'oriel-'))));
    await mkdir(tree.path);
    await mkdir(tree.outside);
    await tree.write(files);
    return tree;
  }

  async write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(this.path, path)), { recursive: true });
      await writeFile(join(this.path, path), content);
    }
  }

  /** The answer of one call. */
  async answer(tool: string, input: unknown, options: OrielOptions = {}): Promise<Answer> {
    const oriel = createOriel({ cwd: this.path, ...options });
    try {
      return await oriel.tool(tool).run(input);
    } finally {
      await oriel.close();
    }
  }

  /** The text of one call's answer. */
  async text(tool: string, input: unknown, options: OrielOptions = {}): Promise<string> {
    const { content } = await this.answer(tool, input, options);
    return content.map((block) => (block.type === 'text' ? block.text : `(${block.mimeType})`)).join('\n');
  }

  /** A `Call` as the engine passes it to its parts, for unit tests; what is not overridden throws when it is used. */
  call(overrides: Partial<Call> = {}): Call {
    const never = (): never => {
      throw new Error('not part of this test');
    };
    return {
      signal: new AbortController().signal,
      deadline: performance.now() + 200_000,
      limits: baseLimits,
      settings: defaultSettings,
      access: createAccess({ cwd: this.path, roots: [], allow: [] }),
      session: createSession(),
      now: () => 0,
      progress: () => undefined,
      open: never,
      onEnd: () => undefined,
      part: never,
      ...overrides,
    };
  }

  async remove(): Promise<void> {
    // Unlike Node's rm, it also removes directories nested deeper than PATH_MAX.
    await promisify(execFile)('rm', ['-rf', this.#base]);
  }
}
