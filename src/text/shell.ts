/** Owns how a path is written in a command that a model will hand to a shell. */

/** What no shell reads as anything but itself. A leading `-` would be an option, a leading `~` a home. */
const PLAIN = /^[\w./@%+=:,][\w./@%+=:,~-]*$/;

/** `path` as one word of a command: bare where that is safe, else in quotes; never an option. */
export function shellWord(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path;
  if (PLAIN.test(word)) return word;
  // Line breaks would end the notice that the command stands in.
  if (/[\0-\x1f\x7f]/.test(word)) return `$'${word.replaceAll(/[\0-\x1f\x7f\\']/g, escaped)}'`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function escaped(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`;
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
