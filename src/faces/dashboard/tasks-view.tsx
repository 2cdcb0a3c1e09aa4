/** All tasks with their figures, the last used first. */

import { percentWords, sizeWords } from '../../telemetry/words.ts';
import type { Listed, TaskList } from './api.ts';
import { hrefOf } from './hooks.tsx';

const COLUMNS: readonly (readonly [string, string, (task: Listed) => string])[] = [
  ['Calls', 'Calls of tools', ({ calls }) => calls.toLocaleString('en')],
  ['Shown', 'Bytes of all answers', ({ bytes }) => sizeWords(bytes)],
  ['Tokens', 'Estimated: four bytes a token', ({ tokens }) => tokens.toLocaleString('en')],
  ['Average', 'Bytes of an average answer', ({ averageBytes }) => sizeWords(averageBytes)],
  ['Followed', 'Calls that followed a notice', ({ continued }) => continued.toLocaleString('en')],
  ['Saved', 'Calls that larger windows would have saved', ({ saved }) => saved.toLocaleString('en')],
  [
    'Again',
    'Share of what was shown that had been shown before',
    ({ redundancy }) => percentWords(redundancy),
  ],
  ['Errors', 'Answers that are failures', ({ errors }) => errors.toLocaleString('en')],
  ['Limits', 'Rate limits that the host has reported', ({ rateLimits }) => rateLimits.toLocaleString('en')],
];

export function TasksView({ list: { tasks, operator } }: { readonly list: TaskList }) {
  return (
    <section>
      <h1>Tasks</h1>
      <p class="about">
        {operator
          ? 'Of all clients of this server.'
          : 'Of this client. The operator of the server sees those of all: sign in with its token.'}
      </p>
      {tasks.length === 0 ? (
        <p>No call has been recorded yet. What agents read appears here as it happens.</p>
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
                  <td key={name} data-name={name}>
                    {of(task)}
                  </td>
                ))}
                <td data-name="Last call">{new Date(task.last).toLocaleTimeString('en-GB')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
