/**
 * `grep`: our own walk opens the files inside the roots and passes their bytes to ripgrep, which reports the matching lines.
 * Shown lines and counts come from the same bytes.
 */

import { basename, join } from 'node:path';
import { headOf } from '../access/bytes.ts';
import { isFault } from '../access/system-failure.ts';
import { withProgress } from '../access/progress-timer.ts';
import { OrielError } from '../errors.ts';
import type { FileSubject } from '../sources/archive/container.ts';
import { isBinary } from '../sources/type-of-bytes.ts';
import { quote } from '../text/visible.ts';
import type { OpenedDirectory, OpenedFile } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { Encoding } from '../types/encoding.ts';
import type { CountRequest, SearchRequest } from '../types/request.ts';
import type { Hint, ListResult, SearchResult } from '../types/result.ts';
import { encodingOf } from '../views/source-encoding.ts';
import { checkGlob, globBelow } from '../walk/glob.ts';
import { checkGlobSyntax } from '../walk/glob-syntax.ts';
import { foreignRegex, hasEscapedBar } from './search/foreign-regex.ts';
import { MatchSink } from './search/match-sink.ts';
import { containerOf, isPackedBinary, textsInside } from './search/container-texts.ts';
import { recordGap } from './search/record-gap.ts';
import { isLate } from './search/may-match.ts';
import { ContainerTextInput } from './search/container-text-input.ts';
import type { ContainerText } from './search/text-sections.ts';
import type { Search } from './search/search-run.ts';
import type { Naming, Sink } from './search/sink.ts';
import { FileInput, type SearchInput } from './search/search-input.ts';
import { SearchInputs } from './search/search-inputs.ts';
import { CountSink } from './search/count-sink.ts';
import { WholeTextInput } from './search/whole-text-input.ts';
import { checkRange } from './walk/page-bounds.ts';
import { openTarget, shownBelow, shownTarget, type Start } from './walk/open-target.ts';
import { WalkBroken, WalkRun } from './walk/walk-run.ts';

/**
 * The answer is deterministic: it does not depend on the timing of threads. Throws `BAD_REGEX`, `BAD_INPUT`, `UNSUPPORTED`
 * for databases and binaries, `LIMIT` if the walk or ripgrep failed before anything was found, and the errors of opening.
 */
export async function search(request: SearchRequest, call: Call): Promise<SearchResult> {
  const found = new MatchSink(request, call);
  const hint = await lookThrough(found, call);
  const result = await found.result();
  const nothing = result.found === 0 && result.beyond === undefined;
  return { ...result, ...advice(result, nothing, hint, request), ...counterOf(call) };
}

/** Lists the files that contain a match, sorted. Deterministic, with the same errors as `search`. */
export async function count(request: CountRequest, call: Call): Promise<ListResult> {
  const counts = new CountSink(request, call);
  const hint = await lookThrough(counts, call);
  const result = counts.result();
  const nothing = result.entries.length === 0 && result.beyond === undefined;
  return { ...result, ...advice(result, nothing, hint, request), ...counterOf(call) };
}

const counterOf = ({ settings: { tokens } }: Call): Pick<SearchResult, 'tokens'> =>
  tokens ? { tokens } : {};

/** A hint if nothing was found (or the pattern has an escaped bar), and the number of containers that were not searched. */
function advice(
  { next, gaps }: Pick<SearchResult, 'next' | 'gaps'>,
  nothing: boolean,
  hint: Hint | undefined,
  { pattern, literal, inside }: SearchRequest | CountRequest,
): { readonly hint?: Hint; readonly passedOver?: number } {
  const misread = literal || !(nothing || hasEscapedBar(pattern)) ? undefined : foreignRegex(pattern);
  const why = nothing ? (hint ?? misread) : misread;
  // The number of containers is known only after the whole walk.
  const isWhole = next === undefined && !gaps.timedOut && !gaps.broken;
  const passedOver = inside === 'named' && isWhole ? gaps.containers : 0;
  return { ...(why && { hint: why }), ...(passedOver > 0 && { passedOver }) };
}

