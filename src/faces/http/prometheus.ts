/** Metrics as Prometheus reads them: text, version 0.0.4. */

export interface Family {
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** By labels, as they are in the text. */
  readonly values: ReadonlyMap<string, number>;
}

/** Values are names of our own: tools, codes, routes as declared. */
export function labels(pairs: Readonly<Record<string, string>>): string {
  return `{${Object.entries(pairs)
    .map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, '_')}"`)
    .join(',')}}`;
}

export function familyText(name: string, { help, type, values }: Family): string {
  const lines = [...values].map(([key, value]) => `${name}${key} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
