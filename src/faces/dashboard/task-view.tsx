/** The view of a task: its totals, its timeline, its habits, and the coverage of each source. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isWhole } from '../../telemetry/habits.ts';
import {
  countWords,
  coverageWords,
  exampleWords,
  habitWords,
  othersWords,
  percentWords,
  reportOf,
  sizeWords,
} from '../../telemetry/report.ts';
import { TaskFigures } from '../../telemetry/task-figures.ts';
import type { FileReport, TaskReport, TelemetryEvent } from '../../types/telemetry.ts';
import { type LiveEvents, taskEvents, type TaskKey, taskReport } from './dashboard-api.ts';
import { inSlices } from './events.ts';
import { hrefOf, useThrottled } from './hooks.tsx';
import { addPoint, CallTable, type ChartPoints, noPoints, Timeline } from './timeline.tsx';

const PAGE_TASK_EVENTS = 2_000;

/** Maximum events that are loaded, the last ones of the task. The figures of longer tasks come from the server. */
const MAX_LOADED_EVENTS = 150_000;

/** Events above the maximum after which loading starts again. */
const SLACK = 50_000;

interface Gathered {
  readonly figures: TaskFigures;
  readonly events: TelemetryEvent[];
  readonly points: ChartPoints;
  /** The number of the next event. */
  next: number;
  /** Number of events before the first loaded one. */
  before: number;
}

const gathered = ({ id, client }: TaskKey): Gathered => ({
  figures: new TaskFigures(id, client),
  events: [],
  points: noPoints(),
  next: 0,
  before: 0,
});

function gather(into: Gathered, event: TelemetryEvent): void {
  into.events.push(event);
  addPoint(into.points, event, into.figures.add(event));
}

interface Props {
  readonly task: TaskKey;
  readonly watcher: { current: ((events: LiveEvents) => void) | undefined };
  readonly hasLens: boolean;
}

export function TaskView({ task, watcher, hasLens }: Props) {
  const all = useRef(gathered(task));
  const [shown, setShown] = useState<{ report: TaskReport; count: number }>();
  const [error, setError] = useState<string>();
  const [loading, setLoading] = useState(true);
  const report = useRef<TaskReport | undefined>(undefined);
  const show = useCallback(() => {
    const { figures, events } = all.current;
    setShown({ report: report.current ?? reportOf(figures), count: events.length });
  }, []);
  const showSoon = useThrottled(show, 250);

  /** Loads page by page, and processes each page in slices. */
  const load = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      try {
        if (all.current.events.length > MAX_LOADED_EVENTS + SLACK) all.current = gathered(task);
        const into = all.current;
        if (into.next === 0) {
          const { from, total } = await taskEvents(task, 0, 1);
          into.next = into.before = Math.max(from, total - MAX_LOADED_EVENTS);
        }
        for (;;) {
          const { from, next, total, events } = await taskEvents(task, into.next, PAGE_TASK_EVENTS);
          // Fewer than before: the server was restarted, or has evicted the task.
          if (total < into.next) {
            all.current = gathered(task);
            report.current = undefined;
            return await load(signal);
          }
          if (events.length > 0) await inSlices(events, (event) => gather(into, event), signal);
          if (signal.aborted) return;
          if (into.events.length === 0) into.before = from;
          into.next = next;
          if (next >= total) break;
          showSoon();
        }
        // The server has counted the events that are not loaded.
        if (into.before > 0) report.current = await taskReport(task);
        setError(undefined);
      } catch (cause) {
        setError(String((cause as Error).message));
      }
      setLoading(false);
      show();
    },
    [task.id, task.client],
  );

  useEffect(() => {
    const stop = new AbortController();
    let [running, again] = [false, false];
    const run = async (): Promise<void> => {
      again = running;
      if (running) return;
      running = true;
      do {
        again = false;
        await load(stop.signal);
      } while (again && !stop.signal.aborted);
      running = false;
    };
    watcher.current = ({ missed, events }) => {
      const isMine = events.some(
        (event) => event.task === task.id && (task.client === undefined || event.client === task.client),
      );
      // Events are numbered, so that missed ones are loaded too.
      if (isMine || missed > 0) void run();
    };
    void run();
    return () => {
      stop.abort();
      watcher.current = undefined;
    };
  }, [load]);

  if (!shown)
    return error === undefined ? <p role="status">Reading the events…</p> : <p role="alert">{error}</p>;
  const { report: figures } = shown;
  return (
    <section>
      <h1>
        <bdi>{task.id}</bdi>
      </h1>
      <p class="about">
        {[...Object.keys(figures.hosts).slice(0, 3), ...Object.keys(figures.dialects).slice(0, 3)].join(', ')}
        {task.client !== undefined && ` · client ${task.client}`}
        {loading && ' · reading more events…'}
        {all.current.before > 0 && ` · ${countWords(all.current.before, 'older event')} not shown one by one`}
      </p>
      {error !== undefined && <p role="alert">{error}</p>}
      <Tiles report={figures} />
      <BudgetView tokens={figures.tokens} />
      <p class={`verdict ${figures.verdict.reduced}`}>{figures.verdict.text}</p>
      <h2>Timeline</h2>
      <Timeline points={all.current.points} count={shown.count} />
      <HabitList report={figures} hasLens={hasLens} />
      <FilesView report={figures} hasLens={hasLens} />
      <CallTable events={all.current.events} count={shown.count} />
    </section>
  );
}

