// A client of the load, with one connection, over HTTP or in an MCP session.
import { Agent, request } from 'node:http';
import { AUTHORIZATION } from './process.mjs';

export const JSON_HEADERS = { 'content-type': 'application/json', ...AUTHORIZATION };
const MCP_HEADERS = { ...JSON_HEADERS, accept: 'application/json, text/event-stream' };
const VERSION = '2025-06-18';

/** `{ ask, vanish, close }`: `ask(question)` returns the text of the answer, or undefined if the server is busy. */
export function httpClient(url, name) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { ...JSON_HEADERS, 'oriel-client': name };
  const ask = async (question, options) => {
    const { status, text } = await send(url + pathOf(question), {
      agent,
      headers,
      body: question.tool && JSON.stringify(question.input),
      ...options,
    });
    if (status === 503) return undefined;
    if (status !== 200) throw new Error(`status ${status}: ${text.slice(0, 300)}`);
    const { tool, field } = question;
    if (tool) return textOf(JSON.parse(text));
    return field ? JSON.parse(text)[field] : text;
  };
  return { ask, close: () => agent.destroy() };
}

const pathOf = ({ get, tool }) => get ?? `/api/v0/tools/${tool}`;

/** Undefined if the answer says that the server is busy. */
function textOf(answer) {
  if (answer.isError && /"(?:TIMEOUT|BUSY)"/.test(JSON.stringify(answer))) return undefined;
  const { text } = answer.content[0];
  // A search that reached its timeout also counts as busy: its answer is incomplete.
  return /^\[The time limit was reached: /m.test(text) ? undefined : text;
}

/** The same over an MCP session; only for requests with a `tool`. */
export async function mcpClient(url, name) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let headers = { ...MCP_HEADERS, 'oriel-client': name };
  let id = 0;
  const post = (method, params, notification) =>
    send(`${url}/mcp`, {
      agent,
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', method, params, ...(!notification && { id: (id += 1) }) }),
    });
  const hello = await post('initialize', {
    protocolVersion: VERSION,
    capabilities: {},
    clientInfo: { name, version: '1' },
  });
  if (hello.status !== 200) throw new Error(`initialize: status ${hello.status}`);
  headers = {
    ...headers,
    'mcp-session-id': hello.headers['mcp-session-id'],
    'mcp-protocol-version': VERSION,
  };
  await post('notifications/initialized', {}, true);
  const ask = async ({ tool, input }) => {
    const { status, text } = await post('tools/call', { name: tool, arguments: input });
    if (status === 503) return undefined;
    if (status !== 200) throw new Error(`status ${status}: ${text.slice(0, 300)}`);
    const json = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
    const answer = JSON.parse(json);
    if (answer.error) throw new Error(answer.error.message);
    return textOf(answer.result);
  };
  const close = async () => {
    await send(`${url}/mcp`, { agent, headers, method: 'DELETE' });
    agent.destroy();
  };
  return { ask, close };
}

/** Retries once: the server closes an idle connection after five seconds, possibly just when a slow client uses it. */
export async function send(url, options) {
  try {
    return await sendOnce(url, options);
  } catch (error) {
    if (!error.rested || error.code !== 'ECONNRESET') throw error;
    return sendOnce(url, options);
  }
}

/** `pauseMs`: pause after each piece. `vanishMs`: disconnect after this time. */
function sendOnce(url, options) {
  const { agent, headers, body, method, pauseMs, vanishMs } = options;
  return new Promise((done, fail) => {
    const sent = request(
      url,
      { agent, headers, method: method ?? (body === undefined ? 'GET' : 'POST') },
      (response) => {
        const parts = [];
        response.on('data', (part) => {
          parts.push(part);
          if (pauseMs === undefined) return;
          response.pause();
          setTimeout(() => response.resume(), pauseMs);
        });
        response.on('error', fail);
        response.on('end', () =>
          done({
            status: response.statusCode,
            headers: response.headers,
            text: Buffer.concat(parts).toString('utf8'),
          }),
        );
      },
    );
    sent.on('error', (error) => fail(Object.assign(error, { rested: sent.reusedSocket })));
    if (vanishMs !== undefined) setTimeout(() => sent.destroy(), vanishMs);
    sent.end(body);
  });
}
