/** The helper that answers hooks: one for each user, resident while it is in use, of the version that the hooks have. */

import { chmodSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { OrielError } from '../../errors.ts';
import { builtFile } from '../../files/package-files.ts';
import type { CliCommand } from '../cli/options.ts';
import { HookAnswers, removeKeptTexts } from './hook-answers.ts';
import { meetingPath, REPLY, versionKey } from './meeting.ts';

/** It ends when it was not asked for so many milliseconds. */
const IDLE_MS = 15 * 60_000;

/** More than a hook sends. */
const MAX_REQUEST_BYTES = 33 << 20;

/** A hook that sends nothing for so long is gone. */
const MAX_SILENCE_MS = 10_000;

const HOSTS = ['claude', 'copilot', 'opencode', 'kilo', 'pi', 'gemini'];

export const hookCommand: CliCommand = {
  name: 'hook',
  operands: 'HOST',
  help: 'answer for the own tools of an agent: started by what oriel install --mode native writes',
  choices: HOSTS,
  serves: true,
  options: [],
  async run({ operands: [host] }, { signal }) {
    // Not the name of an agent: this process becomes the helper.
    if (host === 'serve') await serveHooks(signal);
    else await import(builtFile('faces/hook/hook-child.js').href);
    return 0;
  },
};

async function serveHooks(signal: AbortSignal): Promise<void> {
  const path = meetingPath();
  if (path === undefined)
    throw new OrielError('UNSUPPORTED', 'There is no directory that only this user can enter.');
  const version = versionKey(fileURLToPath(builtFile('faces/cli/main.js')));
  if (await isServed(path, version)) return;
  const answers = new HookAnswers();
  const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket));
  let timer: NodeJS.Timeout;
  // The name tells hooks which process it is.
  const own = `${path}.${process.pid}`;
  const end = (): void => {
    if (targetOf(path) === own) rmSync(path, { force: true });
    server.close();
    void answers.close().finally(() => process.exit(0));
  };
  const rest = (): void => {
    clearTimeout(timer);
    timer = setTimeout(end, IDLE_MS);
  };
  const serve = async (socket: Socket): Promise<void> => {
    rest();
    socket.on('error', () => socket.destroy());
    socket.setTimeout(MAX_SILENCE_MS, () => socket.destroy());
    const request = await received(socket);
    if (request === undefined) return;
    const at = request.indexOf('\n');
    const [head, event] = [request.subarray(0, at).toString(), request.subarray(at + 1).toString()];
    const { version: asked, host } = JSON.parse(head) as { version?: string; host?: string };
    if (asked !== version) {
      socket.end(REPLY.otherVersion, end);
      return;
    }
    const text = await answers.answer(host ?? '', event).catch(() => undefined);
    socket.end(text === undefined ? REPLY.nothing : REPLY.answer + text);
    rest();
  };
  rmSync(own, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(own, resolve);
  });
  chmodSync(own, 0o600);
  // It takes the place of a dead or older one in one step.
  const link = `${own}.new`;
  rmSync(link, { force: true });
  symlinkSync(own, link);
  const older = targetOf(path);
  renameSync(link, path);
  if (older !== undefined && older !== own) rmSync(older, { force: true });
  signal.addEventListener('abort', end, { once: true });
  // Nothing that goes wrong with one answer ends the others.
  process.on('uncaughtException', () => undefined);
  rest();
}

/** Ends the helper, as a hook of another version does, and removes what it kept. */
export async function endHooks(): Promise<void> {
  const path = meetingPath();
  if (path !== undefined) await isServed(path, '');
  removeKeptTexts();
}

/** Undefined if there is no link. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Whether a helper of this version answers at `path`. */
function isServed(path: string, version: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => socket.end(`${JSON.stringify({ version })}\n`));
    let reply = '';
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on('data', (piece) => (reply += String(piece)));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(reply.startsWith(REPLY.nothing)));
  });
}

/** Undefined if it is too long, or the hook has gone. */
function received(socket: Socket): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    socket.on('data', (piece) => {
      pieces.push(piece);
      size += piece.length;
      if (size > MAX_REQUEST_BYTES) socket.destroy();
    });
    socket.on('end', () => resolve(Buffer.concat(pieces)));
    socket.on('close', () => resolve(undefined));
  });
}
