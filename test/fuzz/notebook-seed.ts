/** A valid notebook, to be damaged. */

export const notebookSeed = {
  cells: [
    { cell_type: 'markdown', metadata: {}, source: ['# a\n', 'b'] },
    {
      cell_type: 'code',
      metadata: {},
      source: 'x',
      outputs: [{ output_type: 'stream', name: 'stdout', text: 'y' }],
    },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
};
