/** Requests to the API of a site. JSON replies are parsed and formatted in the child process, whatever their size. */

import { devNull } from 'node:os';
import { join } from 'node:path';
import {
  npmSettings,
  pipSettings,
  pipSettingsOfEnvironment,
  settingsAccess,
} from '../../files/user-settings.ts';
import { readAt } from '../../text/bytes.ts';
import { oneLine, withoutTrailingSlashes } from '../../text/visible.ts';
import type { FileAccess } from '../../types/access.ts';
import type { SiteEndpoints } from '../../types/settings.ts';
import { convertedText, convertFor } from './convert.ts';
import type { FetchedPage, PageVisit } from './page-step.ts';
import type { RecordKind } from './protocol.ts';

interface ApiBase {
  /** Without trailing slash. */
  readonly url: string;
  /** Whether the operator has set it; then its network address is not checked. */
  readonly trusted: boolean;
}

/** The base URL that the host has set for a site, otherwise the site's own. */
export function findApiBase(site: keyof SiteEndpoints, own: string, { endpoints }: PageVisit): ApiBase {
  const set = endpoints[site];
  return { url: withoutTrailingSlashes(set ?? own), trusted: set !== undefined };
}

/** How to format the JSON: the kind of record, and the parameters of the request. */
export interface RecordRequest {
  readonly of: RecordKind;
  readonly ask: Readonly<Record<string, string>>;
}

export interface RecordAnswer {
  readonly page: FetchedPage;
  readonly text: string;
  readonly facts: Readonly<Record<string, string>>;
}

/** Undefined if there is no reply, or one of another shape. */
export async function recordAt(
  base: ApiBase,
  path: string,
  wanted: RecordRequest,
  visit: PageVisit,
): Promise<RecordAnswer | undefined> {
  const page = await visit.probe(base.url + path, { accept: 'application/json', trusted: base.trusted });
  return page && recordOf(page, wanted, visit);
}

/** Undefined if the reply is not JSON, has another shape, or is truncated. */
export async function recordOf(
  page: FetchedPage,
  wanted: RecordRequest,
  visit: PageVisit,
): Promise<RecordAnswer | undefined> {
  if (page.cut) return undefined;
  const found = await convertFor(visit, { kind: 'record', ...wanted, url: visit.url }, await page.text());
  return found?.reply.kind === 'text'
    ? { page, text: convertedText(found), facts: found.reply.facts ?? {} }
    : undefined;
}

/** Converts HTML of an API to Markdown, without the elements of these classes. */
export async function markdownOf(
  html: string,
  url: string,
  visit: PageVisit,
  without: readonly string[] = [],
): Promise<string | undefined> {
  const converted = await convertFor(visit, { kind: 'fragment', url, without }, html);
  const text = converted ? convertedText(converted).trim() : '';
  return text === '' ? undefined : text;
}

// Finds the package registries that the user's own tools are configured for. Only addresses are read from their settings, no
// credentials; a registry that requires credentials is not read.

const MAX_REGISTRY_SETTINGS_BYTES = 256 * 1024;

type Section = Readonly<Record<string, unknown>>;

/**
 * A registry of the scope takes precedence over the general one, and for both the environment over the project over the
 * user. A project may come from anybody, so its registry is not trusted: its address is checked like any other, and
 * environment variables in it are not expanded. The same holds for the environment if a package tool has started us,
 * because it may come from the project.
 *
 * Source: "npmrc" and "Registry" of the npm documentation.
 */
export async function npmRegistry(name: string, { access, signal }: PageVisit): Promise<ApiBase | undefined> {
  const scope = /^@[^/]+/.exec(name)?.[0];
  const project = await settingsIn(access, join(access.cwd, '.npmrc'), signal);
  const isOurs = !isFromPackageTool();
  const userFile = isOurs ? environmentOf('npm_config_userconfig') : undefined;
  const user = await settingsOf([userFile ?? npmSettings()], signal);
  for (const key of [...(scope === undefined ? [] : [`${scope}:registry`]), 'registry']) {
    const set = environmentOf(`npm_config_${key}`);
    const found =
      (isOurs ? parseRegistryUrl(set, true) : undefined) ??
      parseRegistryUrl(textOf(project, key), false) ??
      parseRegistryUrl(
        textOf(user, key)?.replace(/\$\{(\w+)\}/g, (_, variable: string) => process.env[variable] ?? ''),
        true,
      ) ??
      parseRegistryUrl(set, false);
    if (found) return found;
  }
  return undefined;
}

/** Adds a note for an untrusted registry, because it may return anything for the page. */
export function noteRegistry<T>(found: T, { url, trusted }: ApiBase, { notes }: PageVisit): T {
  if (!trusted)
    notes.push(`read from ${oneLine(url.slice(0, 200))}, which the settings of this project name`);
  return found;
}

/**
 * The index without `/simple` at its end, because other forms of it are beside that. The index of a virtual environment is
 * not trusted, because that may come with a project.
 *
 * Source: "Configuration" of the pip documentation.
 */
export async function pythonIndex({ signal }: PageVisit): Promise<ApiBase | undefined> {
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

function indexAt(url: string | undefined, trusted: boolean): ApiBase | undefined {
  return parseRegistryUrl(url && withoutTrailingSlashes(url).replace(/\/simple$/, ''), trusted);
}

function textOf(settings: Section, key: string): string | undefined {
  const value = settings[key];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Whether npm, pnpm or Yarn has started this process (`npx oriel`, `npm run`): they set environment variables from the
 * project's settings, including the path of the user's settings.
 *
 * Source: "Environment" of "npm run" of the npm documentation.
 */
function isFromPackageTool(): boolean {
  return environmentOf('npm_execpath') !== undefined || environmentOf('npm_lifecycle_event') !== undefined;
}

/** An environment variable; npm accepts its names in lower and upper case. */
function environmentOf(name: string): string | undefined {
  const { env } = process;
  return env[name] || env[name.toUpperCase()] || undefined;
}

/** Undefined if the text is not a URL that can be used without credentials. */
function parseRegistryUrl(text: string | undefined, trusted: boolean): ApiBase | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || /[?#]/.test(url.href)) return undefined;
  return { url: withoutTrailingSlashes(url.href), trusted };
}

/** The merged settings of these files; earlier files take precedence. */
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

/** The settings of an INI file: those outside sections, or those of the named sections, of which earlier ones win. */
async function settingsIn(
  access: FileAccess,
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

async function contentOf(access: FileAccess, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const opened = await access.open(path, signal);
    try {
      if (opened.kind !== 'file' || opened.size > MAX_REGISTRY_SETTINGS_BYTES) return undefined;
      return new TextDecoder().decode(await readAt(opened.bytes, 0, opened.size, signal));
    } finally {
      await opened.close();
    }
  } catch {
    // A file that does not exist or cannot be read counts as empty.
    signal.throwIfAborted();
    return undefined;
  }
}
