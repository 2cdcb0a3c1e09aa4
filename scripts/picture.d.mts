export function picture(cli: string): Promise<string>;
export function charts(): Record<string, string>;
