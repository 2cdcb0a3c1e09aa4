/**
 * `grep`: our own walk opens the files inside the roots and passes their bytes to ripgrep, which reports the matching lines.
 * Shown lines and counts come from the same bytes.
 */

import { basename, join } from 'node:path';
import { latin1ToPath } from '../files/held-directory.ts';
import { findEncoding } from '../code/text-input.ts';
import { advised, OrielError } from '../errors.ts';
import { lentFile } from '../files/file.ts';
import { checkGlobSyntax } from '../files/glob-text.ts';
import { checkGlob, isElsewhere } from '../files/glob.ts';
import { isFault } from '../files/system-failure.ts';
import type { FileSubject } from '../formats/archive/members.ts';
import { refuseStored } from '../formats/table.ts';
import { isBinary } from '../formats/text/open.ts';
import { withProgress } from '../queues/caller.ts';
import { openTarget, type SearchStart, shownBelow, shownTarget, startPath } from '../target/open-target.ts';
import { readAt, readSourceHead } from '../text/bytes.ts';
import { isNearlyText } from '../text/encoding.ts';
import { isUtf8Start } from '../text/legacy-encoding.ts';
import { quote } from '../text/visible.ts';
import type { OpenedDirectory, OpenedFile } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { TextEncoding } from '../types/excerpt.ts';
import type { CountRequest, SearchRequest } from '../types/request.ts';
import type { ListResult, SearchHint, SearchResult } from '../types/result.ts';
import { GapsSeen } from '../walk/gaps.ts';
import type { LargeTextFile, WalkFilter } from '../walk/walk-messages.ts';
import { WaitCondition, WalkBroken, type WalkOptions, WalkRun } from '../walk/walk-run.ts';
import { containerSubject, isPackedBinary, textsInside } from './container-texts.ts';
import { containerInput } from './markdown-input.ts';
import { checkRange } from './page-bounds.ts';
import { foreignRegex, hasEscapedBar } from './pattern.ts';
import { type GrowingInput, type SearchInput, TextPortion } from './search-input.ts';
import { isSearchLate, recordGap, type SearchRun } from './search-run.ts';
import { CountSink, MatchSink, type PathNaming, type SearchSink } from './sinks.ts';
import { MultilinePortion, openedInput } from './whole-text-input.ts';

/**
 * The answer is deterministic: it does not depend on the timing of threads. Throws `BAD_REGEX`, `BAD_INPUT`, `UNSUPPORTED`
 * for databases and binaries, `LIMIT` if the walk or ripgrep failed before anything was found, and the errors of opening.
 */
export async function search(request: SearchRequest, call: Call): Promise<SearchResult> {
  const found = new MatchSink(request, call);
  const hint = await lookThrough(found, call);
  const result = await found.result();
  const nothing = result.found === 0 && result.beyond === undefined;
  return { ...result, ...(await advice(result, nothing, hint, request, call)) };
}

/** Lists the files that contain a match, sorted. Deterministic, with the same errors as `search`. */
export async function countMatches(request: CountRequest, call: Call): Promise<ListResult> {
  const counts = new CountSink(request, call);
  const hint = await lookThrough(counts, call);
  const result = counts.result();
  const nothing = result.entries.length === 0 && result.beyond === undefined;
  return { ...result, ...(await advice(result, nothing, hint, request, call)) };
}

/** A hint if nothing was found (or the pattern has an escaped bar), and what was left out. */
async function advice(
  result: Pick<SearchResult, 'next' | 'gaps'>,
  nothing: boolean,
  hint: SearchHint | undefined,
  { pattern, literal, inside, path, glob }: SearchRequest | CountRequest,
  call: Call,
): Promise<Pick<SearchResult, 'hint' | 'passed' | 'tokens'>> {
  const misread = literal || !(nothing || hasEscapedBar(pattern)) ? undefined : foreignRegex(pattern);
  const search = {
    tool: 'grep',
    path,
    glob,
    selectors: inside !== undefined,
    passesContainers: inside === 'named',
    nothing,
  } as const;
  const { garbled, undecoded } = result.gaps.passed ?? {};
  const leaves = nothing || garbled !== undefined || undecoded !== undefined;
  return {
    hint: (nothing ? (hint ?? (await elsewhere(path, glob, call))) : undefined) ?? misread,
    passed: leaves ? await (await import('./passed-over.ts')).passedOver(result, search, call) : undefined,
    tokens: call.settings.tokens,
  };
}

