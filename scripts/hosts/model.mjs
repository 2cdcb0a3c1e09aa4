// A model that follows a script, on 127.0.0.1. It speaks Anthropic Messages, OpenAI Responses, OpenAI chat completions and Gemini,
// always streamed, and records what a host passed on of each answer of a tool.
import { createServer } from 'node:http';

/** What `request` declares: tools as { name, namespace?, custom?, schema? }, and the results of earlier calls as { text, images, isError }. */
const protocols = {
  anthropic: {
    tools: ({ tools = [] }) =>
      tools
        .filter((tool) => !tool.defer_loading)
        .map(({ name, input_schema }) => ({ name, schema: input_schema })),
    results: ({ messages = [] }) =>
      messages
        .flatMap(({ content }) => (Array.isArray(content) ? content : []))
        .filter(({ type }) => type === 'tool_result')
        .map(({ content, is_error }) => ({ ...blocks(content), isError: is_error === true })),
    events({ id, call, text }) {
      const block = call ? { type: 'tool_use', id, name: call.name, input: {} } : { type: 'text', text: '' };
      const delta = call
        ? { type: 'input_json_delta', partial_json: JSON.stringify(call.args) }
        : { type: 'text_delta', text };
      const message = { id, type: 'message', role: 'assistant', model: 'm', content: [], usage: USAGE };
      return [
        { type: 'message_start', message },
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: call ? 'tool_use' : 'end_turn' }, usage: USAGE },
        { type: 'message_stop' },
      ];
    },
  },
  responses: {
    tools: ({ tools = [], input = [] }) =>
      [...tools, ...input.flatMap((item) => (item.type === 'additional_tools' ? item.tools : []))].flatMap(
        (tool) =>
          tool.type === 'namespace'
            ? tool.tools.map(({ name, type }) => ({ name, namespace: tool.name, custom: type === 'custom' }))
            : [{ name: tool.name ?? tool.type, custom: tool.type === 'custom', schema: tool.parameters }],
      ),
    results: ({ input = [] }) =>
      (Array.isArray(input) ? input : [])
        .filter(({ type }) => /^(?:function|custom_tool)_call_output$/.test(type))
        .map(({ output }) => ({ ...blocks(output), isError: false })),
    events({ id, call, text }) {
      const names = call && { name: call.name, ...(call.namespace && { namespace: call.namespace }) };
      const item = !call
        ? { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
        : call.script === undefined
          ? { type: 'function_call', call_id: id, ...names, arguments: JSON.stringify(call.args) }
          : { type: 'custom_tool_call', call_id: id, ...names, input: call.script };
      return [
        { type: 'response.created', response: { id } },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: { id: `i_${id}`, status: 'completed', ...item },
        },
        {
          type: 'response.completed',
          response: { id, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
        },
      ];
    },
  },
  chat: {
    tools: ({ tools = [] }) =>
      tools.map((tool) => ({ name: tool.function?.name ?? tool.type, schema: tool.function?.parameters })),
    // Some hosts pass an image in the next message of the user.
    results: ({ messages = [] }) =>
      messages.flatMap(({ role, content }, at) => {
        if (role !== 'tool') return [];
        const { images } =
          messages[at + 1]?.role === 'user' ? blocks(messages[at + 1].content) : { images: 0 };
        const own = blocks(content);
        return [{ ...own, images: own.images + images, isError: false }];
      }),
    events({ id, call, text }) {
      const calls = call && [
        {
          index: 0,
          id,
          type: 'function',
          function: { name: call.name, arguments: JSON.stringify(call.args) },
        },
      ];
      const chunk = (delta, finish_reason = null) => ({
        id,
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta, finish_reason }],
      });
      // Some hosts read no delta beside the usage.
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      return [
        chunk({ role: 'assistant', content: calls ? null : '' }),
        chunk(calls ? { tool_calls: calls } : { content: text }),
        chunk({}, calls ? 'tool_calls' : 'stop'),
        { ...chunk({}), choices: [], usage },
        '[DONE]',
      ];
    },
  },
  gemini: {
    tools: ({ tools = [] }) => tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations),
    results: ({ contents = [] }) =>
      contents.flatMap(({ parts = [] }) =>
        parts.flatMap(({ functionResponse: answer }) => {
          if (!answer) return [];
          const { output, error } = answer.response ?? {};
          const images = [...parts, ...(answer.parts ?? [])].filter(({ inlineData }) => inlineData).length;
          return [{ text: String(output ?? error ?? ''), images, isError: error !== undefined }];
        }),
      ),
    events: ({ call, text }) => [
      {
        candidates: [
          {
            index: 0,
            finishReason: 'STOP',
            content: {
              role: 'model',
              parts: [call ? { functionCall: { name: call.name, args: call.args } } : { text }],
            },
          },
        ],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      },
    ],
  },
};

