/** Formats metrics for Prometheus: text format, version 0.0.4. */

export interface Family {
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** By labels, in the text format. */
  readonly values: ReadonlyMap<string, number>;
}

/** Formats labels. Values are names that oriel defines: tools, codes, routes. */
export function labels(pairs: Readonly<Record<string, string>>): string {
  return `{${Object.entries(pairs)
    .map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, '_')}"`)
    .join(',')}}`;
}

export function familyText(name: string, { help, type, values }: Family): string {
  const lines = [...values].map(([key, value]) => `${name}${key} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
