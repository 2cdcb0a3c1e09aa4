/** Decides which files are Jupyter notebooks. */

export function isNamedNotebook(name: string): boolean {
  return /\.ipynb$/i.test(name);
}
