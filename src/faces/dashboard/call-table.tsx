/** The calls of a task as a table, the newest first. */

import { useState } from 'preact/hooks';
import { sizeWords, timeWords } from '../../telemetry/words.ts';
import type { TelemetryEvent } from '../../types/telemetry.ts';
import { cutWords, readWords, tookWords } from './event-words.ts';

const PAGE = 25;

export function CallTable({
  events,
  count,
}: {
  readonly events: readonly TelemetryEvent[];
  readonly count: number;
}) {
  const [page, setPage] = useState(0);
  const last = Math.max(0, Math.ceil(count / PAGE) - 1);
  const at = Math.min(page, last);
  const end = count - at * PAGE;
  const rows = events.slice(Math.max(0, end - PAGE), end).toReversed();
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
          {(count === 0 ? 0 : Math.max(0, end - PAGE) + 1).toLocaleString('en')} to {end.toLocaleString('en')}{' '}
          of {count.toLocaleString('en')}
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
      <td data-name="Cut by">{cutWords(event)}</td>
    </tr>
  );
}
