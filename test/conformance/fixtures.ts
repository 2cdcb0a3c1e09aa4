/** What the conformance suite wants a server to hold, in the forms that several of its fixtures share. */

/** 1×1, red. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** A header and no samples. */
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

export const text = (words: string): { type: 'text'; text: string } => ({ type: 'text', text: words });

export const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;

export const embedded = (uri: string, mimeType: string, words: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text: words } }) as const;

export const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
