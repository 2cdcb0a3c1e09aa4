/**
 * The package registries that the user's own tools are configured for. Only addresses are read from their files, no
 * credentials: a registry that asks for them is not read.
 */

import { devNull } from 'node:os';
import { join } from 'node:path';
import { readAt } from '../../../access/bytes.ts';
import {
  npmSettings,
  pipSettings,
  pipSettingsOfEnvironment,
  settingsAccess,
} from '../../../access/user-settings.ts';
import type { Access } from '../../../types/access.ts';
import { oneLine } from '../../../text/visible.ts';
import type { Visit } from '../page-step.ts';
import type { Base } from './site-api.ts';
import { withoutTrailingSlashes } from '../../../text/slashes.ts';

/** Bytes of a file of settings. */
const MOST = 256 * 1024;

type Section = Readonly<Record<string, unknown>>;

/**
 * Of a scope before that of all packages; of both the environment before the project before the user. A project may come
 * from anybody: its registry is judged like every other address, and gets no value of the environment. So is what a
 * package tool that has started us says, which may be the project's.
 *
 * Source: "npmrc" and "Registry" of the npm documentation.
 */
export async function npmRegistry(name: string, { access, signal }: Visit): Promise<Base | undefined> {
  const scope = /^@[^/]+/.exec(name)?.[0];
  const project = await settingsIn(access, join(access.cwd, '.npmrc'), signal);
  const isOurs = !isFromPackageTool();
  const userFile = isOurs ? environmentOf('npm_config_userconfig') : undefined;
  const user = await settingsOf([userFile ?? npmSettings()], signal);
  for (const key of [...(scope === undefined ? [] : [`${scope}:registry`]), 'registry']) {
    const set = environmentOf(`npm_config_${key}`);
    const found =
      (isOurs ? baseOf(set, true) : undefined) ??
      baseOf(textOf(project, key), false) ??
      baseOf(
        textOf(user, key)?.replace(/\$\{(\w+)\}/g, (_, variable: string) => process.env[variable] ?? ''),
        true,
      ) ??
      baseOf(set, false);
    if (found) return found;
  }
  return undefined;
}

/** What a project names may show what it likes below the address of a page. */
export function noted<T>(found: T, { url, trusted }: Base, { notes }: Visit): T {
  if (!trusted)
    notes.push(`read from ${oneLine(url.slice(0, 200))}, which the settings of this project name`);
  return found;
}

/**
 * Without `/simple` at its end: other forms of an index are beside it. A virtual environment may come with a project: its
 * index is judged like every other address.
 *
 * Source: "Configuration" of the pip documentation.
 */
export async function pythonIndex({ signal }: Visit): Promise<Base | undefined> {
  const indexIn = async (files: readonly string[]): Promise<string | undefined> => {
    const settings = await settingsOf(files, signal, ['install', 'global']);
    return textOf(settings, 'index-url') ?? textOf(settings, 'index_url');
  };
  const named = environmentOf('PIP_CONFIG_FILE');
  const others = named !== devNull;
  const environment = others ? pipSettingsOfEnvironment() : undefined;
  const first = environmentOf('PIP_INDEX_URL') ?? (named && (await indexIn([named])));
  if (first !== undefined) return indexAt(first, true);
  const ofEnvironment = environment && (await indexIn([environment]));
  return ofEnvironment !== undefined
    ? indexAt(ofEnvironment, false)
    : indexAt(others ? await indexIn(pipSettings()) : undefined, true);
}

function indexAt(url: string | undefined, trusted: boolean): Base | undefined {
  return baseOf(url && withoutTrailingSlashes(url).replace(/\/simple$/, ''), trusted);
}

function textOf(settings: Section, key: string): string | undefined {
  const value = settings[key];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Whether npm, pnpm or Yarn has started us (`npx oriel`, `npm run`): they set variables of npm from the project's file,
 * the place of the user's file too.
 *
 * Source: "Environment" of "npm run" of the npm documentation.
 */
function isFromPackageTool(): boolean {
  return environmentOf('npm_execpath') !== undefined || environmentOf('npm_lifecycle_event') !== undefined;
}

/** npm takes the names of its variables in either case. */
function environmentOf(name: string): string | undefined {
  const { env } = process;
  return env[name] || env[name.toUpperCase()] || undefined;
}

/** Undefined for what is no URL that can be asked without credentials. */
function baseOf(text: string | undefined, trusted: boolean): Base | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || /[?#]/.test(url.href)) return undefined;
  return { url: withoutTrailingSlashes(url.href), trusted };
}

/** What is in these files; what the first ones say wins. */
async function settingsOf(
  paths: readonly string[],
  signal: AbortSignal,
  sections: readonly string[] = [],
): Promise<Section> {
  let found: Section = {};
  for (const path of paths)
    found = { ...(await settingsIn(settingsAccess(path), path, signal, sections)), ...found };
  return found;
}

/** Of a file as INI: what is outside its sections, or in those that are named, the first before the others. */
async function settingsIn(
  access: Access,
  path: string,
  signal: AbortSignal,
  sections: readonly string[] = [],
): Promise<Section> {
  const content = await contentOf(access, path, signal);
  if (content === undefined) return {};
  const { parse } = await import('ini');
  const parsed: Section = parse(content);
  if (sections.length === 0) return parsed;
  return Object.assign({}, ...sections.toReversed().map((name) => parsed[name])) as Section;
}

async function contentOf(access: Access, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const opened = await access.open(path, signal);
    try {
      if (opened.is !== 'file' || opened.size > MOST) return undefined;
      return new TextDecoder().decode(await readAt(opened.bytes, 0, opened.size, signal));
    } finally {
      await opened.close();
    }
  } catch {
    // A file that is not there, or not to be read, says nothing.
    signal.throwIfAborted();
    return undefined;
  }
}
