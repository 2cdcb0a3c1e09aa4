/** What a telemetry file says: `oriel report` as text or JSON, `oriel inspect` as the dashboard. */

import { OrielError } from '../../errors.ts';
import {
  countWords,
  coverageWords,
  exampleWords,
  habitWords,
  othersWords,
  overviewOf,
  percentWords,
  sizeWords,
  skippedWords,
  type TasksOverview,
} from '../../telemetry/report.ts';
import { quote, safeJson } from '../../text/visible.ts';
import type { FileState, HabitReport, TaskReport, TaskTotals } from '../../types/telemetry.ts';
import { type CliCommand, isWholeBetween, jsonOption, optionNumber } from './options.ts';

export const reportCommand: CliCommand = {
  name: 'report',
  operands: 'FILE',
  help: 'tell what the telemetry in FILE says: calls, pages, what was read again, and whether larger windows reduced calls',
  options: [jsonOption],
  async run({ values, operands: [path] }, { out, signal }) {
    if (path === undefined) {
      throw new OrielError(
        'BAD_INPUT',
        'No file was given. Use oriel report FILE, with a file that --telemetry FILE wrote.',
      );
    }
    const { EventFile } = await import('../../telemetry/event-file.ts');
    const file = await EventFile.open(path, 'oriel report FILE', 0);
    try {
      await file.read(signal);
    } finally {
      await file.close();
    }
    const { events, skipped, withoutReads } = file.state;
    const read = { events, skipped, withoutReads: withoutReads > 0 ? withoutReads : undefined };
    const overview: TasksOverview = overviewOf(file.figures);
    out.write(
      values['json'] === true ? `${safeJson({ ...read, ...overview })}\n` : formatTaskReport(read, overview),
    );
    return read.events === 0 ? 1 : 0;
  },
};

// Formats the report on a telemetry file as text.

/** Maximum tasks, and sources of each; `--json` has more. */
const MAX_REPORTED_TASKS = 20;
const MAX_REPORTED_FILES = 10;

const MAX_REPORTED_EXAMPLES = 3;

/** `withoutReads`: number of events of which only the call was counted, because the limit of tracked data was reached. */
type Read = Pick<FileState, 'events' | 'skipped'> & { readonly withoutReads?: number | undefined };

function formatTaskReport({ events, skipped, withoutReads = 0 }: Read, overview: TasksOverview): string {
  const { tasks, habits, verdict, reports } = overview;
  if (events === 0) {
    const what = skipped === 0 ? '' : `; ${skippedWords(skipped)}. Use a file that --telemetry FILE wrote`;
    return `No events${what}\n`;
  }
  const shown = reports.slice(0, MAX_REPORTED_TASKS);
  const left = tasks - shown.length;
  return [
    `${countWords(tasks, 'task')}, ${countWords(overview.calls, 'call')}${skipped === 0 ? '' : `; ${skippedWords(skipped)}`}`,
    ...(withoutReads > 0
      ? [
          `  of ${countWords(withoutReads, 'call')} it is not counted what was read: there are too many sources`,
        ]
      : []),
    ...(tasks === 1 ? [] : totalLines(overview)),
    '',
    ...habitLines('The habits that cost most', habits, ''),
    ...shown.flatMap((report) => ['', ...taskLines(report)]),
    ...(left > 0 ? ['', `${countWords(left, 'task')} more, with fewer bytes: --json has up to 100`] : []),
    '',
    verdict.text,
    '',
  ].join('\n');
}

type Totals = Omit<TaskTotals, 'id'>;

function totalLines(totals: Totals): string[] {
  const { bytes, tokens, averageBytes, errors, continued, saved, redundancy, rateLimits } = totals;
  return [
    `  ${sizeWords(bytes)}, about ${countWords(tokens, 'token')}; an answer has ${sizeWords(averageBytes)} on average`,
    `  ${countWords(continued, 'call')} followed a notice; windows of 256 KiB would have saved ${countWords(saved, 'call')}`,
    `  ${percentWords(redundancy)} of what was shown had been shown before`,
    `  ${countWords(errors, 'error')}, ${countWords(rateLimits, 'rate limit')} reported`,
  ];
}