async function elsewhere(
  path: string | undefined,
  glob: string | undefined,
  call: Call,
): Promise<SearchHint | undefined> {
  if (path === undefined || !glob?.includes('/')) return undefined;
  return (await import('./search-scope.ts')).elsewhereHint(path, glob, 'glob', call);
}

/** Searches everything until the sink is full. Returns a hint for an answer without matches. */
async function lookThrough(sink: SearchSink, call: Call): Promise<SearchHint | undefined> {
  const { request } = sink.search;
  checkRange(request);
  if (request.sort) (await import('./search-by-time.ts')).checkSort(request);
  const { path: typed = '.', glob } =
    request.glob && isElsewhere(request.glob)
      ? await (await import('./search-scope.ts')).placedGlob(request.glob, request.path, 'glob', call)
      : request;
  // As in ripgrep, an empty glob is none.
  if (request.glob) checkGlobSyntax(request.glob, 'glob');
  const named =
    request.type === undefined
      ? undefined
      : await (await import('./search-scope.ts')).typeGlob(request.type, call.signal);
  const searchFrom = async (
    { opened, path }: SearchStart,
    into: SearchSink,
  ): Promise<SearchHint | undefined> => {
    try {
      return await withProgress(call, 'searching', () =>
        opened.kind === 'file'
          ? searchFile(opened, path, into, call)
          : searchDirectory(opened, { typed: path, named, glob }, into, call),
      );
    } finally {
      await opened.close();
    }
  };
  const start = await openTarget(typed, call).catch((error: unknown) => listed(typed, error, call));
  return 'opened' in start ? searchFrom(start, sink) : searchAll(start, searchFrom, sink, call);
}

async function listed(typed: string, cause: unknown, call: Call): Promise<readonly string[]> {
  const paths = await (await import('./search-scope.ts')).listedTargets(typed, cause, call);
  if (paths) return paths;
  throw cause;
}

