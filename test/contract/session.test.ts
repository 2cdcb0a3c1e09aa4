/**
 * Law 3 as a model: random sequences of calls, several at a time, over every dialect, source, selector and limit, in
 * one session that lives through all of them. The model is a session that has never seen anything else: each call is
 * answered as it answers it. What differs by design are the numbers of kept outputs.
 *
 * ORIEL_MODEL_SEED and ORIEL_MODEL_RUNS make other and longer runs; a failure prints the seed that repeats it.
 *
 * @module-tag slow
 */

import { setImmediate as tick, setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { createOriel, type DialectName, type LimitOptions, type Oriel } from '../../src/index.ts';
import { createSession, type SessionOptions } from '../../src/session/session.ts';
import { temporaryFolder } from '../support/commands.ts';
import { callsOf, numbered, place } from '../support/dialect.ts';
import { sourceCases } from './sources/cases.ts';
import { small } from './sources/texts.ts';

const seed = Number(process.env['ORIEL_MODEL_SEED'] ?? 20_251);
const numRuns = Number(process.env['ORIEL_MODEL_RUNS'] ?? 7);

/** Whom the calls are for: instances over one session, each with a dialect and limits of its own. */
interface Host {
  readonly dialect: DialectName;
  readonly limits: LimitOptions;
  readonly display: 'numbers' | 'hashline' | 'plain';
}

interface ModelCall {
  readonly host: Host;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  /** Cancelled after so many turns of the event loop: nobody looks at its answer. */
  readonly cancelAfter?: number;
}

/** What is written in between: the version of a file. */
interface Edit {
  readonly file: string;
  readonly version: number;
}

type Step = { readonly edit: Edit } | { readonly calls: readonly ModelCall[] };

const code = (names: number): string =>
  Array.from(
    { length: names },
    (_, i) => `export function f${i}(a: number) {\n  return a + ${i};\n}\n\n`,
  ).join('');

/** Files that change, each with its versions. The first two of a file are equally long. */
const edited: Readonly<Record<string, readonly string[]>> = {
  'edited.txt': [numbered(1, 400), numbered(1, 400).replaceAll('7', '8'), numbered(5, 90, ' ü')],
  'edited.ts': [
    code(300),
    code(300).replaceAll('f7', 'g7'),
    `${code(20)}<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n`,
  ],
};

const selectors = [
  ...',,,:3..7,:5-6,:-3,:@10+64,:@0,:raw,:raw:2-4,:2..,:40..:raw,:-2@200,:99999,:@99999999'.split(','),
  ...':outline,:outline:2..3,:#f7,:#g7,:conflicts,:9..9:raw'.split(','),
  ':1..1,4..5',
];

const paths = [
  ...sourceCases.flatMap(({ path, others = [] }) => [path, ...others]),
  ...Object.keys(edited),
  ...Object.keys(edited),
  ...'. d none utf16.txt a.zip:none artifact://x'.split(' '),
  'app.db?q=delete from users',
];
const files = ['prose.txt', 'edited.txt', 'edited.ts', 'utf16.txt', 'none', 'd', 'prose.txt.gz', 'i.png'];

const some = fc.constantFrom;
const line = some(1, 2, 7, 60, 300, 99_999);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const commands = ['echo hi', 'cat edited.txt', 'seq 5000', 'echo a; exit 3', 'yes | head -c 200000', 'true'];

/** `[tool, input]` by dialect; fields that are undefined are not there. */
const calls: Readonly<Record<DialectName, fc.Arbitrary<[string, object]>>> = {
  oriel: fc.oneof(
    { weight: 6, arbitrary: fc.tuple(some(...paths), some(...selectors)).map(read) },
    ...lists(),
    fc.record({ command: some(...commands) }).map((input): [string, object] => ['bash', input]),
  ),
  pi: callsOfPi(),
  'pi@0.74': callsOfPi(),
  'pi@1.6': callsOfPi(),
  zed: fc
    .oneof(
      fc.record({ path: some(...files), start_line: maybe(line), end_line: maybe(line) }),
      fc.record({ path: some(...files), start_byte: maybe(line), max_bytes: maybe(some(64, 500, 65_536)) }),
    )
    .map((input): [string, object] => ['read_file', input]),
  zdx: callsOfZdx(),
  'zdx@0.10': callsOfZdx(),
  coder: fc
    .record({ path: some(...files), offset: maybe(line), limit: maybe(line) })
    .chain((input) =>
      some<[string, object]>(
        ['read_file', { ...input, path: `/W/${input.path}` }],
        ['coder_workspace_read_file', { ...input, path: `/W/${input.path}`, workspace: 'local' }],
      ),
    ),
};

function callsOfPi(): fc.Arbitrary<[string, object]> {
  return fc.oneof(callsOfZdx(), ...lists());
}

function callsOfZdx(): fc.Arbitrary<[string, object]> {
  return fc.oneof(
    fc
      .record({ path: some(...files), offset: maybe(line), limit: maybe(line) })
      .map((input): [string, object] => ['read', input]),
    fc.record({ command: some(...commands) }).map((input): [string, object] => ['bash', input]),
  );
}

function read([path, selector]: readonly [string, string]): [string, object] {
  return ['read', { path: path + selector }];
}

function lists(): fc.Arbitrary<[string, object]>[] {
  const [limit, path] = [maybe(some(1, 3, 50)), maybe(some('.', 'd', 'edited.ts', 'none'))];
  return [
    fc
      .record({
        pattern: some('7', 'words', 'f1\\d', '[', 'nowhere'),
        path,
        limit,
        context: maybe(some(0, 2)),
      })
      .map((input): [string, object] => ['grep', input]),
    fc
      .record({ pattern: some('*.txt', '**/*', 'none*'), path, limit })
      .map((input): [string, object] => ['find', input]),
    fc.record({ path, limit }).map((input): [string, object] => ['ls', input]),
  ];
}

const hosts: fc.Arbitrary<Host> = fc.record({
  dialect: some<DialectName>(
    'oriel',
    'oriel',
    'oriel',
    'pi',
    'pi@0.74',
    'pi@1.6',
    'zed',
    'zdx',
    'zdx@0.10',
    'coder',
  ),
  limits: some<LimitOptions>(
    {},
    {},
    { lines: 5 },
    { bytes: 300 },
    { lines: 40, bytes: 2000, countBytes: 1000 },
  ),
  display: some<Host['display']>('numbers', 'hashline', 'plain'),
});

const modelCall: fc.Arbitrary<ModelCall> = hosts.chain((host) =>
  fc
    .tuple(calls[host.dialect], fc.option(fc.integer({ min: 0, max: 30 }), { freq: 12, nil: undefined }))
    .map(([[tool, input], cancelAfter]) => ({
      host,
      tool,
      input: defined(input),
      ...(cancelAfter !== undefined && { cancelAfter }),
    })),
);

function defined(input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ calls: fc.array(modelCall, { minLength: 1, maxLength: 8 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      edit: fc.record({ file: some(...Object.keys(edited)), version: fc.integer({ min: 0, max: 2 }) }),
    }),
  },
);