function habitLines(title: string, habits: readonly HabitReport[], indent: string): string[] {
  if (habits.length === 0) return [`${indent}No costly habit was seen`];
  return [
    `${indent}${title}`,
    ...habits.flatMap((habit) => [
      `${indent}  ${habitWords(habit)}`,
      ...habit.examples
        .slice(0, MAX_REPORTED_EXAMPLES)
        .map((example) => `${indent}    ${exampleWords(habit.name, example)}`),
    ]),
  ];
}

function taskLines(report: TaskReport): string[] {
  const { id, client, calls, reads, sources, repeated, chains, files, hosts, dialects } = report;
  const by = [...Object.keys(hosts).slice(0, 3), ...Object.keys(dialects).slice(0, 3)].join(', ');
  return [
    `Task ${id}${client === undefined ? '' : ` of client ${client}`}${by === '' ? '' : ` (${by})`}`,
    `  ${countWords(calls, 'call')}, ${countWords(reads, 'read')} of ${countWords(sources, 'source')}, ${repeated.toLocaleString('en')} of them not the first; ${countWords(chains, 'chain')} of pages`,
    ...totalLines(report),
    ...files
      .slice(0, MAX_REPORTED_FILES)
      .map(
        (file) =>
          `    ${file.source}: ${countWords(file.reads, 'read')}, ${sizeWords(file.bytes)}; ${coverageWords(file)}`,
      ),
    ...(sources > MAX_REPORTED_FILES
      ? [`    ${countWords(sources - MAX_REPORTED_FILES, 'source')} more`]
      : []),
    ...(report.others ? [`    ${othersWords(report.others)}`] : []),
  ];
}

export const inspectCommand: CliCommand = {
  name: 'inspect',
  operands: 'FILE',
  help: 'show the telemetry in FILE in a browser: tasks, timelines, what was read once, again and never',
  options: [
    {
      name: 'port',
      value: 'N',
      help: 'the port of 127.0.0.1 to listen on (default: one that is free)',
    },
    jsonOption,
  ],
  serves: true,
  async run({ values, operands: [path] }, { out, err, signal }) {
    if (path === undefined) {
      throw new OrielError(
        'BAD_INPUT',
        'No file was given. Use oriel inspect FILE, with a file that --telemetry FILE wrote.',
      );
    }
    const [{ EventFile, MAX_INSPECTED_CHARACTERS }, { inspect }, { addressText, newToken }] =
      await Promise.all([
        import('../../telemetry/event-file.ts'),
        import('../http/inspect.ts'),
        import('../http/guard.ts'),
      ]);
    const port =
      optionNumber(values, 'port', { what: 'a port', example: 8080, isValid: isWholeBetween(0, 65_535) }) ??
      0;
    const file = await EventFile.open(path, 'oriel inspect FILE', MAX_INSPECTED_CHARACTERS);
    const token = newToken();
    const serving = await inspect({ file, path, token, port });
    const url = `${addressText(serving.address)}/#token=${token}`;
    const isJson = values['json'] === true;
    out.write(isJson ? `${safeJson({ url, file: path })}\n` : `${url}\n`);
    if (out.isTTY && !isJson)
      err.write(`oriel: shows ${quote(path)} until Ctrl+C. Whoever has this URL sees it\n`);
    try {
      await file.read(signal);
      const { events, skipped } = file.state;
      const bad = skipped === 0 ? '' : `; ${skippedWords(skipped)}`;
      err.write(`oriel: ${quote(path)}: ${countWords(events, 'event')}${bad}\n`);
      await file.follow(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await serving.close();
      await file.close();
    }
    return 0;
  },
};
