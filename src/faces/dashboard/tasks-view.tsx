/** All tasks with their figures, the last used first. */

import { percentWords, sizeWords, timeWords } from '../../telemetry/words.ts';
import type { Listed, TaskList } from './dashboard-api.ts';
import { hrefOf } from './hooks.tsx';

/** Tasks of a page of the server. */
const PAGE = 256;

const pageHref = (from: number): string => (from === 0 ? '#/' : hrefOf('', { from: String(from) }));

const COLUMNS: readonly (readonly [string, string, (task: Listed) => string])[] = [
  ['Calls', 'Calls of tools', ({ calls }) => calls.toLocaleString('en')],
  ['Shown', 'Bytes of all answers', ({ bytes }) => sizeWords(bytes)],
  ['Tokens', 'Estimated: four bytes a token', ({ tokens }) => tokens.toLocaleString('en')],
  ['Average', 'Bytes of an average answer', ({ averageBytes }) => sizeWords(averageBytes)],
  ['Followed', 'Calls that followed a notice', ({ continued }) => continued.toLocaleString('en')],
  ['Avoidable', 'Calls that larger windows would have saved', ({ saved }) => saved.toLocaleString('en')],
  [
    'Again',
    'Share of what was shown that had been shown before',
    ({ redundancy }) => percentWords(redundancy),
  ],
  ['Errors', 'Answers that are failures', ({ errors }) => errors.toLocaleString('en')],
  ['Limits', 'Rate limits that the host has reported', ({ rateLimits }) => rateLimits.toLocaleString('en')],
];

interface Props {
  readonly list: TaskList;
  /** Number of tasks that were skipped. */
  readonly from: number;
}

export function TasksView({ list: { tasks, operator, total, file }, from }: Props) {
  return (
    <section>
      <h1>Tasks</h1>
      {!file && (
        <p class="about">
          {operator
            ? 'Of all clients of this server.'
            : 'Of this browser alone. Those of all clients are shown to the operator: sign in with the token of oriel serve --operator-token-file FILE.'}
        </p>
      )}
      {tasks.length === 0 ? (
        <p>
          {file
            ? 'This file has no events yet. What is appended to it appears here.'
            : operator
              ? 'No call has been recorded yet. What agents read appears here as it happens.'
              : 'This browser has made no call yet. What agents read is shown to the operator.'}
        </p>
      ) : (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Task</th>
              {COLUMNS.map(([name, about]) => (
                <th scope="col" key={name} title={about}>
                  {name}
                </th>
              ))}
              <th scope="col">Last call</th>
            </tr>
          </thead>
          <tbody>
            {tasks.map((task) => (
              <tr key={`${task.client ?? ''} ${task.id}`}>
                <th scope="row">
                  <a href={hrefOf('task', { id: task.id, client: task.client })}>
                    <bdi>{task.id}</bdi>
                  </a>
                  {task.client !== undefined && <small> client {task.client}</small>}
                </th>
                {COLUMNS.map(([name, , of]) => (
                  <td
                    key={name}
                    class={name === 'Errors' && task.errors > 0 ? 'figure bad' : 'figure'}
                    data-name={name}
                  >
                    {of(task)}
                  </td>
                ))}
                <td class="figure" data-name="Last call">
                  {timeWords(task.last)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {tasks.length > 0 && (
        <details>
          <summary>What the figures mean</summary>
          <dl class="meanings">
            {COLUMNS.map(([name, about]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{about}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {total > tasks.length && (
        <p class="pages">
          {from > 0 && <a href={pageHref(Math.max(0, from - PAGE))}>Used later</a>}
          <span>
            Tasks {(from + 1).toLocaleString('en')} to {(from + tasks.length).toLocaleString('en')} of{' '}
            {total.toLocaleString('en')}
          </span>
          {from + tasks.length < total && <a href={pageHref(from + tasks.length)}>Used earlier</a>}
        </p>
      )}
    </section>
  );
}
