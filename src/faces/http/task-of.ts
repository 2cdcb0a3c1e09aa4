/** Reads the task and the client program of a request from its headers. */

import type { RunOptions } from '../../assemble.ts';
import type { Exchange } from './exchange.ts';

/** The header with the name of the task, percent-encoded if it is not ASCII. */
const TASK_HEADER = 'oriel-task';

export const TASK_NAME_HELP = `a call names its task in the header ${TASK_HEADER}`;

/** The header that requests the totals of the task in `details`, with any value. */
const TOTALS_HEADER = 'oriel-totals';

export function taskOf(exchange: Exchange): Pick<RunOptions, 'task' | 'host' | 'totals' | 'trace'> {
  const traceparent = exchange.header('traceparent');
  const task = exchange.header(TASK_HEADER);
  const host = exchange.header('user-agent');
  return {
    ...(task !== undefined && { task: decoded(task) }),
    ...(host !== undefined && { host }),
    ...(traceparent !== undefined && { trace: { traceparent, tracestate: exchange.header('tracestate') } }),
    ...(exchange.header(TOTALS_HEADER) !== undefined && { totals: true }),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