/** Searches everything until the sink is full. Returns a hint for an answer without matches. */
async function lookThrough(sink: Sink, call: Call): Promise<Hint | undefined> {
  const { request } = sink.search;
  checkRange(request);
  // As in ripgrep, an empty glob is none.
  if (request.glob) checkGlobSyntax(request.glob, 'glob');
  if (request.sort) (await import('./search/search-by-time.ts')).checkSort(request);
  const typed = request.path ?? '.';
  const named = request.type === undefined ? undefined : await globOfType(request.type, call);
  const searchFrom = async ({ opened, path }: Start, into: Sink): Promise<Hint | undefined> => {
    try {
      return await withProgress(call, 'searching', () =>
        opened.is === 'file'
          ? searchFile(opened, path, into, call)
          : searchDirectory(opened, { typed: path, named }, into, call),
      );
    } finally {
      await opened.close();
    }
  };
  const start = await openTarget(typed, call).catch((error: unknown) => listed(typed, error, call));
  return 'opened' in start ? searchFrom(start, sink) : searchAll(start, searchFrom, sink, call);
}

async function listed(typed: string, cause: unknown, call: Call): Promise<readonly string[]> {
  const paths = await (await import('./search/listed-targets.ts')).listedTargets(typed, cause, call);
  if (paths) return paths;
  throw cause;
}

/** Searches one path after the other until the sink is full. */
async function searchAll(
  paths: readonly string[],
  searchFrom: (start: Start, into: Sink) => Promise<Hint | undefined>,
  sink: Sink,
  call: Call,
): Promise<Hint | undefined> {
  let isFull = false;
  let hint: Hint | undefined;
  const watched: Sink = {
    search: sink.search,
    get shown() {
      return sink.shown;
    },
    knows: (path, matches) => sink.knows(path, matches),
    take: async (input, names) => !(isFull = !(await sink.take(input, names))),
  };
  for (const path of paths) {
    hint = (await searchFrom(await openTarget(path, call), watched)) ?? hint;
    if (isFull) break;
  }
  return hint;
}

async function globOfType(type: string, { signal }: Call): Promise<string> {
  return (await import('./search/type-glob.ts')).typeGlob(type, signal);
}

interface Below {
  /** The directory as it was typed, or in the spelling that exists. */
  readonly typed: string;
  /** A second glob that file names must match, from the file type. */
  readonly named: string | undefined;
}

async function searchDirectory(
  directory: OpenedDirectory,
  below: Below,
  sink: Sink,
  call: Call,
): Promise<Hint | undefined> {
  const { request, deadline, needle } = sink.search;
  const glob = request.glob && globBelow(directory.path, call.access.cwd, request.glob);
  const hint = glob ? checkGlob(glob) : undefined;
  const { named } = below;
  const options = {
    ...(glob && { filter: { is: 'glob', pattern: glob } as const }),
    ...(named !== undefined && { named }),
  };
  const walkTexts = async (into: Sink, names: Naming): Promise<void> => {
    const wants = { is: 'texts', needle, asStored: !request.inside } as const;
    const walk = await WalkRun.start(directory, { wants, ...options, deadline }, call);
    const inputs = new SearchInputs(walk, into.search, call);
    try {
      for await (const input of inputs) if (!(await into.take(input, names))) break;
    } finally {
      await inputs.close();
    }
  };
  const names: Naming = {
    shown: shownBelow(below.typed, call),
    real: (path) => join(directory.path, path),
  };
  if (request.sort === 'time') {
    const { takeByTime } = await import('./search/search-by-time.ts');
    await takeByTime({ directory, options, names }, sink, walkTexts, call);
  } else await walkTexts(sink, names);
  if (request.inside === 'below') await searchContainers(directory, { ...below, glob }, sink, call);
  return hint;
}

/** The most containers below a directory that are searched, and the most that are counted. */
const MOST_CONTAINERS = 5_000;
const MOST_COUNTED = 50_000;

/**
 * Searches containers after the texts, in the order of their paths; those recognised only by their content come last.
 * Containers that cannot be read are recorded as gaps.
 */