const USAGE = { input_tokens: 1, output_tokens: 1 };

function blocks(content) {
  if (typeof content === 'string') return { text: content, images: 0 };
  const list = Array.isArray(content) ? content : [];
  return {
    text: list.map(({ text = '' }) => text).join('\n'),
    images: list.filter(({ type }) => /image/.test(type)).length,
  };
}

const protocolOf = (url) =>
  /:(?:stream)?generateContent/i.test(url)
    ? 'gemini'
    : /\/messages\b/.test(url)
      ? 'anthropic'
      : /\/responses\b/.test(url)
        ? 'responses'
        : /\/chat\/completions\b/.test(url)
          ? 'chat'
          : undefined;

/** A command with which a model waits for a server that its host has not yet connected. */
const SHELL = /^(?:bash|shell|exec_command|run_commands?|run_shell_command|run_terminal_command)$/i;
const MAX_WAITS = 8;

function waiting(tools) {
  const shell = tools.find(({ name }) => SHELL.test(name));
  const { properties = { command: {} } } = shell?.schema ?? {};
  const key = ['cmd', 'command', 'commands'].find((name) => name in properties);
  if (!shell || !key) return undefined;
  const command = properties[key].type === 'array' ? ['sleep 2'] : 'sleep 2';
  const args = { [key]: command, ...(properties.description && { description: 'wait' }) };
  return { ...shell, args };
}

/** A tool that runs scripts which call tools: of Codex, and of pi. */
const isScripted = ({ name, custom }) => (custom && name === 'exec') || name === 'codemode';
const scripted = (tool, code) => ({ ...tool, ...(tool.custom ? { script: code } : { args: { code } }) });

/**
 * Starts the model. `next(results)` returns the arguments of the next call of `read`, or the source of a script, or undefined at
 * the end, where the model says `text`. `read`: its name in this host. `seen.results` has what the host passed on, `seen.first` is
 * whether its first request declared `read`, `seen.size` the characters of that request, `seen.requests` counts those with tools.
 */
export async function startModel(next, { text = 'Done.', read: named = /oriel.*read$/ } = {}) {
  const seen = { results: [], first: undefined, size: 0, requests: 0 };
  let waits = 0;
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const name = protocolOf(request.url ?? '');
    const sent = Buffer.concat(chunks).toString();
    let body = {};
    try {
      body = JSON.parse(sent);
    } catch {}
    if (!name || request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end('{"data":[],"models":[]}');
    }
    if (/count_?tokens/i.test(request.url)) {
      // Four characters a token, but one of those that are no letters of Latin.
      const counted = Math.ceil(sent.length / 4 + (sent.match(/[^\0-\u{2fff}]/gu) ?? []).length * 0.75);
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ input_tokens: counted, totalTokens: counted }));
    }
    const protocol = protocols[name];
    const tools = protocol.tools(body);
    const read = tools.find((tool) => named.test(`${tool.namespace ?? ''} ${tool.name}`.trim()));
    const script = tools.find(isScripted);
    let call;
    // Hosts also ask for titles, without tools.
    if (tools.length > 0) {
      seen.requests += 1;
      seen.first ??= read !== undefined;
      seen.size ||= sent.length;
      const results = protocol.results(body).slice(waits);
      // As they came first: hosts shorten old results.
      seen.results.push(...results.slice(seen.results.length));
      const args = next(seen.results);
      if (typeof args === 'string' && script) call = scripted(script, args);
      else if (args && read) call = { ...read, args };
      else if (args && script)
        call = scripted(
          script,
          `const r = await tools.mcp__oriel__read(${JSON.stringify(args)}); for (const c of r.content) if (c.type === 'image') image(c); else text(c.text);`,
        );
      else if (args && waits < MAX_WAITS) {
        call = waiting(tools);
        waits += 1;
      }
    }
    const events = protocol.events({ id: `call_${seen.requests}`, call, text });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) {
      const type = name === 'anthropic' || name === 'responses' ? `event: ${event.type}\n` : '';
      response.write(`${type}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    }
    return response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, seen, stop: () => server.close() };
}
