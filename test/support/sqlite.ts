/** Databases for tests, made with SQLite itself and read through the public API. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createOriel, type OrielOptions } from '../../src/index.ts';
import { loadLibrary } from '../../src/formats/sqlite/worker/library.ts';

/** A temporary folder that is removed after the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'oriel-sqlite-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The bytes of a database with 4 KiB pages after `statements` were executed. */
export async function databaseBytes(...statements: string[]): Promise<Uint8Array> {
  const { oo1, capi } = await loadLibrary();
  const db = new oo1.DB(':memory:');
  try {
    db.exec('pragma page_size = 4096');
    for (const sql of statements) db.exec(sql);
    return capi.sqlite3_js_db_export(db);
  } finally {
    db.close();
  }
}

/** Creates the database `name` in a new folder; returns the folder's path. */
export async function database(name: string, ...statements: string[]): Promise<string> {
  const cwd = folder();
  writeFileSync(join(cwd, name), await databaseBytes(...statements));
  return cwd;
}

export interface Answered {
  /** Text with notices, as sent to a model. */
  readonly text: string;
  /** `OK`, or the error's code. */
  readonly code: string;
  /** The path that an error suggests to read next. */
  readonly next: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The cells of the rows of a table in an answer, without their layout. */
export const cells = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim()),
    );

/** Reads what follows the name of a file with these bytes. */
export function fileReader(name: string, content: string | Uint8Array): (rest: string) => Promise<Answered> {
  const cwd = folder();
  writeFileSync(join(cwd, name), content);
  const read = reader(cwd);
  return (rest) => read(name + rest);
}

/** Reads paths below `cwd` with the default dialect. */
export function reader(cwd: string, options: OrielOptions = {}): (path: string) => Promise<Answered> {
  const oriel = createOriel({ cwd, ...options });
  onTestFinished(() => oriel.close());
  return async (path) => {
    const { content, details, isError } = await oriel.tool('read').run({ path });
    const text = content
      .map((block) => (block.type === 'text' ? block.text : `<${block.mimeType}>`))
      .join('');
    const error = details['error'] as { code: string; next?: string } | undefined;
    return { text, code: isError ? (error?.code ?? 'none') : 'OK', next: error?.next, details };
  };
}

/**
 * A second process that writes to the database: runs a Python script with `db`, an autocommit connection to `path`.
 * Resolves when the script has printed a line; the process goes on until it exits or is killed.
 */
export async function writer(
  path: string,
  script: string,
): Promise<{ kill(): Promise<void>; ended: Promise<void> }> {
  const source = `import os, sqlite3, sys, time\ndb = sqlite3.connect(sys.argv[1], isolation_level=None)\n${script}`;
  const child = spawn('python3', ['-c', source, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  onTestFinished(() => void child.kill('SIGKILL'));
  await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), ended]);
  return {
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
