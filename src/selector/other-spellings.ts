/** Selectors as models and other tools write them, `lines 5-10`, `L5C3-L7`, `95-$`, in the form of ours. */

/** Of a selector that is written in another way: what is longer is a name. */
const MOST_CHARACTERS = 512;

/**
 * `text` (without the leading colon) as a selector of ours, where it is plain which lines are meant; undefined where it is
 * not, and for what is written as ours already. Columns are left out, as of `120:5`.
 */
export function otherSpelling(text: string): string | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const plain = plainly(text);
  if (plain !== text && /^(?:raw|conflicts|outline|meta|outputs)$/.test(plain)) return plain;
  const [, before = '', range = '', after = ''] = /^(raw:)?(.*?)(:raw)?$/s.exec(plain) ?? [];
  const lines = before + after === '' || !range.includes(':') ? linesOf(range) : undefined;
  if (lines === undefined) return undefined;
  const written = `${before}${lines}${before === '' ? after : ''}`;
  return written === text ? undefined : written;
}

/** Lower case, with the plain one of each sort of dash, colon and comma, without colons at the ends. */
function plainly(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\u2010-\u2015\u2212\uff0d]/g, '-')
    .replace(/\.{3,}|\u2026/g, '..')
    .replace(/\uff1a/g, ':')
    .replace(/[\uff0c\u3001]/g, ',')
    .trim()
    .replace(/^:+|:+$/g, '')
    .trim();
}

function linesOf(text: string): string | undefined {
  if (/^(?:all|full|whole|entire|everything|\*)$/.test(text)) return '1..';
  if (text === '$') return '-1';
  const first = /^(?:head|first|top)[ =:-]{1,2}(\d+)(?: lines?)?$/.exec(text);
  if (first) return `1..${first[1]}`;
  const last = /^(?:tail|last|bottom)[ =:-]{1,2}(\d+)(?: lines?)?$/.exec(text);
  if (last) return `-${last[1]}`;
  const bytes = /^@(\d+)([km])?(?:\+(\d+)([km])?(?:i?b)?)?$/.exec(text);
  if (bytes) return bytesOf(bytes);
  const range = text.replace(/^(?:lines?|ln)[ =:#.]*(?=[[(\dl])/, '');
  return rangeInBrackets(range) ?? toTheEnd(range) ?? listOf(unbracketed(range));
}

/** `@64k+64kb` → `@65536+64K`. */
function bytesOf([, start = '', unit, length, lengthUnit = '']: RegExpExecArray): string {
  const from = Number(start) * (unit === 'm' ? 1 << 20 : unit === 'k' ? 1024 : 1);
  return `@${from}${length === undefined ? '' : `+${length}${lengthUnit.toUpperCase()}`}`;
}

/** `[5, 10]` of a field, and `(10,5)-(12,20)` of compilers, which counts columns too. */
function rangeInBrackets(text: string): string | undefined {
  const list = /^\[(\d+), *(-1|\d+)\]$/.exec(text);
  if (list) return `${list[1]}-${list[2] === '-1' ? '' : list[2]}`;
  const places = /^\((\d+),\d+\)-\((\d+),\d+\)$/.exec(text);
  return places ? `${places[1]}-${places[2]}` : undefined;
}

function unbracketed(text: string): string {
  return /^\[.*\]$|^\(.*\)$/s.test(text) ? text.slice(1, -1) : text;
}

/** `95-$`, `95,$`, `95..end`, `95:-1`, `95+`; from the end `-5..`, `-5:-1`. */
function toTheEnd(text: string): string | undefined {
  const tail = /^-(\d+)(?: *(?:-|\.\.|:|,) *(?:-1|\$|end|eof)?)?$/.exec(text);
  if (tail) return `-${tail[1]}`;
  const open = /^l?(\d+) *(?:(-|\.\.|:|,|to) *(?:-1|\$|end|eof|last)|\+)$/.exec(text);
  return open ? `${open[1]}${open[2] === '..' ? '..' : '-'}` : undefined;
}

/** Ranges with anything but a comma between them, or with a comma too many. */
function listOf(text: string): string | undefined {
  const items = text
    .replace(/ *\b(?:to|through|until)\b */g, '-')
    .replace(/ *(-|\.\.|\+) */g, '$1')
    .split(/ *(?:[,;&]|\band\b) *| +/)
    .filter((item) => item !== '')
    .map(itemOf);
  return items.length > 0 && items.every((item) => item !== undefined) ? items.join(',') : undefined;
}

/** One range. Of `L5C3-L7C9`, `5.3-7.9` and `5:3-7:9` the lines, of `5:3-9`, columns of one line, that line. */
function itemOf(item: string): string | undefined {
  const place = /^l?(\d+)(?:[c:]\d+(?:-\d+)?)?$/.exec(item);
  if (place) return place[1];
  const range = /^l?(\d+)(?:[c.:]\d+)?(-|\.\.)(?:l?(\d+)(?:[c.:]\d+)?)?$/.exec(item);
  if (range) return `${range[1]}${range[2]}${range[3] ?? ''}`;
  return /^l?\d+\+l?\d+$/.test(item) ? item : undefined;
}
