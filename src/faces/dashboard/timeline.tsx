/** The plots: calls over time, and the timeline of a task, its calls by the size of their answers, where pages of a chain are connected. */

import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { countWords, sizeWords, timeWords } from '../../telemetry/report.ts';
import type { PlacedEvent } from '../../telemetry/task-figures.ts';
import type { CallEvent, PaceReport, TelemetryEvent } from '../../types/telemetry.ts';
import { callWords, cutReason, readWords, tookWords } from './events.ts';

export interface ChartPoints {
  readonly calls: CallEvent[];
  readonly number: number[];
  readonly bytes: number[];
  /** The chain of each call; 0 for none. */
  readonly chain: number[];
  /** Numbers of the calls before which a rate limit occurred. */
  readonly limits: number[];
}

export const noPoints = (): ChartPoints => ({ calls: [], number: [], bytes: [], chain: [], limits: [] });

export function addPoint(
  { calls, number, bytes, chain, limits }: ChartPoints,
  event: TelemetryEvent,
  placed: PlacedEvent,
): void {
  if (event.kind === 'rate-limit') {
    limits.push(number.length + 0.5);
    return;
  }
  calls.push(event);
  number.push(number.length + 1);
  bytes.push(event.bytes);
  chain.push(placed.reads.find((read) => read.chain)?.chain?.id ?? 0);
}

const HEIGHT = 220;

/** Possible ticks of the axis of sizes, in bytes. */
const SIZES = Array.from({ length: 30 }, (_, i) => 2 ** (i + 4));

/** Possible distances of ticks on the axis of calls. */
const STEPS = [1, 10, 100, 1_000, 10_000, 100_000].flatMap((step) => [step, 2 * step, 5 * step]);

/** With more visible calls, bars and connecting lines would overlap, so only an outline is drawn. */
const MAX_MARKED_CALLS = 2_000;

type Paths = (...given: Parameters<uPlot.Series.PathBuilder>) => ReturnType<uPlot.Series.PathBuilder>;
const barsOf = uPlot.paths.bars as uPlot.Series.BarsPathBuilderFactory;
const bars = barsOf({ size: [0.6, 8, 1] });
const intervals = barsOf({ size: [0.8, 40, 1] });
const outline = (uPlot.paths.linear as uPlot.Series.LinearPathBuilderFactory)();
const marks: Paths = (plot, series, from, to) =>
  (to - from <= MAX_MARKED_CALLS ? bars : outline)(plot, series, from, to);

/** A plot that fits its element, in the colours of the page. It is made anew when `key` changes. */
function usePlot(
  optionsOf: (element: HTMLElement) => uPlot.Options,
  data: uPlot.AlignedData,
  key: unknown,
): {
  readonly holder: { current: HTMLDivElement | null };
  readonly plot: { current: uPlot | undefined };
} {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(data);
  latest.current = data;
  useEffect(() => {
    const element = holder.current as HTMLDivElement;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const make = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(element), latest.current, element);
    };
    make();
    const sizes = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: plot.current.height }),
    );
    sizes.observe(element);
    dark.addEventListener('change', make);
    return () => {
      dark.removeEventListener('change', make);
      sizes.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [key]);
  return { holder, plot };
}

const PACE_HEIGHT = 120;

export function CallsOverTime({ pace }: { readonly pace: PaceReport }) {
  const { from, step, calls } = pace;
  // uPlot has seconds.
  const data: uPlot.AlignedData = [calls.map((_, i) => (from + (i + 0.5) * step) / 1_000), [...calls]];
  const { holder, plot } = usePlot((element) => paceOptions(element, step), data, step);
  useEffect(() => plot.current?.setData(data), [pace]);
  const all = calls.reduce((sum, count) => sum + count, 0);
  const interval =
    step < 120_000 ? `${step / 1_000} s` : `${Math.round(step / 60_000).toLocaleString('en')} min`;
  return (
    <figure>
      <div
        ref={holder}
        class="timeline pace"
        role="img"
        aria-label={`${countWords(all, 'call')} from ${timeWords(from)} to ${timeWords(from + calls.length * step)}, at most ${Math.max(...calls).toLocaleString('en')} in ${interval}`}
      />
      <figcaption>Calls of these tasks over time; each bar is {interval}.</figcaption>
    </figure>
  );
}

/** Possible distances of ticks on the axis of time, in seconds. */
const TIMES = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200].concat(
  Array.from({ length: 14 }, (_, i) => 86_400 * 2 ** i),
);

