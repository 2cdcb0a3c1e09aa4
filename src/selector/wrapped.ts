/** Removes irrelevant text around a target: a command, a bullet, a link, a place in a message. */

/** Commands that show a file, with options that do not select lines. */
const SHOWS = /^(?:\$ )?(?:cat|less|more|bat|nl|view|open|read|oriel read)(?: -[a-z]{1,3})* (.+)$/i;

/** Forms of `target` without the text around it, the most likely first. They are tried only if no file has the literal name. */
export function unwrapped(target: string): string[] {
  const text = target.trim();
  const command = ofCommand(text);
  const inner = command ?? ofMessage(text) ?? ofMarks(text);
  const forms = inner === undefined ? [] : [inner, ofMarks(inner) ?? inner];
  return [...forms, ...[text, ...forms].flatMap((form) => ofPlace(form) ?? [])];
}

/** `sed -n '10,20p' FILE` → `FILE:10..20`, `head -n 5 FILE`, `tail -5 FILE`, `cat FILE`. */
function ofCommand(text: string): string | undefined {
  const sed = /^sed -n ["']?(\d+)(?:,(\d+))?p["']? (.+)$/.exec(text);
  if (sed) return `${sed[3]}:${sed[1]}..${sed[2] ?? sed[1]}`;
  const ends = /^(head|tail)(?: (?:-n ?|-|--lines=)(\d+))? ([^-].*)$/.exec(text);
  if (ends) return `${ends[3]}:${ends[1] === 'head' ? '1..' : '-'}${ends[2] ?? 10}`;
  return SHOWS.exec(text)?.[1];
}

/** `at run (FILE:10:5)` of a stack trace, `--> FILE:10:5` of a compiler, `lines 5-10 of FILE`, `+10 FILE` of an editor. */
function ofMessage(text: string): string | undefined {
  const frame = /^at [^()]+ \((.+)\)$/.exec(text) ?? /^(?:at|in|-->) (.+)$/.exec(text);
  if (frame) return frame[1];
  const lines = /^lines? (\d+(?: ?(?:-|to) ?\d+)?) (?:of|in) (.+)$/i.exec(text);
  if (lines) return `${lines[2]}:${lines[1]}`;
  const plus = /^(?:(?:vim?|code|emacs|nano|less) )?\+(\d+) (.+)$/.exec(text);
  return plus ? `${plus[2]}:${plus[1]}` : undefined;
}

/** A link or emphasis in Markdown, brackets, a bullet, the name of a field, a code fence, the JSON of a call. */
function ofMarks(text: string): string | undefined {
  const found =
    /^\[[^\]]*\]\((.+)\)$/.exec(text) ??
    /^<(.+)>$/.exec(text) ??
    /^\((.+)\)$/.exec(text) ??
    /^\*\*(.+)\*\*$/.exec(text) ??
    /^(?:[-*•]|\d{1,3}[.)]) (.+)$/.exec(text) ??
    /^(?:---|\+\+\+) (?![ab]\/)(.+)$/.exec(text) ??
    /^(?:path|file|filename|file_path)\s*[:=]\s*(?!\/\/)(.+)$/i.exec(text) ??
    /^\{\s*["'](?:path|file_path|file)["']\s*:\s*["']([^"']+)["']\s*\}$/.exec(text) ??
    /^\[\s*["']([^"']+)["']\s*\]$/.exec(text) ??
    /^(.*[^.;)])[;)]$/.exec(text) ??
    /^(.+:[\d-]+)\.$/.exec(text);
  return found?.[1];
}

/** Path notations: a variable for the working directory, a URL of an editor, a side of a diff, `!` after an archive. */
function ofPlace(text: string): string[] | undefined {
  const rewritten = [
    text.replace(/^(?:\$\{?(?:PWD|workspaceFolder|workspaceRoot|cwd)\}?|\$\(pwd\)|%CD%)[/\\]/i, ''),
    text.replace(/^(?:vscode|vscode-insiders|cursor):\/\/file\/*(?=\/)/i, ''),
    text.replace(/^(?:vscode|vscode-insiders|cursor):\/\/file\/+(?!\/)/i, '/'),
    text.replace(/^file:(?:\/\/)?(?=[^/])/i, ''),
    text.replace(/^(?:---|\+\+\+) [ab]\//, ''),
    text.replace(/^(?:jar:)?(?:file:|zip:\/\/)?([^!]+)!\/?/i, '$1:'),
    text.replace(/^(?:zip|sqlite3?):(?:\/\/)?(?=[^/])/i, ''),
  ];
  const others = rewritten.filter((form) => form !== text && form !== '');
  return others.length > 0 ? others.map((form) => form.replaceAll('\\', '/')) : undefined;
}
