/** Clips a long line to a number of code points, from its start or around a match. */

export interface Clipped {
  readonly text: string;
  readonly clipped?: 'start' | 'end' | 'both';
}

/** The first `most` code points of a line. `text` is the known part of it; `whole` says that it is the complete line. */
export function clipHead(text: string, most: number, whole: boolean): Clipped {
  const head = takeFirst(text, most);
  return head === text && whole ? { text } : { text: head, clipped: 'end' };
}

export interface Around {
  /** The known text before the match, and from the match on. */
  readonly before: string;
  readonly after: string;
  /** Whether these reach the start and the end of the line. */
  readonly fromStart: boolean;
  readonly toEnd: boolean;
}

/** Clips to `most` code points: a third of them before the match, more if there are fewer after it. */
export function clipAround({ before, after, fromStart, toEnd }: Around, most: number): Clipped {
  const behind = countPoints(takeFirst(after, most - Math.floor(most / 3)));
  const head = takeLast(before, most - behind);
  const tail = takeFirst(after, most - countPoints(head));
  const start = head !== before || !fromStart;
  const end = tail !== after || !toEnd;
  const clipped = start ? (end ? 'both' : 'start') : end ? 'end' : undefined;
  return { text: head + tail, ...(clipped && { clipped }) };
}

function takeFirst(text: string, most: number): string {
  if (text.length <= most) return text;
  let units = 0;
  for (let points = 0; points < most && units < text.length; points += 1) {
    units += isPair(text, units) ? 2 : 1;
  }
  return text.slice(0, units);
}

function takeLast(text: string, most: number): string {
  if (text.length <= most) return text;
  let units = text.length;
  for (let points = 0; points < most && units > 0; points += 1) {
    units -= units > 1 && isPair(text, units - 2) ? 2 : 1;
  }
  return text.slice(units);
}

function countPoints(text: string): number {
  let points = 0;
  for (let at = 0; at < text.length; at += isPair(text, at) ? 2 : 1) points += 1;
  return points;
}

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) as number) > 0xffff;
}
