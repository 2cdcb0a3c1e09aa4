/** `read`: what a string names is opened by its scheme or its format, and shown as a text, a map, an image or a note. */

import { advised, type ErrorCode, isOrielError, OrielError } from '../errors.ts';
import { claimsArchive } from '../formats/archive/detect.ts';
import { sourceFor } from '../formats/table.ts';
import { isWeb, openWeb } from '../formats/web/detect.ts';
import { partHeader, readAnswer } from '../render/answers.ts';
import { plural } from '../render/display.ts';
import { wording } from '../render/notices.ts';
import type { CodeReadResult } from '../search/code/answer-code.ts';
import { MAX_LISTED_PATHS, mayBeList, mayBeRevisionPath, pathLists, pathsIn } from '../selector/rewrites.ts';
import { endsInCodeQuestion, parseCodeQuestion } from '../selector/selection.ts';
import { canonicalTarget, findTarget, type FoundTarget, kindAt, withShell } from '../target/find-target.ts';
import { estimateTokens, shownSize } from '../text/limits.ts';
import { oneLine, quote } from '../text/visible.ts';
import type { Notice } from '../types/answer.ts';
import type { Call, Resource, SourceSubject } from '../types/call.ts';
import type { CutBy, Limits, Mutable, TextPolicy } from '../types/excerpt.ts';
import type { LinesRequest, PathGrammar, ReadRequest } from '../types/request.ts';
import type {
  LinesResult,
  PartResult,
  ReadOrigin,
  ReadResult,
  SeveralResult,
  SingleResult,
  WorkspaceResult,
} from '../types/result.ts';
import type { FileLines, Workspace } from '../types/settings.ts';
import { readText, type TextRequest } from './read-text.ts';
import { hostError } from './unexpected.ts';

/** One path or URL; a string that is neither may be several paths. */
export async function read(request: ReadRequest, call: Call, policy: TextPolicy): Promise<ReadResult> {
  try {
    return await readOne(request, call, policy);
  } catch (error) {
    const isList = request.grammar === 'selectors' && mayBeList(request.target);
    if (!isList || !isOrielError(error)) throw error;
    const several = await readSeveral(request, error, call, policy);
    if (several) return several;
    throw error;
  }
}

async function readOne(request: ReadRequest, call: Call, policy: TextPolicy): Promise<SingleResult> {
  const { target, grammar, window, outlineOver, tellsEnd, about } = request;
  const found = await resolve(target, grammar, call);
  if (grammar === 'selectors') return readFound(found, { summarize: call.settings.summarize }, call, policy);
  const selection = window ? { window } : {};
  return readFound(
    found,
    { selection, summarize: about !== undefined, about, outlineOver, tellsEnd },
    call,
    policy,
  );
}

// What a string names: a URL, a path, or a question about code.

type ResolvedTarget = Pick<ReadOrigin, 'target' | 'resolvedPath' | 'suffix'> & {
  readonly resource: Resource;
};

/** Opens `target`: a URL, a path, a path at a revision, or the answer to a question about code. */
async function resolve(target: string, grammar: PathGrammar, call: Call): Promise<ResolvedTarget> {
  if (grammar === 'literal') return openFound(await findTarget(target, grammar, call), call);
  const typed = unwrapped(target);
  const atUrl = /^(?:www\.|[a-z][a-z\d+.-]*:)/i.test(typed) ? await openUrl(typed, call) : undefined;
  if (atUrl) return byItsUrl(atUrl, typed);
  const isRevision = typed.includes(':') && mayBeRevisionPath(typed);
  const unlessPath = isRevision ? () => openRevision(typed, call) : undefined;
  const found = await findTarget(target, grammar, call, true, unlessPath);
  if ('resource' in found) return found;
  return (found.subject.rest !== '' && (await codeAnswer(found, call))) || openFound(found, call);
}

