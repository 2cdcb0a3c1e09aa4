/**
 * Runs in a child process: converts one page or feed after another, which come in frames on standard input, and answers
 * each with a frame on standard output. It opens no file and no connection.
 */

import { answerJobs, type ChildAnswer } from '../../access/child-jobs.ts';
import { extract, fragment } from './child/extract.ts';
import { entryText, feedText } from './child/feed.ts';
import type { Job, Reply } from './protocol.ts';

/** More bytes than any page that is sent. */
const MOST_INPUT = 64 << 20;

function answer({ is, url, without = [] }: Job, content: string): { reply: Reply; text: string } {
  switch (is) {
    case 'page': {
      const { how, markdown, title } = extract(content, url);
      return { reply: { is: 'text', how, ...(title !== undefined && { title }) }, text: markdown };
    }
    case 'fragment':
      return { reply: { is: 'text', how: 'fragment' }, text: fragment(content, url, without) };
    case 'feed':
    case 'entry': {
      const text = is === 'feed' ? feedText(content, url) : entryText(content, url);
      return text === undefined
        ? { reply: { is: 'nothing' }, text: '' }
        : { reply: { is: 'text', how: 'feed' }, text };
    }
  }
}

await answerJobs(MOST_INPUT, (head, body): ChildAnswer => {
  const { reply, text } = answer(head as Job, body.toString('utf8'));
  return { reply, body: Buffer.from(text) };
});