/** What a busy machine may answer: the work has a time of its own. */
const HURRIED = /took too long|took longer than|BUSY|TIMEOUT|too busy/;

/** Sessions over one directory in which everything lies that is read. */
class World {
  readonly #folder: string;
  readonly #state = temporaryFolder();
  readonly #write: (path: string, content: string | Uint8Array) => string;
  /** Answers of sessions that saw nothing else, by call and by how often something was edited. */
  readonly #fresh = new Map<string, string>();
  /** Counted, because a directory lists what was written last first. */
  #edits = 0;

  constructor(folder: string, write: (path: string, content: string | Uint8Array) => string) {
    this.#folder = folder;
    this.#write = write;
  }

  static async create(): Promise<World> {
    const { folder, write, oriel, call } = place('oriel');
    for (const source of sourceCases) await source.furnish({ folder, write, oriel, call }, 'small');
    write('utf16.txt', Buffer.from(`\ufeff${small}`, 'utf16le'));
    const world = new World(folder, write);
    for (const file of Object.keys(edited)) await world.edit({ file, version: 0 });
    return world;
  }

  async edit({ file, version }: Edit): Promise<void> {
    this.#write(file, edited[file]?.[version] ?? '');
    this.#edits += 1;
    // What has only just been written is not kept: then there would be nothing to try.
    await sleep(30);
  }

