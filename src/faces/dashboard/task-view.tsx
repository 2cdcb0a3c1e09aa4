/** One task: what it cost, its timeline, its habits, and of each source what was read once, again and never. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { reportOf } from '../../telemetry/report.ts';
import { TaskFigures } from '../../telemetry/task-figures.ts';
import { countWords, exampleWords, habitWords, percentWords, sizeWords } from '../../telemetry/words.ts';
import type { TaskReport, TelemetryEvent } from '../../types/telemetry.ts';
import { type LiveEvents, taskEvents, type TaskKey } from './api.ts';
import { Budget } from './budget.tsx';
import { CallTable } from './call-table.tsx';
import { Files } from './files.tsx';
import { hrefOf, useThrottled } from './hooks.tsx';
import { addPoint, noPoints, type Points, Timeline } from './timeline.tsx';

interface Gathered {
  readonly figures: TaskFigures;
  readonly events: TelemetryEvent[];
  readonly points: Points;
  /** The number of the next event. */
  next: number;
  /** Events that the server has forgotten. */
  forgotten: number;
}

const gathered = ({ id, client }: TaskKey): Gathered => ({
  figures: new TaskFigures(id, client),
  events: [],
  points: noPoints(),
  next: 0,
  forgotten: 0,
});

function gather(into: Gathered, events: readonly TelemetryEvent[]): void {
  for (const event of events) {
    into.events.push(event);
    addPoint(into.points, event, into.figures.add(event));
  }
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
  const show = useCallback(
    () => setShown({ report: reportOf(all.current.figures), count: all.current.events.length }),
    [],
  );
  const showSoon = useThrottled(show, 250);

  /** Page by page: between two pages the browser draws. */
  const load = useCallback(async () => {
    const into = all.current;
    try {
      for (;;) {
        const { from, total, events } = await taskEvents(task, into.next);
        if (into !== all.current) return;
        if (into.next === 0) into.forgotten = from;
        into.next = from + events.length;
        gather(into, events);
        if (events.length === 0 || into.next >= total) break;
        showSoon();
      }
      setError(undefined);
    } catch (cause) {
      setError(String((cause as Error).message));
    }
    setLoading(false);
    show();
  }, [task.id, task.client]);

  useEffect(() => {
    let [running, again] = [false, false];
    const run = async (): Promise<void> => {
      again = running;
      if (running) return;
      running = true;
      do {
        again = false;
        await load();
      } while (again);
      running = false;
    };
    watcher.current = ({ missed, events }) => {
      const isMine = events.some(
        (event) => event.task === task.id && (task.client === undefined || event.client === task.client),
      );
      // Events are numbered: those that were missed are read with the others.
      if (isMine || missed > 0) void run();
    };
    void run();
    return () => {
      watcher.current = undefined;
    };
  }, [load]);

  if (!shown)
    return error === undefined ? <p role="status">Reading the events…</p> : <p role="alert">{error}</p>;
  const { report } = shown;
  return (
    <section>
      <h1>
        <bdi>{task.id}</bdi>
      </h1>
      <p class="about">
        {[...Object.keys(report.hosts).slice(0, 3), ...Object.keys(report.dialects).slice(0, 3)].join(', ')}
        {task.client !== undefined && ` · client ${task.client}`}
        {loading && ' · reading more events…'}
        {all.current.forgotten > 0 && ` · ${countWords(all.current.forgotten, 'older event')} forgotten`}
      </p>
      {error !== undefined && <p role="alert">{error}</p>}
      <Tiles report={report} />
      <Budget tokens={report.tokens} />
      <p class={`verdict ${report.verdict.reduced}`}>{report.verdict.text}</p>
      <h2>Timeline</h2>
      <Timeline points={all.current.points} count={shown.count} />
      <HabitList report={report} hasLens={hasLens} />
      <Files report={report} hasLens={hasLens} />
      <CallTable events={all.current.events} count={shown.count} />
    </section>
  );
}

function Tiles({ report }: { readonly report: TaskReport }) {
  const tiles: readonly (readonly [string, string])[] = [
    ['calls', report.calls.toLocaleString('en')],
    ['shown', sizeWords(report.bytes)],
    ['average answer', sizeWords(report.averageBytes)],
    ['largest answer', sizeWords(report.largest)],
    ['followed a notice', report.continued.toLocaleString('en')],
    ['saved by larger windows', countWords(report.saved, 'call')],
    ['shown before', percentWords(report.redundancy)],
    [
      'sources',
      `${report.sources.toLocaleString('en')}, ${report.repeated.toLocaleString('en')} reads again`,
    ],
    ['errors', report.errors.toLocaleString('en')],
    ['rate limits', report.rateLimits.toLocaleString('en')],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const MOST_HABITS = 3;

function HabitList({
  report: { habits, dialects },
  hasLens,
}: {
  readonly report: TaskReport;
  readonly hasLens: boolean;
}) {
  if (habits.length === 0) return null;
  const leads = hasLens && dialects['oriel'] !== undefined;
  return (
    <>
      <h2>Habits that cost most</h2>
      <ol class="habits">
        {habits.slice(0, MOST_HABITS).map((habit) => (
          <li key={habit.name}>
            <strong>{habitWords(habit)}</strong>
            <ul>
              {habit.examples.map((example, i) => (
                <li key={i}>
                  <bdi>{exampleWords(habit.name, example)}</bdi>
                  {leads && example.instead !== undefined && (
                    <>
                      {' '}
                      <a href={hrefOf('lens', { path: example.instead })}>
                        see it<span class="hidden"> in the lens: {example.instead}</span>
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