function Tiles({ report }: { readonly report: TaskReport }) {
  const tiles: readonly (readonly [name: string, value: string, more?: string])[] = [
    ['calls', report.calls.toLocaleString('en')],
    ['shown', sizeWords(report.bytes)],
    ['average answer', sizeWords(report.averageBytes)],
    ['largest answer', sizeWords(report.largest)],
    ['followed a notice', report.continued.toLocaleString('en')],
    ['larger windows would save', countWords(report.saved, 'call')],
    ['shown before', percentWords(report.redundancy)],
    [
      'sources',
      `${report.sources.toLocaleString('en')}${report.others ? '+' : ''}`,
      `read again ${countWords(report.repeated, 'time')}`,
    ],
    ['errors', report.errors.toLocaleString('en')],
    ['rate limits', report.rateLimits.toLocaleString('en')],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {more !== undefined && <small> {more}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const MAX_SHOWN_HABITS = 3;

function HabitList({
  report: { habits },
  hasLens,
}: {
  readonly report: TaskReport;
  readonly hasLens: boolean;
}) {
  if (habits.length === 0) return null;
  return (
    <>
      <h2>Habits that cost most</h2>
      <ol class="habits">
        {habits.slice(0, MAX_SHOWN_HABITS).map((habit) => (
          <li key={habit.name}>
            <strong>{habitWords(habit)}</strong>
            <ul>
              {habit.examples.map((example, i) => (
                <li key={i}>
                  <bdi>{exampleWords(habit.name, example)}</bdi>
                  {hasLens && example.path !== undefined && (
                    <>
                      {' '}
                      <a
                        href={hrefOf('lens', { path: example.path, dialect: example.dialect })}
                        aria-label={`open in the lens: ${example.instead}`}
                      >
                        open in the lens
                      </a>
                    </>
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </>
  );
}

// The coverage of each source as a strip: read once, again, never. The most wasteful source is first.

const PAGE_FILES = 15;

function FilesView({
  report: { files, sources, others, dialects },
  hasLens,
}: {
  readonly report: TaskReport;
  readonly hasLens: boolean;
}) {
  const [shown, setShown] = useState(PAGE_FILES);
  if (files.length === 0) return null;
  // The dialect of most calls.
  const [dialect] = Object.keys(dialects);
  return (
    <>
      <h2>Sources</h2>
      <p class="legend">
        <span class="key once" /> read once <span class="key again" /> read again <span class="key never" />{' '}
        never read
      </p>
      <ul class="files">
        {files.slice(0, shown).map((file) => (
          <li key={file.source}>
            <p>
              {hasLens && isWhole(file.source) ? (
                <a href={hrefOf('lens', { path: file.source, dialect })}>
                  <bdi>{file.source}</bdi>
                </a>
              ) : (
                <bdi>{file.source}</bdi>
              )}{' '}
              <small>
                {countWords(file.reads, 'read')}, {sizeWords(file.bytes)}, {percentWords(file.redundancy)}{' '}
                again
                {file.versions > 1 && `, ${file.versions} versions`}
                {file.maps !== undefined &&
                  `, ${countWords(file.maps, 'map')}${file.mapFollowed === true ? '' : ' not followed'}`}
              </small>
            </p>
            <Strip file={file} />
            <small>{coverageWords(file)}</small>
          </li>
        ))}
      </ul>
      {shown < files.length && (
        <button type="button" onClick={() => setShown(shown + PAGE_FILES)}>
          Show more sources
        </button>
      )}
      {shown >= files.length && sources > files.length && (
        <p>{countWords(sources - files.length, 'source')} more, with less waste</p>
      )}
      {others && <p>{othersWords(others)}</p>}
    </>
  );
}

const WIDTH = 1_000;

function Strip({ file }: { readonly file: FileReport }) {
  const { stretches, total, source } = file;
  const end = Math.max(1, total ?? 0, stretches.at(-1)?.[1] ?? 0);
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${WIDTH} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${source}: ${coverageWords(file)}`}
    >
      {stretches.map(([from, to, times]) => (
        <rect
          key={from}
          x={(WIDTH * from) / end}
          width={Math.max(2, (WIDTH * (to - from)) / end)}
          height={10}
          class={times > 1 ? 'again' : 'once'}
        />
      ))}
    </svg>
  );
}

// How much of a context window the answers of a task would fill.

const KEY = 'oriel-budget';
const USUAL = 200_000;

function BudgetView({ tokens }: { readonly tokens: number }) {
  const [budget, setBudget] = useState(() => Number(sessionStorage.getItem(KEY)) || USUAL);
  const change = (event: Event): void => {
    const value = Number((event.currentTarget as HTMLInputElement).value);
    if (!(value >= 1)) return;
    sessionStorage.setItem(KEY, String(value));
    setBudget(value);
  };
  return (
    <div class="budget">
      <label for="budget">Budget in tokens</label>
      <input id="budget" type="number" min={1} step={1000} defaultValue={budget} onChange={change} />
      <meter
        min={0}
        max={budget}
        low={budget / 2}
        high={budget * 0.8}
        optimum={0}
        value={Math.min(tokens, budget)}
        aria-label="Tokens of answers, of the budget"
      />
      <output for="budget">
        {tokens.toLocaleString('en')} tokens, {percentWords(tokens / budget)} of it
      </output>
    </div>
  );
}
