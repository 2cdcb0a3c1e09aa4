/** The figures of many tasks, each and in total. */

import type { Habit, SizeReport, TaskReport, Verdict } from '../types/task-report.ts';
import { reportOf } from './report.ts';
import { share } from './task-counts.ts';
import type { TaskFigures } from './task-figures.ts';
import { sumOf, verdictOf } from './verdict.ts';

export interface Overview {
  /** Number of tasks; `reports` may list fewer. */
  readonly tasks: number;
  readonly calls: number;
  readonly bytes: number;
  readonly tokens: number;
  readonly averageBytes: number;
  readonly errors: number;
  readonly continued: number;
  readonly saved: number;
  readonly redundancy: number;
  readonly rateLimits: number;
  /** The three most expensive habits, the most expensive first. */
  readonly habits: readonly Habit[];
  readonly sizes: readonly SizeReport[];
  readonly verdict: Verdict;
  /** The tasks with the most bytes first. */
  readonly reports: readonly TaskReport[];
}

const MOST_REPORTS = 100;

const MOST_HABITS = 3;

const MOST_EXAMPLES = 5;

export function overviewOf(figures: readonly TaskFigures[]): Overview {
  const sum = (of: (task: TaskFigures) => number): number => figures.reduce((all, task) => all + of(task), 0);
  const [calls, bytes, again] = [
    sum((task) => task.calls),
    sum((task) => task.bytes),
    sum((task) => task.again),
  ];
  const all = figures.flatMap(({ sizes }) => sizes.sizes);
  const sizes = (['small', 'middle', 'large'] as const).map((size) => sumOf(all, size));
  const largest = figures.toSorted((a, b) => b.bytes - a.bytes || a.first - b.first);
  return {
    tasks: figures.length,
    calls,
    bytes,
    tokens: sum((task) => task.tokens),
    averageBytes: calls === 0 ? 0 : Math.round(bytes / calls),
    errors: sum((task) => task.errors),
    continued: sum((task) => task.continued),
    saved: sum((task) => task.saved),
    redundancy: share(again, again + sum((task) => task.fresh)),
    rateLimits: sum((task) => task.rateLimits),
    habits: habitsOf(figures).slice(0, MOST_HABITS),
    sizes,
    verdict: verdictOf(sizes),
    reports: largest.slice(0, MOST_REPORTS).map((task) => reportOf(task)),
  };
}

function habitsOf(figures: readonly TaskFigures[]): Habit[] {
  const all = new Map<Habit['name'], Habit>();
  for (const { name, times, bytes, tokens, examples } of figures.flatMap(({ habits }) => habits.list())) {
    const known = all.get(name) ?? { name, times: 0, bytes: 0, tokens: 0, examples: [] };
    all.set(name, {
      name,
      times: known.times + times,
      bytes: known.bytes + bytes,
      tokens: known.tokens + tokens,
      examples: [...known.examples, ...examples]
        .toSorted((a, b) => b.tokens - a.tokens)
        .slice(0, MOST_EXAMPLES),
    });
  }
  return [...all.values()].toSorted((a, b) => b.tokens - a.tokens);
}