function paceOptions(element: HTMLElement, step: number): uPlot.Options {
  const { axis, mark } = coloursOf(element);
  const margin = step / 1_000;
  return {
    width: element.clientWidth,
    height: PACE_HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_plot, from, to) => [from - margin, to + margin] },
      y: { range: (_plot, _low, high) => [0, Math.max(high, 1) * 1.05] },
    },
    axes: [
      {
        ...axis,
        incrs: TIMES,
        space: 90,
        values: (_plot, ticks) => ticks.map((tick) => timeWords(tick * 1_000)),
      },
      { ...axis, incrs: STEPS, space: 20, size: 50 },
    ],
    series: [{}, { stroke: mark, fill: mark, paths: intervals, points: { show: false } }],
  };
}

export function Timeline({ points, count }: { readonly points: ChartPoints; readonly count: number }) {
  /** The index of the call under the pointer. */
  const [at, setAt] = useState<number | null>();
  const { holder, plot } = usePlot((element) => optionsFor(element, points, setAt), dataOf(points), points);
  useEffect(() => plot.current?.setData(dataOf(points)), [points, count]);
  const calls = points.number.length;
  const pointedAt = points.calls[at ?? -1];
  return (
    <figure>
      <div
        ref={holder}
        class="timeline"
        role="img"
        aria-label={`Bytes of the answers of ${calls.toLocaleString('en')} calls, in their order; the table of calls below has each`}
      />
      <p class="readout" aria-hidden="true">
        {pointedAt ? <bdi>{callWords((at ?? 0) + 1, pointedAt)}</bdi> : 'Point at a mark to see its call.'}
      </p>
      <p class="zoom" role="group" aria-label="Part of the timeline">
        {ZOOMS.map(([name, by, factor]) => (
          <button type="button" key={name} onClick={() => zoom(plot.current, by, factor)}>
            {name}
          </button>
        ))}
      </p>
      <figcaption>
        Each mark is a call, its height the size of the answer. Pages of one chain are joined; dashed lines
        are rate limits. Drag to zoom, double-click to go back.
        {calls > MAX_MARKED_CALLS &&
          ` Of more than ${MAX_MARKED_CALLS.toLocaleString('en')} calls the outline is drawn.`}
      </figcaption>
    </figure>
  );
}

/** Buttons with the effects of dragging: the shift as a share of the view, and the zoom factor. */
const ZOOMS = [
  ['Zoom in', 0, 0.5],
  ['Zoom out', 0, 2],
  ['Earlier', -0.5, 1],
  ['Later', 0.5, 1],
] as const;

const MIN_VISIBLE_CALLS = 4;

/** Zooms and pans within the existing calls. */
function zoom(plot: uPlot | undefined, by: number, factor: number): void {
  const { min, max } = plot?.scales['x'] ?? {};
  const calls = plot?.data[0].length ?? 0;
  if (!plot || min === undefined || max === undefined || calls === 0) return;
  const wide = Math.min(Math.max((max - min) * factor, MIN_VISIBLE_CALLS), calls);
  const middle = (min + max) / 2 + by * (max - min);
  const from = Math.min(Math.max(middle - wide / 2, 0.5), calls + 0.5 - wide);
  // `range` adds half a call at both ends.
  plot.setScale('x', { min: from + 0.5, max: from + wide - 0.5 });
}

const dataOf = ({ number, bytes }: ChartPoints): uPlot.AlignedData => [number, bytes];

function coloursOf(element: HTMLElement): {
  readonly axis: uPlot.Axis;
  readonly mark: string;
  readonly chain: string;
  readonly limit: string;
} {
  const colour = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
  const line = { stroke: colour('--line'), width: 1 };
  return {
    axis: { stroke: colour('--text'), grid: line, ticks: line },
    mark: colour('--mark'),
    chain: colour('--chain'),
    limit: colour('--bad'),
  };
}

