/** Opens one file through one source, as the engine does, for unit tests of sources. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readAt } from '../../src/text/bytes.ts';
import { createAccess } from '../../src/files/local.ts';
import { defaultSettings } from '../../src/assemble.ts';
import { createSession } from '../../src/session/session.ts';
import type { Call, Resource, TextResource, ContentSource } from '../../src/types/call.ts';
import type { Settings } from '../../src/types/settings.ts';
import { wide } from './windows.ts';

/** A temporary folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oriel-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes `content` as `name` in a new temporary folder and returns the path. */
export async function file(name: string, content: Uint8Array | string): Promise<string> {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, content);
  return path;
}

export interface OpenOptions {
  readonly rest?: string;
  readonly settings?: Partial<Settings>;
  readonly signal?: AbortSignal;
}

/** A call of nobody, with `more` in it. */
export function testCall({ session = createSession(), ...more }: Partial<Call>): Call {
  return {
    signal: new AbortController().signal,
    deadline: Number.POSITIVE_INFINITY,
    limits: wide,
    settings: defaultSettings,
    access: createAccess({ cwd: '/', roots: [], allow: [] }),
    session,
    now: () => 0,
    progress: () => {},
    open: () => Promise.reject(new Error('nothing inside')),
    onEnd: () => {},
    part: () => {
      throw new Error('no part of this test');
    },
    ...more,
  };
}

/** The result of `source` for `path`, displayed as its base name; undefined if the source does not handle it. */
export async function openWith(
  source: ContentSource,
  path: string,
  { rest = '', settings = {}, signal = new AbortController().signal }: OpenOptions = {},
): Promise<Resource | undefined> {
  const access = createAccess({ cwd: tmpdir(), roots: [], allow: [] });
  const opened = await access.open(path, signal);
  if (opened.kind !== 'file') throw new Error('a directory');
  onTestFinished(() => opened.close());
  const head = await readAt(opened.bytes, 0, 4096);
  const subject = { typed: basename(path), rest, name: basename(path), path: opened.path, opened, head };
  if (!source.claims(subject)) return undefined;
  const call: Call = testCall({
    signal,
    settings: { ...defaultSettings, ...settings },
    access,
    open: (inner) => source.open(inner, call),
  });
  return source.open(subject, call);
}

/** The whole text of a resource. */
export async function wholeText(resource: TextResource): Promise<string> {
  const bytes = await readAt(resource.bytes, 0, resource.bytes.size ?? 0);
  return Buffer.from(bytes).toString('utf8');
}
