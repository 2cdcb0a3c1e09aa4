/** Formats figures of telemetry for the command line and the dashboard. */

import type { FileReport, Habit, HabitExample, HabitName, TaskReport } from '../types/task-report.ts';

export const HABITS: Readonly<Record<HabitName, string>> = {
  whole: 'read whole, needed in part',
  again: 'ranges asked again',
  map: 'maps never followed',
  pages: 'pages that one larger window would have shown',
};

/** `1234` → `1.2 KiB` */
export function sizeWords(bytes: number): string {
  if (bytes < 1_024) return `${Math.round(bytes)} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let [value, unit] = [bytes / 1_024, 0];
  while (value >= 1_023.95 && unit < units.length - 1) [value, unit] = [value / 1_024, unit + 1];
  return `${value < 100 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function countWords(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** `1 line is not an event`, `3 lines are not events` */
export function skippedWords(count: number): string {
  return count === 1 ? '1 line is not an event' : `${countWords(count, 'line')} are not events`;
}

/** A share in percent; only 1 is shown as `100 %`. */
export function percentWords(share: number): string {
  return `${share < 1 ? Math.min(99, Math.round(100 * share)) : 100} %`;
}

/** `ranges asked again: 5 times, 120 KiB, about 30,720 tokens` */
export function habitWords({ name, times, bytes, tokens }: Habit): string {
  return `${HABITS[name]}: ${countWords(times, 'time')}, ${sizeWords(bytes)}, about ${countWords(tokens, 'token')}`;
}

/** `src/a.ts (40 KiB): src/a.ts:101..150 would have been enough` */
export function exampleWords(name: HabitName, { source, bytes, instead }: HabitExample): string {
  const cheaper: Record<HabitName, string> = {
    whole: `${instead} would have been enough`,
    again: `${instead} would have shown what was new`,
    map: `${instead} shows the symbols of all files there`,
    pages: `${instead} shows as much in fewer calls`,
  };
  const none: Record<HabitName, string> = {
    whole: 'a part of it would have been enough',
    again: 'it had been shown',
    map: 'nothing of it was read',
    pages: 'a larger window shows as much in fewer calls',
  };
  return `${source} (${sizeWords(bytes)}): ${instead === undefined ? none[name] : cheaper[name]}`;
}

/** `once 300, again 120, never 580 of 1,000 lines`; `about once …` if stretches were merged. */
export function coverageWords({ once, again, never, total, unit, approximate }: FileReport): string {
  const seen = `${approximate === true ? 'about ' : ''}once ${once.toLocaleString('en')}, again ${again.toLocaleString('en')}`;
  if (total === undefined || never === undefined) return `${seen} ${unit}`;
  return `${seen}, never ${never.toLocaleString('en')} of ${total.toLocaleString('en')} ${unit}`;
}

/** `120 reads of further sources, 4.0 KiB: there are too many to list` */
export function othersWords({ reads, bytes }: NonNullable<TaskReport['others']>): string {
  return `${countWords(reads, 'read')} of further sources, ${sizeWords(bytes)}: there are too many to list`;
}

/** `14:03:22` for today, otherwise `2026-11-22 14:03:22`, in local time. */
export function timeWords(at: number, now: number = Date.now()): string {
  const [day, today] = [dayOf(at), dayOf(now)];
  const time = new Date(at).toLocaleTimeString('en-GB');
  return day === today ? time : `${day} ${time}`;
}

/** The Swedish locale has the date format of ISO 8601. */
const dayOf = (at: number): string => new Date(at).toLocaleDateString('sv');