/** Searches one path after the other until the sink is full. */
async function searchAll(
  paths: readonly string[],
  searchFrom: (start: SearchStart, into: SearchSink) => Promise<SearchHint | undefined>,
  sink: SearchSink,
  call: Call,
): Promise<SearchHint | undefined> {
  let isFull = false;
  let hint: SearchHint | undefined;
  const watched: SearchSink = {
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

interface Below {
  /** The directory as it was typed, or in the spelling that exists. */
  readonly typed: string;
  readonly glob: string | undefined;
  /** A second glob that file names must match, from the file type. */
  readonly named: string | undefined;
}

async function searchDirectory(
  directory: OpenedDirectory,
  below: Below,
  sink: SearchSink,
  call: Call,
): Promise<SearchHint | undefined> {
  const { request, deadline, needle } = sink.search;
  const { glob, named } = below;
  const hint = glob ? checkGlob(glob) : undefined;
  const place = { directories: [directory.path, startPath(below.typed, call)], cwd: call.access.cwd };
  // Globs are matched in the walk thread, so that a slow glob does not block other calls.
  const filter: WalkFilter | undefined = glob ? { kind: 'glob', pattern: glob, place } : undefined;
  const names: PathNaming = {
    shown: shownBelow(below.typed, call),
    real: (path) => join(directory.path, path),
  };
  const options = { filter, named, front: names.shown('x').slice(0, -1) };
  const walkTexts = async (into: SearchSink, naming: PathNaming): Promise<void> => {
    const wants = { kind: 'texts', needle, isAscii: sink.search.isAscii, asStored: !request.inside } as const;
    const walk = await WalkRun.start(directory, { wants, ...options, deadline }, call);
    const inputs = new SearchInputs(walk, into.search, names.shown, call);
    try {
      for await (const input of inputs) if (!(await into.take(input, naming))) break;
    } finally {
      await inputs.close();
    }
  };
  if (request.sort === 'time') {
    const { takeByTime } = await import('./search-by-time.ts');
    await takeByTime({ directory, options, names }, sink, walkTexts, call);
  } else await walkTexts(sink, names);
  if (request.inside === 'below') await searchContainers(directory, names.shown, options, sink, call);
  return hint;
}

/** The most containers below a directory that are searched, and the most that are counted. */
const MAX_SEARCHED_CONTAINERS = 5_000;
const MAX_COUNTED_CONTAINERS = 50_000;

/**
 * Searches containers after the texts, in the order of their paths; those recognised only by their content come last.
 * Containers that cannot be read are recorded as gaps.
 */
async function searchContainers(
  directory: OpenedDirectory,
  shown: PathNaming['shown'],
  filters: Pick<WalkOptions, 'filter' | 'named'>,
  sink: SearchSink,
  call: Call,
): Promise<void> {
  const { deadline, gaps } = sink.search;
  const wants = { kind: 'paths', most: MAX_COUNTED_CONTAINERS + 1, containers: true } as const;
  const walk = await WalkRun.start(directory, { wants, ...filters, deadline }, call);
  const paths: string[] = [];
  const disguised = gaps.takeDisguised().map((path) => latin1ToPath(path));
  try {
    for await (const batch of walk.paths()) {
      paths.push(...batch);
      if (isSearchLate(sink.search)) break;
    }
  } catch (error) {
    if (!(error instanceof WalkBroken)) throw error;
    gaps.broken = true;
  } finally {
    await walk.close();
  }
  gaps.addAgain(walk.gaps);
  gaps.tooMany ||= paths.length > MAX_COUNTED_CONTAINERS;
  const all = [...paths.slice(0, MAX_COUNTED_CONTAINERS), ...disguised];
  for (const path of all.slice(0, MAX_SEARCHED_CONTAINERS)) {
    if (isSearchLate(sink.search)) return;
    const before = sink.shown;
    const part = call.part();
    try {
      const opened = await call.access.open(join(directory.path, path), call.signal);
      part.call.onEnd(() => opened.close());
      const container =
        opened.kind === 'file'
          ? await containerSubject(opened, basename(path), shown(path), part.call)
          : undefined;
      if (container && !(await takeInside(container, sink, part.call))) return;
    } catch (error) {
      if (isFault(error)) sink.search.breakOff(error);
      else recordGap(error, shown(path), sink.search, call);
    }
    // Keeping thousands of them open would use up all descriptors of the process.
    if (sink.shown === before) await part.end();
  }
  for (const path of all.slice(MAX_SEARCHED_CONTAINERS)) gaps.leaveUnread(shown(path));
}

/** Inside a container, the path of a text is already the call that reads it. */
const INSIDE: PathNaming = { shown: (path) => path };

/** Returns false when the sink is full. */
async function takeInside(container: FileSubject, sink: SearchSink, call: Call): Promise<boolean> {
  for await (const text of textsInside(container, sink, call))
    if (!(await sink.take(containerInput(text, sink.search, call), INSIDE))) return false;
  return true;
}

async function searchFile(file: OpenedFile, typed: string, sink: SearchSink, call: Call): Promise<undefined> {
  const { search } = sink;
  const shown = shownTarget(typed, call);
  const container = search.request.inside
    ? await containerSubject(file, basename(file.path), shown, call)
    : undefined;
  if (container) {
    if (await isPackedBinary(container, sink, call)) throw notText(shown);
    await takeInside(container, sink, call);
  } else {
    const head = await readSourceHead(file.bytes, call.signal);
    const encoding = await encodingOfNamed(file, shown, call);
    const { path } = file;
    await refuseStored({ typed: shown, rest: '', name: basename(path), path, opened: file, head }, call);
    // Kept outputs are not editable, so they have no real path for anchors.
    const real = call.session.spills.has(file.path) ? {} : { real: () => file.path };
    const input = openedInput(file, shown, encoding, search);
    await noteUndecoded(file, encoding, shown, input, search, call);
    await sink.take(input, { shown: () => shown, ...real });
  }
}

/** The most bytes that are looked at for what is not UTF-8. */
const MAX_CHECKED_BYTES = 1 << 20;

/** Records a text in no known encoding, in which what is searched may have other bytes. */
async function noteUndecoded(
  { bytes }: OpenedFile,
  { perhaps }: TextEncoding,
  shown: string,
  input: SearchInput,
  { isAscii }: SearchRun,
  { signal }: Call,
): Promise<void> {
  if (isAscii || perhaps === undefined || isUtf8Start(await readAt(bytes, 0, MAX_CHECKED_BYTES, signal)))
    return;
  const seen = new GapsSeen();
  seen.pass('undecoded', shown);
  input.gaps.add(seen.facts, 0);
}

/** The encoding of a file that was named directly. Throws `UNSUPPORTED` if it is not a text. */
async function encodingOfNamed(file: OpenedFile, typed: string, call: Call): Promise<TextEncoding> {
  const head = await readSourceHead(file.bytes, call.signal);
  const encoding = await findEncoding(file.bytes, call);
  if (encoding.unit > 1 || !isBinary(head)) return encoding;
  throw notText(typed, isNearlyText(head) ? `${typed}:raw` : typed);
}

function notText(typed: string, next = typed): OrielError {
  const why = `${quote(typed)} is not plain text: binary files are not searched.`;
  if (next !== typed) return advised('UNSUPPORTED', why, `Read ${quote(next)} instead.`, { next });
  return new OrielError('UNSUPPORTED', `${why} Read it instead.`, { next });
}

// Groups the files of a walk into inputs, in order. The next input is started while one is read.

/** The size of the first portion in bytes, and of the largest. The first is small, so that a page is soon full; sizes double. */
const INITIAL_PORTION_BYTES = 2 << 20;
const MAX_PORTION_BYTES = 32 << 20;

/** The most started inputs. Together they hold fewer bytes than one thread may have sent. */
const BEGUN = 2;

class SearchInputs implements AsyncIterable<SearchInput> {
  readonly #walk: WalkRun;
  readonly #search: SearchRun;
  readonly #shown: PathNaming['shown'];
  readonly #call: Call;
  readonly #changed = new WaitCondition();
  /** Started inputs; the first is the one being read. */
  readonly #begun: SearchInput[] = [];
  readonly #making: Promise<void>;
  #failure: unknown;
  #made = false;
  #closed = false;

  constructor(walk: WalkRun, search: SearchRun, shown: PathNaming['shown'], call: Call) {
    this.#walk = walk;
    this.#search = search;
    this.#shown = shown;
    this.#call = call;
    this.#making = this.#make().catch((error: unknown) => {
      this.#failure = error;
      this.#made = true;
      this.#changed.notify();
    });
  }

  /** An input is closed when the next one is requested. If the walk failed, this is recorded as a gap at the end. */
  async *[Symbol.asyncIterator](): AsyncGenerator<SearchInput, void> {
    for (;;) {
      const [input] = this.#begun;
      if (input) {
        yield input;
        await input.close?.();
        this.#begun.shift();
        this.#changed.notify();
      } else if (this.#made) break;
      else await this.#changed.wait();
    }
    if (this.#failure instanceof WalkBroken) this.#search.gaps.broken = true;
    else if (this.#failure !== undefined) throw this.#failure;
    this.#search.gaps.add(this.#walk.gaps);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#changed.notify();
    try {
      await this.#closeBegun();
    } finally {
      await this.#walk.close();
    }
    await this.#making;
    // Another input may have been started meanwhile.
    await this.#closeBegun();
  }

  async #closeBegun(): Promise<void> {
    await Promise.all(this.#begun.map((input) => input.close?.()));
  }

  async #make(): Promise<void> {
    let size = INITIAL_PORTION_BYTES;
    // Started before there is anything to search, so that an invalid pattern is reported even for an empty directory.
    let portion: GrowingInput | undefined = this.#portion();
    try {
      for await (const item of this.#walk.items()) {
        if (item.kind === 'large') {
          portion?.end();
          portion = undefined;
          await this.#room();
          await this.#file(item);
        } else {
          if (!portion) {
            await this.#room();
            portion = this.#portion();
          }
          portion.add(item);
          if (portion.size < size) continue;
          size = Math.min(size * 2, MAX_PORTION_BYTES);
          portion.end();
          portion = undefined;
        }
        if (this.#closed) return;
      }
    } finally {
      portion?.end();
    }
    this.#made = true;
    this.#changed.notify();
  }

  #portion(): GrowingInput {
    const Kind = this.#search.request.multiline ? MultilinePortion : TextPortion;
    const portion = new Kind(this.#search, (texts) => this.#walk.release(texts));
    this.#begin(portion);
    return portion;
  }

  async #file(item: LargeTextFile): Promise<void> {
    const path = latin1ToPath(item.path);
    const opened = await lentFile(item, path);
    if (!opened) throw new WalkBroken('The thread that held a file has ended.');
    const input = await this.#inputOf(opened, path).catch(async (error: unknown) => {
      await opened.close();
      throw error;
    });
    if (item.gaps) input.gaps.add(item.gaps, 0);
    const close = async (): Promise<void> => {
      await opened.close();
      this.#walk.release(item);
    };
    this.#begin({ ...input, close });
  }

  async #inputOf(file: OpenedFile, path: string): Promise<SearchInput> {
    const encoding = await findEncoding(file.bytes, this.#call);
    const input = openedInput(file, path, encoding, this.#search);
    await noteUndecoded(file, encoding, this.#shown(path), input, this.#search, this.#call);
    return input;
  }

  #begin(input: SearchInput): void {
    this.#begun.push(input);
    this.#changed.notify();
  }

  async #room(): Promise<void> {
    while (this.#begun.length >= BEGUN && !this.#closed) await this.#changed.wait();
  }
}
