/** Quotes paths in shell commands that are suggested to a model. */

/**
 * Characters without a meaning to any shell. A leading `-` would be an option; a `~` in front, and after `=` or `:`, a
 * home directory.
 */
const PLAIN = /^(?!.*[=:]~)[\w./@%+=:,][\w./@%+=:,~-]*$/;

/** `path` as one word of a command: quoted if necessary, and never taken for an option. */
export function shellWord(path: string): string {
  return shellArgument(path.startsWith('-') ? `./${path}` : path);
}

/** `word` as one word of a command, quoted if necessary; a leading `-` is kept. */
export function shellArgument(word: string): string {
  if (PLAIN.test(word)) return word;
  // Line breaks would end the notice that contains the command.
  if (/[\0-\x1f\x7f]/.test(word)) return `$'${word.replaceAll(/[\0-\x1f\x7f\\']/g, escaped)}'`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function escaped(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`;
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
