/** Opens a file that is attached to a PDF with the source of its kind, like a member of an archive. */

import { OrielError } from '../../errors.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import type { Resource } from '../../types/resource.ts';
import { enterContainer } from '../archive/budget.ts';
import { present } from '../archive/show-member.ts';
import { inPlace } from '../archive/unpacked.ts';
import { selectionOf } from '../file.ts';
import type { Asked } from './document-ask.ts';
import { sourceOf } from './converted-body.ts';
import { conversions, optionsOf } from './convert-document.ts';
import type { DocumentReading } from './opened-document.ts';
import { orderOf } from './opened-document.ts';

/** Without a name, the list of attachments. Throws `NOT_FOUND`, and the errors of converting. */
export async function openAttachment(
  document: DocumentReading,
  asked: Asked,
  { name }: { readonly name?: string },
): Promise<Resource> {
  const { subject, opened, call } = document;
  const list = document.target(asked, ':attachments');
  const listOrder = orderOf({ is: 'attachments' }, asked);
  if (name === undefined) {
    const selection = selectionOf({ typed: list, rest: asked.tail });
    return document.text(asked, listOrder.want, selection, ':attachments');
  }
  enterContainer(subject);
  const { attachments = [] } = (await document.convert(listOrder)).reply.facts;
  const at = attachments.findIndex((one) => one.name === name);
  if (at === -1) throw noAttachment(name, list, attachments);
  const order = orderOf({ is: 'attachment', number: at + 1 }, asked);
  const { body } = await document.convert(order);
  const bytes = sourceOf(body, opened.bytes.identity.derive(conversions, optionsOf(order)));
  const facts = { format: 'pdf', member: name, size: body.bytes };
  return present(
    {
      outer: { ...subject, opened },
      target: `${list}/${name}`,
      name,
      tail: asked.tail,
      unpacked: inPlace(bytes),
      facts,
      refused: (error) => error,
      notes: [],
    },
    call,
  );
}

function noAttachment(
  name: string,
  list: string,
  attachments: readonly { readonly name: string }[],
): OrielError {
  const near = nearNames(
    name,
    attachments.map((one) => one.name),
  ).map((one) => quote(`${list}/${one}`));
  const message = `There is no attachment ${quote(name)}.${didYouMean(near)} Use ${quote(list)} for the list.`;
  return new OrielError('NOT_FOUND', message, { next: list });
}
