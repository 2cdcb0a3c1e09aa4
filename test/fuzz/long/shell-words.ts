/** How a POSIX shell with `$'…'` splits a command into words: what `src/text/visible.ts` is compared with. */

/** Undefined for what is no plain list of words: operators, expansions, quotes without an end. */
export function shellWordsOf(command: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < command.length; at += 1) {
    const character = command[at] as string;
    if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "'") {
      const end = command.indexOf("'", at + 1);
      if (end === -1) return undefined;
      word = (word ?? '') + command.slice(at + 1, end);
      at = end;
    } else if (character === '\\') {
      at += 1;
      if (at === command.length) return undefined;
      word = (word ?? '') + (command[at] as string);
    } else if (character === '$' && command[at + 1] === "'") {
      const quoted = ansiQuoted(command, at + 2);
      if (!quoted) return undefined;
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (/[\n\r$`"|&;<>(){}*?[\]!#~^]/.test(character) && !isPlain(command, at)) return undefined;
    else word = (word ?? '') + character;
  }
  return word === undefined ? words : [...words, word];
}

/** A tilde is one within a word, where neither `=` nor `:` stands before it. */
function isPlain(command: string, at: number): boolean {
  return command[at] === '~' && at > 0 && !/[\s=:]/.test(command[at - 1] as string);
}

function ansiQuoted(command: string, from: number): { text: string; end: number } | undefined {
  let text = '';
  for (let at = from; at < command.length; at += 1) {
    const character = command[at] as string;
    if (character === "'") return { text, end: at };
    if (character !== '\\') {
      text += character;
      continue;
    }
    const [escape = ''] = /^x[0-9a-f]{2}|^./.exec(command.slice(at + 1)) ?? [];
    text += escape.length === 3 ? String.fromCharCode(Number.parseInt(escape.slice(1), 16)) : escape;
    at += escape.length;
  }
  return undefined;
}
