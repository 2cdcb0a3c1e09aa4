/**
 * The race of W10 through the servers: MCP over stdio and over HTTP, the tools over HTTP and its routes for files.
 *
 * @module-tag slow
 */

import { onTestFinished, expect, test } from 'vitest';
import {
  layRace,
  oftenOf,
  OUTSIDE_MARK,
  type Question,
  race,
  raceCalls,
  type Told,
} from '../support/race.ts';
import { mcpHttp } from './ways/mcp-http.ts';
import { mcpStdio } from './ways/mcp-stdio.ts';
import { makePlace } from './ways/place.ts';
import type { Door, HttpDoor, Way } from './ways/way.ts';
import { workspaceHttp } from './ways/workspace-http.ts';

/** Of the long run, of each way in; a few rounds without it. */
const SECONDS = Number(process.env['ORIEL_RACE_SECONDS'] ?? 0);

/** Words before a server that make it say at its end how often it has opened something. */
const COUNTING = [
  'env',
  'ORIEL_SAY_OPENS=1',
  `NODE_OPTIONS=--import ${new URL('../support/count-opens.mjs', import.meta.url).href}`,
];

const toolsOf = (door: Door): Question[] =>
  raceCalls.map(([tool, input]) => ({
    name: `${tool} ${JSON.stringify(input)}`,
    often: oftenOf(tool),
    async ask(): Promise<Told> {
      const reply = await door.call(tool, input);
      if (!reply) throw new Error('the call was cancelled');
      const { text, details, isError, images } = reply;
      return { whole: JSON.stringify({ text, details, isError, images }), isError, text };
    },
  }));

/** Those that give files and directories to programs. */
function routesOf({ url, token }: HttpDoor, W: string): Question[] {
  const asks: [path: string, body?: object][] = [
    [`read-file?path=${W}/d/f.txt`],
    [`read-file?path=${W}/d/sub/g.txt&offset=2&limit=9`],
    [`read-file-lines?path=${W}/d/f.txt`],
    [`read-file-lines?path=${W}/d/sub/g.txt&offset=2`],
    [`resolve-path?path=${W}/d/f.txt`],
    [`resolve-path?path=${W}/d/inside-1.txt`],
    ['list-directory', { path: `${W}/d` }],
    ['list-directory', { path: `${W}/d/sub`, offset: 1 }],
  ];
  return asks.map(([path, body]) => ({
    name: path,
    often: 12,
    async ask(): Promise<Told> {
      const response = await fetch(`${url}/api/v0/${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const { date: _, 'content-length': __, ...headers } = Object.fromEntries(response.headers);
      const whole = JSON.stringify({ status: response.status, headers, text });
      const { message, error = '' } = /json/.test(headers['content-type'] ?? '')
        ? (JSON.parse(text) as { message?: string; error?: string })
        : {};
      const failure = message ?? error;
      return { whole, isError: failure !== '', text: failure };
    },
  }));
}

test.each<[Way, number]>([
  [mcpStdio, 26],
  [mcpHttp, 26],
  [workspaceHttp, 42],
])(
  'W12 a swapped directory: $name shows only contents of roots',
  { timeout: 300_000 + SECONDS * 2_000 },
  async (way, atLeast) => {
    const place = await makePlace();
    const door = await way.open({
      cwd: place.W,
      roots: [place.W],
      home: place.home(way.name),
      ...(SECONDS > 0 && { before: COUNTING }),
    });
    onTestFinished(() => place.remove());
    onTestFinished(() => void door.close());
    layRace(place);
    const routes = door.http && way === workspaceHttp ? routesOf(door.http, place.W) : [];
    const { asked, wrong } = await race(place, [...toolsOf(door), ...routes], { atLeast, seconds: SECONDS });
    expect(await door.close()).toBe(0);
    const [, opens = 0] = /^opens (\d+)$/m.exec(door.log()) ?? [];
    if (SECONDS > 0)
      console.log(`${way.name}: ${asked} calls, ${opens} opens, ${wrong.length} wrong answers`);
    expect(wrong).toEqual([]);
    expect(door.log()).not.toContain(OUTSIDE_MARK);
  },
);
