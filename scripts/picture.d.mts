export function picture(cli: string): Promise<string>;
