/** The start of the dashboard in the browser, and its frame: sign-in, choice of the view, state of the connection. */

import { render } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';
import { countWords, percentWords, sizeWords, skippedWords, timeWords } from '../../telemetry/report.ts';
import type { ListedTask } from '../client/types.ts';
import {
  enter,
  hasToken,
  type ListedFile,
  listTasks,
  type LiveEvents,
  storeToken,
  type TaskList,
} from './dashboard-api.ts';
import { hrefOf, useLive, useLoaded, useRoute, useThrottled } from './hooks.tsx';
import { LensView } from './lens-view.tsx';
import { TaskView } from './task-view.tsx';
import { CallsOverTime } from './timeline.tsx';

function DashboardApp() {
  const [asks, setAsks] = useState(false);
  const [refused, setRefused] = useState(false);
  const [visit, setVisit] = useState(0);
  const unauthorized = useCallback(() => {
    setRefused(hasToken());
    storeToken('');
    setAsks(true);
  }, []);
  const signOut = (): void => {
    storeToken('');
    unauthorized();
  };
  const signIn = (token: string): void => {
    storeToken(token);
    setAsks(false);
    setVisit((before) => before + 1);
  };
  return asks ? (
    <SignIn enter={signIn} refused={refused} />
  ) : (
    <Signed key={visit} unauthorized={unauthorized} signOut={signOut} />
  );
}

interface SignInProps {
  readonly enter: (token: string) => void;
  readonly refused: boolean;
}

function SignIn({ enter, refused }: SignInProps) {
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    // The link that the server printed is a token, too.
    enter(field.current?.value.trim().replace(/^.*#token=/, '') ?? '');
  };
  return (
    <main class="sign-in">
      <h1>oriel</h1>
      <form onSubmit={submit}>
        <label for="token">Token of this server</label>
        <input
          id="token"
          type="password"
          ref={field}
          autocomplete="off"
          spellcheck={false}
          required
          autofocus
        />
        <p>
          It stays in this tab. With the operator’s token, or the link that <code>oriel serve</code> printed,
          the tasks of all clients are shown.
        </p>
        {refused && <p role="alert">The server does not take this token.</p>}
        <button type="submit">Sign in</button>
      </form>
    </main>
  );
}

const CONNECTIONS = {
  connecting: 'connecting…',
  live: 'live',
  lost: 'connection lost, trying again…',
} as const;

interface SignedProps {
  readonly unauthorized: () => void;
  readonly signOut: () => void;
}

function Signed({ unauthorized, signOut }: SignedProps) {
  const [path, query] = useRoute();
  const from = path === '' ? Number(query.get('from')) || 0 : 0;
  const list = useLoaded(() => listTasks(from), `tasks ${from}`, unauthorized);
  const reload = useThrottled(list.reload, 500);
  const watcher = useRef<((events: LiveEvents) => void) | undefined>(undefined);
  const connection = useLive((events) => {
    reload();
    watcher.current?.(events);
  });
  const view = path === 'task' || path === 'lens' ? path : 'tasks';
  const hasLens = list.value?.lens === true;
  return (
    <>
      <header>
        <a class="name" href="#/">
          oriel
        </a>
        <nav aria-label="Views">
          <a href="#/" aria-current={view === 'lens' ? undefined : 'page'}>
            Tasks
          </a>
          {hasLens && (
            <a href="#/lens" aria-current={view === 'lens' ? 'page' : undefined}>
              Lens
            </a>
          )}
        </nav>
        <p role="status" class={`connection ${connection}`}>
          {CONNECTIONS[connection]}
        </p>
        {list.value && !list.value.operator && (
          <button type="button" onClick={signOut}>
            Sign in
          </button>
        )}
      </header>
      <main>
        {list.error !== undefined && <p role="alert">{list.error}</p>}
        {list.value?.file && <FileLine file={list.value.file} />}
        {view === 'tasks' && list.value && <TasksView list={list.value} from={from} />}
        {view === 'task' && (
          <TaskView
            key={query.toString()}
            task={{ id: query.get('id') ?? '', client: query.get('client') ?? undefined }}
            watcher={watcher}
            hasLens={hasLens}
          />
        )}
        {view === 'lens' && hasLens && <LensView query={query} />}
      </main>
    </>
  );
}

function FileLine({
  file: { name, events, skipped, withoutReads, read, size },
}: {
  readonly file: ListedFile;
}) {
  return (
    <p class="about file">
      <bdi>{name}</bdi>: {countWords(events, 'event')}
      {skipped > 0 && `; ${skippedWords(skipped)}`}
      {withoutReads > 0 && `; of ${countWords(withoutReads, 'call')} it is not counted what was read`}
      {read < size && `; ${percentWords(read / size)} of the file is read`}
    </p>
  );
}

// All tasks with their figures, the last used first.

/** Tasks of a page of the server. */
const PAGE_TASKS = 256;

const pageHref = (from: number): string => (from === 0 ? '#/' : hrefOf('', { from: String(from) }));

/** What was not shown of the sources, against reading each whole, once; all answers count, those of searches too. */
function savedWords(tasks: readonly Pick<ListedTask, 'bytes' | 'whole'>[]): string | undefined {
  const sum = (name: 'bytes' | 'whole'): number => tasks.reduce((all, task) => all + task[name], 0);
  const [shown, whole] = [sum('bytes'), sum('whole')];
  return whole > shown ? percentWords(1 - shown / whole) : undefined;
}

const COLUMNS: readonly (readonly [string, string, (task: ListedTask) => string])[] = [
  ['Saved', 'Against reading each file whole, once', (task) => savedWords([task]) ?? '–'],
  ['Calls', 'Calls of tools', ({ calls }) => calls.toLocaleString('en')],
  ['Shown', 'Bytes of all answers', ({ bytes }) => sizeWords(bytes)],
  ['Tokens', 'Estimated: four bytes a token', ({ tokens }) => tokens.toLocaleString('en')],
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

function TasksView({ list: { tasks, operator, total, file, pace }, from }: Props) {
  const saved = savedWords(tasks);
  return (
    <section>
      <h1>Tasks</h1>
      {saved !== undefined && (
        <p>
          <strong>{saved} saved</strong> against reading every file of these tasks whole, once.
        </p>
      )}
      {!file && (
        <p class="about">
          {operator
            ? 'Of all clients of this server.'
            : 'Of this browser alone. Those of all clients are shown to the operator: open the link that oriel serve printed, or sign in with the token of --operator-token-file FILE.'}
        </p>
      )}
      {pace.calls.length > 0 && <CallsOverTime pace={pace} />}
      {tasks.length === 0 ? (
        <p>
          {file
            ? 'This file has no events yet. What is appended to it appears here.'
            : operator
              ? `No call has been recorded yet. What an agent reads appears here as it happens; to connect one: claude mcp add --transport http oriel ${location.origin}/mcp`
              : 'This browser has made no call yet: the lens makes some. What agents read is shown to the operator.'}
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
          {from > 0 && <a href={pageHref(Math.max(0, from - PAGE_TASKS))}>Used later</a>}
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

enter();
render(<DashboardApp />, document.getElementById('app') as HTMLElement);
