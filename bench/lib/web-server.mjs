// A web server on loopback with the pages of the bench, whose URL is its first line of output. `/docs` is a page of 5 MB
// with paragraphs, code, tables and lists; `/scripts` is 300,000 times the beginning of a script; `/article` is an
// ordinary article of a blog.
import { createServer } from 'node:http';
import { sized } from './quick.mjs';

const words = 'window archive answer budget notice cursor server reading signal header process memory'.split(
  ' ',
);
const sentence = (i, length = 24) =>
  `${Array.from({ length }, (_, k) => words[(i * 7 + k * 5 + ((i * k) % 11)) % words.length]).join(' ')}.`;

const section = (i) =>
  `<h2 id="s${i}">Section ${i}</h2><p>${sentence(i)} <a href="/other/${i}">${sentence(i, 3)}</a> <code>call(${i})</code> ${sentence(i + 1)}</p>` +
  `<pre><code class="language-js"><span class="k">const</span> value${i} = read(${i});\n  if (value${i}) {\n    done();\n  }\n</code></pre>` +
  `<ul>${[0, 1, 2].map((k) => `<li>${sentence(i + k, 8)}</li>`).join('')}</ul>` +
  `<table><tr><th>name</th><th>meaning</th></tr>${[0, 1, 2].map((k) => `<tr><td>field${k}</td><td>${sentence(i + k, 6)}</td></tr>`).join('')}</table>`;

function pageOf(bytes) {
  const parts = [
    '<!doctype html><html><head><title>A manual</title></head><body><nav><a href="/">Home</a></nav><main><h1>A manual</h1>',
  ];
  for (let i = 0, size = 0; size < bytes; i += 1) {
    const part = section(i);
    size += part.length;
    parts.push(part);
  }
  return `${parts.join('\n')}</main><footer>All rights reserved</footer></body></html>`;
}

const pages = {
  '/article': pageOf(30_000),
  '/docs': pageOf(sized(5_000_000, 500_000)),
  '/scripts': `<html><body>${'<script'.repeat(sized(300_000, 30_000))}</body></html>`,
};

const server = createServer(({ url }, response) => {
  const page = pages[url];
  // No keep-alive: connections would be closed while the bench waits for other processes.
  const headers = { 'content-type': 'text/html; charset=utf-8', connection: 'close' };
  response.writeHead(page === undefined ? 404 : 200, headers).end(page);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