function optionsFor(
  element: HTMLElement,
  points: ChartPoints,
  pointAt: (at: number | null | undefined) => void,
): uPlot.Options {
  const { axis, mark, chain, limit } = coloursOf(element);
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false },
    scales: {
      x: { time: false, range: (_plot, from, to) => [from - 0.5, to + 0.5] },
      y: { range: (_plot, _low, high) => [0, Math.max(high, 1_024) * 1.05] },
    },
    axes: [
      { ...axis, incrs: STEPS },
      { ...axis, incrs: SIZES, size: 70, values: (_plot, ticks) => ticks.map((tick) => sizeWords(tick)) },
    ],
    series: [
      {},
      {
        stroke: mark,
        fill: mark,
        paths: marks,
        points: {
          show: (_plot, _series, from, to) => to - from <= MAX_MARKED_CALLS,
          size: 5,
          stroke: mark,
          fill: mark,
        },
      },
    ],
    hooks: {
      setCursor: [({ cursor }) => pointAt(cursor.idx)],
      draw: [
        (plot) => {
          drawChains(plot, points, chain);
          drawLimits(plot, points, limit);
        },
      ],
    },
  };
}

function drawChains(plot: uPlot, { number, bytes, chain }: ChartPoints, colour: string): void {
  const { ctx, bbox } = plot;
  const [low = 0, high = 0] = [plot.scales['x']?.min, plot.scales['x']?.max];
  if (high - low > MAX_MARKED_CALLS) return;
  const last = new Map<number, readonly [number, number]>();
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.beginPath();
  for (let i = Math.max(0, Math.floor(low) - 2); i < Math.min(number.length, Math.ceil(high) + 1); i += 1) {
    const id = chain[i] ?? 0;
    if (id === 0) continue;
    const at = [plot.valToPos(number[i] ?? 0, 'x', true), plot.valToPos(bytes[i] ?? 0, 'y', true)] as const;
    const before = last.get(id);
    if (before) {
      ctx.moveTo(before[0], before[1]);
      ctx.lineTo(at[0], at[1]);
    }
    last.set(id, at);
  }
  ctx.stroke();
  ctx.restore();
}

function drawLimits(plot: uPlot, { limits }: ChartPoints, colour: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  let before = -1;
  for (const limit of limits) {
    const x = Math.round(plot.valToPos(limit, 'x', true));
    if (x === before || x < bbox.left || x > bbox.left + bbox.width) continue;
    before = x;
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}

// The calls of a task as a table, the newest first.

const PAGE_CALLS = 25;

export function CallTable({
  events,
  count,
}: {
  readonly events: readonly TelemetryEvent[];
  readonly count: number;
}) {
  const [page, setPage] = useState(0);
  const last = Math.max(0, Math.ceil(count / PAGE_CALLS) - 1);
  const at = Math.min(page, last);
  const end = count - at * PAGE_CALLS;
  const rows = events.slice(Math.max(0, end - PAGE_CALLS), end).toReversed();
  return (
    <>
      <h2>Calls</h2>
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col" class="words">
              Tool
            </th>
            <th scope="col" class="words">
              Read
            </th>
            <th scope="col">Shown</th>
            <th scope="col">Took</th>
            <th scope="col">Cut by</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((event, i) => (
            <Row key={end - i} event={event} />
          ))}
        </tbody>
      </table>
      <p class="pages">
        <button type="button" disabled={at === 0} onClick={() => setPage(at - 1)}>
          Newer
        </button>
        <span>
          {(count === 0 ? 0 : Math.max(0, end - PAGE_CALLS) + 1).toLocaleString('en')} to{' '}
          {end.toLocaleString('en')} of {count.toLocaleString('en')}
        </span>
        <button type="button" disabled={at === last} onClick={() => setPage(at + 1)}>
          Older
        </button>
      </p>
    </>
  );
}

function Row({ event }: { readonly event: TelemetryEvent }) {
  const time = timeWords(event.at);
  if (event.kind === 'rate-limit') {
    return (
      <tr>
        <td class="figure" data-name="Time">
          {time}
        </td>
        <td class="words" colSpan={5}>
          rate limit{event.by !== undefined && ` by ${event.by}`}
          {event.retryAfter !== undefined && `, again after ${event.retryAfter} s`}
        </td>
      </tr>
    );
  }
  return (
    <tr>
      <td class="figure" data-name="Time">
        {time}
      </td>
      <td class="words" data-name="Tool">
        {event.tool}
      </td>
      <td class="words" data-name="Read">
        <bdi>{readWords(event)}</bdi>
      </td>
      <td class={event.error === undefined ? 'figure' : 'bad'} data-name="Shown">
        {event.error ?? sizeWords(event.bytes)}
      </td>
      <td class="figure" data-name="Took">
        {tookWords(event)}
      </td>
      <td data-name="Cut by">{cutReason(event)}</td>
    </tr>
  );
}
