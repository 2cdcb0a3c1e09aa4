/** Which task a request belongs to, as its headers say, and which program sends it. */

import type { RunOptions } from '../../assemble.ts';
import type { Exchange } from './exchange.ts';

/** The name of the task; percent-encoded where it has more than ASCII. */
const TASK_HEADER = 'oriel-task';

export const TASK_NAME_HELP = `a call names its task in the header ${TASK_HEADER}`;

/** Any value asks for the task's totals in `details`. */
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
