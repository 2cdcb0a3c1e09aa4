/** `oriel inspect`: shows a telemetry file with the dashboard in a browser. */

import { OrielError } from '../../errors.ts';
import { countWords, skippedWords } from '../../telemetry/report.ts';
import { quote, safeJson, shellWord } from '../../text/visible.ts';
import type { FileState } from '../../types/telemetry.ts';
import type { Entrance } from '../http/inspect.ts';
import { type CliCommand, isWholeBetween, jsonOption, optionNumber } from './options.ts';

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
    { name: 'no-open', help: 'print the URL alone; a terminal opens it otherwise' },
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
    const [{ EventFile, MAX_INSPECTED_CHARACTERS }, { inspect, openInBrowser }, { addressText, newToken }] =
      await Promise.all([
        import('../../telemetry/event-file.ts'),
        import('../http/inspect.ts'),
        import('../http/guard.ts'),
      ]);
    const port =
      optionNumber(values, 'port', { what: 'a port', example: 8080, isValid: isWholeBetween(0, 65_535) }) ??
      0;
    const file = await EventFile.open(path, 'oriel inspect FILE', MAX_INSPECTED_CHARACTERS);
    const [token, ticket] = [newToken(), newToken()];
    const reused = new AbortController();
    let entrance: Entrance | undefined;
    // The file stays until the end: so the browser, too, uses a ticket that somebody else used first.
    const onTicket = (isFirst: boolean): void => {
      if (!isFirst) reused.abort();
    };
    const serving = await inspect({ file, path, token, ticket, onTicket, port });
    const stop = AbortSignal.any([signal, reused.signal]);
    const page = addressText(serving.address);
    const url = `${page}/#token=${token}`;
    const isJson = values['json'] === true;
    out.write(isJson ? `${safeJson({ url, file: path })}\n` : `${url}\n`);
    if (out.isTTY && !isJson) {
      err.write(`oriel: shows ${quote(path)} until Ctrl+C. Whoever has this URL sees it\n`);
      if (values['no-open'] !== true) entrance = openInBrowser(`${page}/#ticket=${ticket}`);
    }
    try {
      await file.read(stop);
      err.write(`oriel: ${quote(path)}: ${stateWords(file.state)}\n`);
      await file.follow(stop);
    } catch (error) {
      if (!stop.aborted) throw error;
    } finally {
      entrance?.remove();
      await serving.close();
      await file.close();
    }
    if (!reused.signal.aborted) return 0;
    throw new OrielError(
      'DENIED',
      `The ticket for the browser was used twice, so another program has seen it, and the server has ended. Use oriel inspect ${shellWord(path)} again, with --no-open if it must not happen again.`,
    );
  },
};

function stateWords({ events, skipped }: FileState): string {
  const bad = skipped === 0 ? '' : `; ${skippedWords(skipped)}`;
  return countWords(events, 'event') + bad;
}
