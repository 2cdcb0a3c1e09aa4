/** Which sessions have run commands: when the last of them is closed, the spare pipes of this process are closed too. */

/** Their private directories, where the pipes were made. */
const directories = new Set<string>();
let closeSpare: (() => void) | undefined;

/** `close` closes the pipes that are kept ready. */
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
