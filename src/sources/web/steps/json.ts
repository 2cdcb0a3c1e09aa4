/** JSON with its lines laid out, and JSON Feed as a feed: in the child, whatever its size and shape. */

import { convert } from '../convert.ts';
import { type Step, text } from '../page.ts';

export const jsonStep: Step = async (page, visit) => {
  if (!/[/+]json$/.test(page.type) && page.type !== '' && page.type !== 'application/octet-stream')
    return undefined;
  const content = await page.text();
  if (!/^\s*[[{]/.test(content)) return undefined;
  const job = { is: 'json', url: page.url, cut: page.cut } as const;
  const converted = await convert(job, content, visit.signal);
  if (converted?.reply.is !== 'text') return undefined;
  return text(converted.reply.how, converted.text);
};
