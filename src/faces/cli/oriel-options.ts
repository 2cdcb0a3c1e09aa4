/** Converts the options of a command to options of the library. */

import { resolve } from 'node:path';
import { fromWorkingDirectory } from '../../access/paths.ts';
import { realDirectory } from '../../access/held-roots.ts';
import type { DialectName } from '../../dialects/dialect-table.ts';
import { OrielError } from '../../errors.ts';
import { startedByCommand, type StartMark } from '../../operator-words.ts';
import type { OrielOptions, TelemetrySettings } from '../../options.ts';
import { checkTelemetryFile } from '../../session/telemetry/open-privately.ts';
import { digest } from '../../telemetry/text-digest.ts';
import { quote } from '../../text/visible.ts';
import type { Option, Values } from './command.ts';
import { printUnexpected } from './debug.ts';
import { mcpServersIn } from './mcp-servers.ts';
import {
  agentOutputs,
  allow,
  allowNet,
  cwd,
  dialect,
  display,
  DISPLAYS,
  limits,
  noCache,
  root,
  s3,
  s3Endpoint,
  task,
  telemetry,
  userFiles,
} from './option-table.ts';

/** The library options for the shared options. Throws `BAD_INPUT`. */
export function orielOptions(values: Values): OrielOptions & StartMark {
  const text = (option: Option): string | undefined => values[option.name] as string | undefined;
  const list = (option: Option): readonly string[] =>
    (values[option.name] as readonly string[] | undefined) ?? [];
  const shown = text(display) as (typeof DISPLAYS)[number] | undefined;
  const chosen = text(dialect) as DialectName | undefined;
  if (shown !== undefined && (chosen ?? 'oriel') !== 'oriel') {
    throw new OrielError(
      'BAD_INPUT',
      `The dialect ${chosen} shows lines in its own way. Leave out --display, or use --dialect oriel.`,
    );
  }
  if (values['web'] === true && values['offline'] === true) {
    throw new OrielError(
      'BAD_INPUT',
      'With --offline nothing is read from the web. Leave out --web, or --offline.',
    );
  }
  if (values['s3'] !== undefined && values['offline'] === true) {
    throw new OrielError('BAD_INPUT', 'With --offline no objects are read. Leave out --s3, or --offline.');
  }
  const [directory, budget, outputs] = [text(cwd), text(limits), text(agentOutputs)];
  if (directory !== undefined && realDirectory(fromWorkingDirectory(directory)) === undefined) {
    throw new OrielError('BAD_INPUT', `--cwd takes a directory that exists, not ${quote(directory)}.`);
  }
  // Within roots only what was asked for leaves this machine.
  const isOff = (asked: Values[string]): boolean =>
    values['offline'] === true || (list(root).length > 0 && asked === undefined);
  return {
    ...startedByCommand,
    ...(directory !== undefined && { cwd: directory }),
    roots: list(root),
    allow: list(allow),
    ...(chosen !== undefined && { dialect: chosen }),
    ...(budget !== undefined && { limits: parseLimits(budget) }),
    ...(shown && { display: shown }),
    ...(outputs !== undefined && { agentOutputs: outputs }),
    ...(values[userFiles.name] === true && { userFiles: true }),
    web: isOff(values['web']) ? false : { allow: list(allowNet) },
    s3: isOff(values['s3']) ? false : s3Options(list(allowNet), list(s3), text(s3Endpoint)),
    ...(values[noCache.name] === true && { cache: false }),
    ...mcpServersIn(fromWorkingDirectory(directory), values),
    ...(values['debug'] === true && { onError: printUnexpected }),
    telemetry: telemetryOf(values, directory),
    // Kept outputs must outlive this process, because the next command is another process.
    spills: { workingDirectory: fromWorkingDirectory(directory) },
  };
}

export function s3Options(
  allowed: readonly string[],
  urls: readonly string[],
  endpoint: string | undefined,
): NonNullable<OrielOptions['s3']> {
  const buckets = urls.map((url) => url.replace(/^s3:\/\//i, ''));
  return {
    allow: allowed,
    ...(endpoint !== undefined && { endpoint }),
    ...(buckets.length > 0 && !buckets.includes('') && { buckets }),
  };
}

/** In telemetry, the session of a command is its working directory. Throws `BAD_INPUT` if the file cannot be written. */
function telemetryOf(values: Values, directory: string | undefined): TelemetrySettings | false {
  const [file, named] = [values[telemetry.name], values[task.name]] as (string | undefined)[];
  if (file === undefined) {
    if (named === undefined) return false;
    const message = 'A task is named for telemetry alone. Add --telemetry FILE, or leave out --task.';
    throw new OrielError('BAD_INPUT', message);
  }
  checkTelemetryFile(resolve(file));
  return { file, task: named ?? `directory-${digest(fromWorkingDirectory(directory))}` };
}

/** "lines=100,bytes=10K" → { lines: 100, bytes: 10240 } */
function parseLimits(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const match = /^\s*([A-Za-z]+)=(\d+)([KMG]?)\s*$/.exec(pair);
      if (!match) {
        throw new OrielError(
          'BAD_INPUT',
          `The limit ${quote(pair)} is not NAME=N. Use --limits lines=500,bytes=20K.`,
        );
      }
      const scale = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }[match[3] as '' | 'K' | 'M' | 'G'];
      return [match[1] as string, Number(match[2]) * scale];
    }),
  );
}