async function searchContainers(
  directory: OpenedDirectory,
  { typed, named, glob }: Below & { readonly glob: string | undefined },
  sink: Sink,
  call: Call,
): Promise<void> {
  const { deadline, gaps } = sink.search;
  const shown = shownBelow(typed, call);
  const wants = { is: 'paths', most: MOST_COUNTED + 1, containers: true } as const;
  // Globs are matched in the walk thread, so that a slow glob does not block other calls.
  const filter = glob ? ({ is: 'glob', pattern: glob } as const) : undefined;
  const options = { wants, ...(filter && { filter }), ...(named !== undefined && { named }), deadline };
  const walk = await WalkRun.start(directory, options, call);
  const paths: string[] = [];
  const disguised = gaps.takeDisguised().map((path) => Buffer.from(path, 'latin1').toString('utf8'));
  try {
    for await (const batch of walk.paths()) {
      paths.push(...batch);
      if (isLate(sink.search)) break;
    }
  } catch (error) {
    if (!(error instanceof WalkBroken)) throw error;
    gaps.broken = true;
  } finally {
    await walk.close();
  }
  gaps.addAgain(walk.gaps);
  gaps.tooMany ||= paths.length > MOST_COUNTED;
  const all = [...paths.slice(0, MOST_COUNTED), ...disguised];
  for (const path of all.slice(0, MOST_CONTAINERS)) {
    if (isLate(sink.search)) return;
    const before = sink.shown;
    const part = call.part();
    try {
      const opened = await call.access.open(join(directory.path, path), call.signal);
      part.call.onEnd(() => opened.close());
      const container =
        opened.is === 'file' ? await containerOf(opened, basename(path), shown(path), part.call) : undefined;
      if (container && !(await takeInside(container, sink, part.call))) return;
    } catch (error) {
      if (isFault(error)) sink.search.breakOff(error);
      else recordGap(error, shown(path), sink.search, call);
    }
    // Keeping thousands of them open would use up all descriptors of the process.
    if (sink.shown === before) await part.end();
  }
  for (const path of all.slice(MOST_CONTAINERS)) gaps.leaveUnread(shown(path));
}

/** Inside a container, the path of a text is already the call that reads it. */
const INSIDE: Naming = { shown: (path) => path };

/** Returns false when the sink is full. */
async function takeInside(container: FileSubject, sink: Sink, call: Call): Promise<boolean> {
  for await (const text of textsInside(container, sink, call))
    if (!(await sink.take(inputOf(text, sink.search, call), INSIDE))) return false;
  return true;
}

function inputOf(text: ContainerText, search: Search, call: Call): SearchInput {
  return search.request.multiline
    ? new WholeTextInput(text.source, text.encoding, text.sections, search)
    : new ContainerTextInput(text, search, call);
}

async function searchFile(file: OpenedFile, typed: string, sink: Sink, call: Call): Promise<undefined> {
  const { search } = sink;
  const shown = shownTarget(typed, call);
  const container = search.request.inside
    ? await containerOf(file, basename(file.path), shown, call)
    : undefined;
  if (container) {
    if (await isPackedBinary(container, sink, call)) throw notText(shown);
    await takeInside(container, sink, call);
  } else {
    const encoding = await encodingOfNamed(file, shown, call);
    // Kept outputs are not editable, so they have no real path for anchors.
    const real = call.session.spills.has(file.path) ? {} : { real: () => file.path };
    const input = search.request.multiline
      ? new WholeTextInput(file.bytes, encoding, [{ path: shown, lines: 0, start: 0 }], search)
      : new FileInput(file, shown, encoding, search);
    await sink.take(input, { shown: () => shown, ...real });
  }
}

/** The encoding of a file that was named directly. Throws `UNSUPPORTED` if it is not a text. */
async function encodingOfNamed(file: OpenedFile, typed: string, call: Call): Promise<Encoding> {
  const head = await headOf(file.bytes, call.signal);
  const encoding = await encodingOf(file.bytes, call);
  if (encoding.unit > 1 || !isBinary(head)) return encoding;
  throw notText(typed);
}

function notText(typed: string): OrielError {
  const message = `${quote(typed)} is not plain text: binary files are not searched. Read it instead.`;
  return new OrielError('UNSUPPORTED', message, { next: typed });
}
