/** Other programs that read the same: each answers many questions in one process. */

import { execFileSync } from 'node:child_process';

const OUTPUT_BYTES = 256 << 20;

/** Bytes between the answers of one process. */
const END = 'oriel-end-of-one-answer\n';

/** What each command of the shell writes, as bytes; `undefined` for one that fails. */
export function shell(commands: readonly string[], cwd: string): (Buffer | undefined)[] {
  const script = commands
    .map(
      (command) => `if ${command}; then printf '+'; else printf -- '-'; fi; printf '%s\\n' '${END.trim()}'`,
    )
    .join('\n');
  const out = execFileSync('bash', ['-s'], {
    cwd,
    input: script,
    maxBuffer: OUTPUT_BYTES,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
  });
  const answers: (Buffer | undefined)[] = [];
  for (let from = 0, at = out.indexOf(END); at !== -1; from = at + END.length, at = out.indexOf(END, from))
    answers.push(out[at - 1] === 0x2b ? out.subarray(from, at - 1) : undefined);
  if (answers.length !== commands.length) throw new Error('an answer of the shell is missing');
  return answers;
}

/** Runs Python that prints one line of JSON for each line of its input. */
export function python<T>(code: string, questions: readonly unknown[], cwd: string): T[] {
  const out = execFileSync('python3', ['-c', `import sys, json\n${code}`], {
    cwd,
    input: questions.map((question) => `${JSON.stringify(question)}\n`).join(''),
    maxBuffer: OUTPUT_BYTES,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

/** The contents of the members of archives by name, or null where Python refuses the archive or one member. */
export const PYTHON_MEMBERS = `
import zipfile, tarfile, io
def members(path):
    found = {}
    if path.endswith('.zip'):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                try: found[info.filename] = archive.read(info).decode('latin-1')
                except Exception: found[info.filename] = None
    else:
        with tarfile.open(path) as archive:
            for info in archive:
                if info.isfile(): found[info.name] = archive.extractfile(info).read().decode('latin-1')
    return found
for line in sys.stdin:
    try: print(json.dumps(members(json.loads(line))))
    except Exception: print('null')
`;