  /** Every instance over a new session that has kept the same output as all others. */
  async session(options: SessionOptions = {}): Promise<LivingSession> {
    const session = createSession({ ...options, spills: { state: this.#state } });
    const living = new LivingSession((host) =>
      createOriel({
        cwd: this.#folder,
        roots: [this.#folder],
        session,
        now: () => 0,
        timeoutMs: 120_000,
        ...host,
      }),
    );
    const oriel = createOriel({ cwd: this.#folder, session });
    // The files are there already: written again, they would be newer.
    const here = { folder: this.#folder, write: (path: string) => path, oriel, call: callsOf(oriel) };
    for (const { scheme, furnish } of sourceCases) if (scheme) await furnish(here, 'small');
    return living;
  }

  /** What a session answers that has seen nothing else. */
  async model(call: ModelCall): Promise<string> {
    const { cancelAfter: _, ...asked } = call;
    const key = JSON.stringify([asked, this.#edits]);
    let answer = this.#fresh.get(key);
    if (answer === undefined) {
      const session = await this.session();
      answer = await this.ask(session, asked);
      await session.close();
      if (!HURRIED.test(answer)) this.#fresh.set(key, answer);
    }
    return answer;
  }

  /** The answer, without what differs between sessions by design. */
  async ask(session: LivingSession, { host, tool, input, cancelAfter }: ModelCall): Promise<string> {
    const controller = new AbortController();
    const path =
      typeof input['path'] === 'string' ? input['path'].replace(/^\/W\//, `${this.#folder}/`) : undefined;
    const asked = session
      .host(host)
      .tool(tool)
      .run(path === undefined ? input : { ...input, path }, { signal: controller.signal });
    if (cancelAfter !== undefined) {
      for (let turns = 0; turns < cancelAfter; turns += 1) await tick();
      controller.abort();
    }
    const answer = JSON.stringify(await asked);
    return tool === 'bash'
      ? answer.replaceAll(KEPT, 'KEPT')
      : answer.replaceAll(this.#state, 'STATE').replaceAll(/\/sessions\/[\w-]+/g, '');
  }
}

/** How a kept output is named. */
const KEPT = /artifact:\/\/\d+|\/[^" ]*\/\d+\.(?:log|out|err)/g;

/** The instances over one session. */
class LivingSession {
  readonly #create: (host: Host) => Oriel;
  readonly #hosts = new Map<string, Oriel>();

  constructor(create: (host: Host) => Oriel) {
    this.#create = create;
  }

  host(host: Host): Oriel {
    const key = JSON.stringify(host);
    const known = this.#hosts.get(key) ?? this.#create(host);
    this.#hosts.set(key, known);
    return known;
  }

  async close(): Promise<void> {
    for (const oriel of this.#hosts.values()) await oriel.close();
  }
}

const ROOMS: Readonly<Record<string, SessionOptions>> = {
  'for everything': {},
  'for almost nothing': { store: { memory: 64 << 10, disk: 64 << 10, descriptors: 2 } },
};

test('law 3: earlier calls change no answer, whatever store', async () => {
  const world = await World.create();
  const sessions: (readonly [room: string, session: LivingSession])[] = [];
  for (const [room, options] of Object.entries(ROOMS)) {
    const session = await world.session(options);
    onTestFinished(() => session.close());
    sessions.push([room, session]);
  }
  const seen = { compared: 0, refused: 0 };
  const steps = fc.array(step, { minLength: 1, maxLength: 12 });
  const property = fc.asyncProperty(steps, async (sequence) => {
    for (const now of sequence) {
      if ('edit' in now) {
        await world.edit(now.edit);
        continue;
      }
      for (const [room, session] of sessions) {
        const answers = await Promise.all(now.calls.map((call) => world.ask(session, call)));
        for (const [i, call] of now.calls.entries()) {
          const answer = answers[i] ?? '';
          if (call.cancelAfter !== undefined) continue;
          if (HURRIED.test(answer)) {
            seen.refused += 1;
            continue;
          }
          seen.compared += 1;
          expect({ room, call, answer }).toEqual({ room, call, answer: await world.model(call) });
        }
      }
    }
  });
  // The session remembers what came before, so a failure cannot be made smaller by leaving steps out.
  await fc.assert(property, { seed, numRuns, endOnFailure: true });
  // A product that is always too busy answers nothing that could be wrong.
  expect(seen.refused, JSON.stringify(seen)).toBeLessThan(seen.compared / 20);
}, 600_000);
