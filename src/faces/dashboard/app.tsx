/** The frame of the dashboard: sign-in, choice of the view, state of the connection. */

import { useCallback, useRef, useState } from 'preact/hooks';
import { countWords, percentWords, skippedWords } from '../../telemetry/words.ts';
import { type SeenFile, hasToken, type LiveEvents, listTasks, storeToken } from './dashboard-api.ts';
import { useLive, useLoaded, useRoute, useThrottled } from './hooks.tsx';
import { LensView } from './lens-view.tsx';
import { TaskView } from './task-view.tsx';
import { TasksView } from './tasks-view.tsx';

export function App() {
  const [asks, setAsks] = useState(false);
  const [refused, setRefused] = useState(false);
  const [visit, setVisit] = useState(0);
  const unauthorized = useCallback(() => {
    setRefused(hasToken());
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
  /** Whether the given token is wrong. */
  readonly refused: boolean;
}

function SignIn({ enter, refused }: SignInProps) {
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    enter(field.current?.value.trim() ?? '');
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
        <p>It stays in this tab. With the operator’s token the tasks of all clients are shown.</p>
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

/** The line about the telemetry file that is inspected. */
function FileLine({
  file: { name, events, skipped, withoutReads, read, size },
}: {
  readonly file: SeenFile;
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
