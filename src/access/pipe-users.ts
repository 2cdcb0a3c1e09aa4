/** Tracks the sessions that have run commands: with the last of them the pool of pipes is closed. */

/** The private directories of these sessions, in which the FIFOs are made. */
const directories = new Set<string>();
let closeSpare: (() => void) | undefined;

/** `close` closes the pool of pipes. */
export function usePipes(directory: string, close: () => void): void {
  directories.add(directory);
  closeSpare = close;
}

export function leavePipes(directory: string): void {
  if (directories.delete(directory) && directories.size === 0) closeSpare?.();
}

export function arePipesInUse(): boolean {
  return directories.size > 0;
}
