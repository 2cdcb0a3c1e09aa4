// Archives beside the tools that a shell has for them: unzip, tar.
import { gzipped, tarOf, zipOf } from './lib/archives.mjs';
import { insideProcess, wholeProcess } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { mb, ms, ratio } from './lib/table.mjs';

const small = () => [zipOf('small.zip', 3), tarOf('small.tar', 1)].map((path) => ({ path }));
/** In a process that has read other archives, but not this one. */
const ours = (path, repeat) => insideProcess('ours', { input: { path }, repeat, warm: small() });

function row(what, archive, path, peer, args, repeat = 9) {
  const mine = ours(path, repeat);
  if (mine.failure) throw new Error(`${path}: ${mine.failure}`);
  const theirs = attempt(peer, args);
  return {
    what,
    archive,
    'oriel, first call': ms(mine.cold),
    'oriel, again': ms(mine.warm),
    'oriel memory': mb(mine.mb),
    peer: [peer, ...args.slice(0, -1)].join(' ').replace(/ \/\S*\//g, ' '),
    'peer time': ms(theirs),
    ratio: ratio(mine.cold, theirs),
  };
}

/** Undefined if the tool is not installed. */
function attempt(command, args) {
  try {
    return wholeProcess(command, args, 3);
  } catch {
    return undefined;
  }
}

export async function rows() {
  const count = sized(10_000, 1_000);
  const zip = zipOf(`${count}.zip`, count);
  const [members, size] = sized([1_000, '1 GB'], [10, '10 MB']);
  const tar = tarOf(`${members}mb.tar`, members);
  const packed = await gzipped(tar);
  const last = `data/part${String(members - 1).padStart(4, '0')}.log`;
  const entries = `zip, ${count.toLocaleString('en')} entries`;
  const one = `src/dir5/file${count - 95}.ts`;
  return [
    row('list one directory', entries, `${zip}:src/dir5`, 'unzip', ['-Z1', zip]),
    row('one member', entries, `${zip}:${one}`, 'unzip', ['-p', zip, one]),
    row('list', `tar, ${size}`, `${tar}:data`, 'tar', ['-tf', tar]),
    row('last member', `tar, ${size}`, `${tar}:${last}`, 'tar', ['-xOf', tar, last]),
    row('list', `tar.gz, ${size} unpacked`, `${packed}:data`, 'tar', ['-tzf', packed], 3),
    row('last member', `tar.gz, ${size} unpacked`, `${packed}:${last}`, 'tar', ['-xOzf', packed, last], 1),
  ];
}