/** What is at a URL or a revision: a text names its own. */
function byItsUrl(resource: Resource, typed: string): ResolvedTarget {
  const url = resource.kind === 'text' ? resource.target : typed;
  return { resource, target: url, resolvedPath: url };
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Opens a URL: a web page or an entry of another scheme. Undefined for a path. */
async function openUrl(target: string, call: Call): Promise<Resource | undefined> {
  if (isWeb(target) && !(await isPath(target, call))) return openWeb(target, call);
  if (!SCHEME.test(target)) return undefined;
  const { schemeOf } = await import('../formats/resources/table.ts');
  const named = schemeOf(target, call.settings);
  return named?.scheme.open(named.rest, call);
}

/** Whether a target such as `www.example.com` is a path, because a directory may have the name of a host. */
async function isPath(target: string, call: Call): Promise<boolean> {
  if (!/^www\./i.test(target)) return false;
  const name = /^[^/:?#]+/.exec(target)?.[0] ?? target;
  return (await kindAt(name, call)) !== undefined;
}

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", '`': '`', '<': '>' };

/** Removes quotes and brackets as in Markdown and shells: `<https://h/x>`, `"https://h/x"`, `<https://h/x>:5..9`. */
function unwrapped(target: string): string {
  const bare = target.trim();
  const close = CLOSING[bare.charAt(0)];
  const at = close === undefined ? -1 : bare.lastIndexOf(close);
  if (at <= 1 || !/^(:|$)/.test(bare.slice(at + 1))) return bare;
  return bare.slice(1, at).trim() + bare.slice(at + 1);
}

/** `HEAD:src/app.ts`, for targets that are no file. */
async function openRevision(typed: string, call: Call): Promise<ResolvedTarget | undefined> {
  const { openRevisionPath } = await import('../formats/git/open.ts');
  const resource = await openRevisionPath(typed, call);
  return resource && byItsUrl(resource, typed);
}

async function openFound({ subject, suffix }: FoundTarget, call: Call): Promise<ResolvedTarget> {
  try {
    const resource = await call.open(subject);
    return { resource, target: subject.typed, resolvedPath: subject.path, suffix };
  } catch (error) {
    throw subject.opened.kind === 'file' ? withShell(error, subject.typed) : error;
  }
}

/** The answer to a question about code below a path; undefined if the target is not such a question. */
async function codeAnswer({ subject, suffix }: FoundTarget, call: Call): Promise<ResolvedTarget | undefined> {
  const answer = await answerAboutCode(subject, call);
  if (!answer) return undefined;
  if (!('target' in answer)) return { ...answer, target: subject.typed, resolvedPath: subject.path, suffix };
  const found = await resolve(answer.target, 'selectors', call);
  const { resource } = found;
  const isSame = resource.kind === 'text' && answer.isAsParsed(resource.bytes.identity.key);
  return withPlace(isSame ? found : await resolve(answer.byName, 'selectors', call), answer);
}

/** Undefined unless the target asks about the code of a directory or an archive, or about the importers of a file. */
async function answerAboutCode(subject: SourceSubject, call: Call): Promise<CodeReadResult | undefined> {
  const { typed, rest, opened } = subject;
  const mayAsk = endsInCodeQuestion(rest);
  // A table or a sheet may have the name `refs`.
  if (mayAsk && /^(?:sqlite|document)$/.test(sourceFor(subject, undefined).format)) return undefined;
  if (mayAsk && claimsArchive(subject))
    return (await import('../search/code/archive-code.ts')).answerInArchive(subject, call);
  const asked = parseCodeQuestion(typed, rest, opened.kind);
  return asked && (await import('../search/code/answer-code.ts')).answerCode(subject, asked, call);
}

/** Adds a notice with the file and lines of a symbol that was requested only by its name. */
function withPlace(found: ResolvedTarget, { target }: { readonly target: string }): ResolvedTarget {
  const { resource } = found;
  if (resource.kind !== 'text') return found;
  const place: Notice = { kind: 'said', text: `Declared in ${oneLine(target)}` };
  return { ...found, resource: { ...resource, notes: [...(resource.notes ?? []), place] } };
}

// What was opened, as a result.

async function readFound(
  found: ResolvedTarget,
  asked: TextRequest,
  call: Call,
  policy: TextPolicy,
): Promise<SingleResult> {
  const { resource } = found;
  const origin = originOf(found);
  switch (resource.kind) {
    case 'image':
      return { ...origin, kind: 'image', resource };
    case 'note':
      return { ...origin, kind: 'note', resource };
    case 'mixed': {
      const result = await readText(resource.text, origin, asked, call, policy);
      if (result.kind !== 'text' || !result.excerpt.span) return result;
      const { images, notes } = await resource.images(result.excerpt.span);
      return { ...result, images, notes: [...result.notes, ...notes] };
    }
    case 'text':
      return readText(resource, origin, asked, call, policy);
  }
}

function originOf({ resource, target, resolvedPath, suffix }: ResolvedTarget): ReadOrigin {
  const text = resource.kind === 'mixed' ? resource.text : resource;
  const facts = ('facts' in resource && resource.facts) || {};
  const origin: Mutable<ReadOrigin> = { target, resolvedPath, format: resource.format, facts };
  if (suffix) origin.suffix = suffix;
  if (text.kind === 'text') origin.identity = text.bytes.identity;
  return origin;
}

// Lines of a file, for dialects with fields for lines. A request that names a remote workspace goes to the reader that the host gave
// under that name; its reply is cut at the same limits as a local read.

export async function readLines(request: LinesRequest, call: Call, policy: TextPolicy): Promise<LinesResult> {
  const { path, range, wholeUpTo = Number.POSITIVE_INFINITY, entries, on } = request;
  if (on !== undefined) return readInWorkspace(request, on, call);
  let found: ResolvedTarget;
  try {
    found = await resolve(path, 'literal', call);
  } catch (error) {
    if (!entries || !isOrielError(error) || error.code !== 'IS_DIRECTORY') throw error;
    return (await import('../search/list.ts')).list({ kind: 'list', path, ...entries }, call);
  }
  const { resource } = found;
  if (resource.kind === 'text' && (resource.bytes.size ?? 0) > wholeUpTo) {
    return { ...originOf(found), kind: 'too-large', bytes: resource.bytes.size ?? 0, most: wholeUpTo };
  }
  const selection = { window: { kind: 'lines', ranges: [range], context: false } } as const;
  return readFound(found, { selection, summarize: false }, call, policy);
}

async function readInWorkspace(request: LinesRequest, name: string, call: Call): Promise<WorkspaceResult> {
  const workspace = workspaceNamed(name, call.settings.workspaces);
  const lines = await askWorkspace(workspace, name, request, call.signal);
  const bytes = Buffer.byteLength(lines.content);
  if (bytes > call.limits.bytes) {
    throw new OrielError(
      'LIMIT',
      `The workspace ${quote(name)} answered ${plural(bytes, 'byte')}, more than the ${call.limits.bytes} of an answer. ` +
        'Read less at a time using offset and limit parameters.',
    );
  }
  return { kind: 'workspace', lines };
}

async function askWorkspace(
  workspace: Workspace,
  name: string,
  { path, range: { from, to }, wholeUpTo }: LinesRequest,
  signal: AbortSignal,
): Promise<FileLines> {
  try {
    const lines: Partial<FileLines> | undefined = await workspace.readFileLines({
      path,
      offset: from,
      // For a whole file no line limit is sent: the limit of the workspace for whole files applies.
      ...(wholeUpTo === undefined && to !== undefined && { limit: to - from + 1 }),
      signal,
    });
    if (typeof lines?.content !== 'string') throw new TypeError('readFileLines returned no content');
    return lines as FileLines;
  } catch (error) {
    throw isOrielError(error) || signal.aborted ? error : hostError(`workspaces: ${quote(name)}`, error);
  }
}

/** `owner/name` may also be known as `name`. */
function workspaceNamed(name: string, workspaces: Readonly<Record<string, Workspace>>): Workspace {
  for (const known of [name, name.slice(name.lastIndexOf('/') + 1)]) {
    const workspace = Object.hasOwn(workspaces, known) ? workspaces[known] : undefined;
    if (workspace) return workspace;
  }
  const others = Object.keys(workspaces).map((known) => `, ${known}`);
  throw new OrielError(
    'BAD_INPUT',
    others.length === 0
      ? `There is no workspace ${quote(name)} here. Use local for this machine.`
      : `There is no workspace ${quote(name)} here. Use one of local${others.join('')}.`,
  );
}

// Reads several paths in one string, `a.ts,b.ts:5-9`: each as if it were read alone, all within one budget.

/** Errors after which the string is not tried as a list. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BUSY',
  'CANCELLED',
  'DENIED',
  'PRIVATE',
  'OUTSIDE_ROOT',
  'TIMEOUT',
]);

/**
 * Undefined if the string is not a list of two or more paths. `cause` is the error of reading it as one path. Throws if only
 * some of them exist, or if there are too many.
 */
async function readSeveral(
  request: ReadRequest,
  cause: OrielError,
  call: Call,
  policy: TextPolicy,
): Promise<SeveralResult | undefined> {
  if (FINAL.has(cause.code)) return undefined;
  const { target } = request;
  const paths = await pathsThatExist(target, call);
  if (!paths) {
    const error = await explainPartialList(target, call);
    if (error) throw error;
    return undefined;
  }
  const parts: PartResult[] = [];
  let left = call.limits;
  for (const [at, typed] of paths.entries()) {
    const share = shareOf(left, paths.length - at, typed);
    if (typeof share === 'string' && at > 0) {
      parts.push(...paths.slice(at).map((path) => ({ typed: path, result: { full: share } })));
      break;
    }
    // The header of the first path may be larger than the whole budget.
    const limits = typeof share === 'string' ? call.limits : share;
    const result = await readOne(
      { ...request, target: typed },
      { ...call, limits, isPart: true },
      policy,
    ).catch((error: unknown) => {
      if (!isOrielError(error)) throw error;
      call.signal.throwIfAborted();
      return error;
    });
    parts.push({ typed, result });
    left = remainingLimits(left, partHeader(typed) + textOf(result), call);
  }
  const first = parts.map(({ result }) => result).find(isResult);
  if (!first) return undefined;
  const { format, resolvedPath } = first;
  return { kind: 'several', target, resolvedPath, format, facts: {}, parts };
}

function isResult(result: PartResult['result']): result is SingleResult {
  return !('full' in result) && !isOrielError(result);
}

/** The paths of a list in the form of notices; undefined unless all of them exist. Throws `LIMIT` for more than are read. */
async function pathsThatExist(target: string, call: Call): Promise<string[] | undefined> {
  for (const paths of pathLists(target)) {
    if (paths.length < 2 || paths.includes('')) continue;
    const found = await Promise.all(
      paths.slice(0, MAX_LISTED_PATHS).map((path) => canonicalTarget(path, call)),
    );
    const names = found.filter((name) => name !== undefined);
    if (names.length < found.length) continue;
    if (paths.length === names.length) return names;
    const next = listOf(names);
    // The call is not shortened, because it is to be copied.
    const advice =
      next === undefined
        ? 'Read the others in another call.'
        : `Use ${oneLine(next)} for the first ${MAX_LISTED_PATHS}, then read the others.`;
    throw advised('LIMIT', `At most ${MAX_LISTED_PATHS} paths are read in one call.`, advice, { next });
  }
  return undefined;
}

/** Undefined if a path has a comma in its name, so that the string would be read as other paths. */
function listOf(names: readonly string[]): string | undefined {
  const list = names.join(',');
  return pathsIn(list).length === names.length ? list : undefined;
}

/** A slash or an extension, and none of the characters of prose, shells and quotations. */
const PATH_FORM = /^(?=.*[/\\.])[^\s"'`|<>&$;{}]+$/;

/**
 * The error for a list of which only some paths exist: about the first that is missing, with the call for the others. Undefined
 * if `target` may be something else: one mistyped path, a URL, a shell command, prose.
 */
async function explainPartialList(target: string, call: Call): Promise<OrielError | undefined> {
  const paths = pathsIn(target);
  if (paths.length < 2 || paths.length > MAX_LISTED_PATHS || target.includes('://')) return undefined;
  const found = await Promise.all(paths.map((path) => canonicalTarget(path, call)));
  const names = [...new Set(found.filter((name) => name !== undefined))];
  const missing = paths.filter((_, at) => found[at] === undefined);
  const [first] = missing;
  if (first === undefined || names.length === 0 || !missing.every((path) => PATH_FORM.test(path)))
    return undefined;
  // The string is one path if its commas belong to a query or a member name.
  if ((await canonicalTarget(target, call)) !== undefined) return undefined;
  const cause = await findTarget(first, 'selectors', call, false).catch((error: unknown) => error);
  call.signal.throwIfAborted();
  if (!isOrielError(cause)) return undefined;
  const next = listOf(names) ?? names[0] ?? '.';
  const others = paths.length === 2 ? 'the other path' : 'the others';
  return advised(cause.code, cause.why, `Use ${quote(next)} for ${others}.`, { next, cause });
}

/** The text that counts towards the budget, including notices. */
function textOf(result: SingleResult | OrielError): string {
  if (isOrielError(result)) return result.message;
  const { content } = readAnswer(result, wording);
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

/** A share with fewer bytes than this is too small if others need one as well. */
const MIN_SHARE_BYTES = 256;

/** The size of a part's notice: bytes without the paths in it, the most paths in it, and its lines. */
const NOTICE = { bytes: 200, paths: 3, lines: 3 };

/**
 * An equal share of what is left for `parts` paths, without its header and notices, but enough for a few lines: so the first
 * paths are shown, and the last are not. The limit that is used up, if there is no room for the next one.
 */
function shareOf(left: Limits, parts: number, typed: string): Limits | CutBy {
  const others = parts > 1;
  const taken =
    Buffer.byteLength(partHeader(typed)) +
    (others ? NOTICE.bytes + NOTICE.paths * Buffer.byteLength(typed) : 0);
  const least = Math.max(1, Math.min(MIN_SHARE_BYTES, left.bytes / 2));
  const bytes = Math.max(Math.floor(left.bytes / parts), Math.ceil(least) + taken) - taken;
  const part = (limit: number): number => (Number.isFinite(limit) ? Math.floor(limit / parts) : limit);
  const answerLines = Math.max(part(left.answerLines), NOTICE.lines + 1) - (others ? NOTICE.lines : 0);
  if (left.lines < 1 || left.answerLines < answerLines) return 'lines';
  if (left.tokens < 1) return 'tokens';
  if (left.bytes < bytes + taken) return 'bytes';
  const lines = Math.max(1, part(left.lines));
  const tokens = Math.max(1, part(left.tokens));
  return { ...left, bytes, lines, answerLines, tokens, line: Math.min(left.line, bytes) };
}

/** What is left of a budget after `shown`, the text of a part with its header and notices. */
function remainingLimits(left: Limits, shown: string, { settings }: Call): Limits {
  const { tokens: count = estimateTokens } = settings;
  const shownLines = shown.split('\n').length;
  return {
    ...left,
    bytes: Math.max(0, left.bytes - shownSize(shown, left)),
    lines: Math.max(0, left.lines - (shownLines - 2)),
    answerLines: Math.max(0, left.answerLines - shownLines),
    tokens: Math.max(0, left.tokens - count(shown)),
  };
}
