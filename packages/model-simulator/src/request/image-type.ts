const signatures: readonly (readonly [mediaType: string, matches: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.toString('latin1', 0, 4) === '\x89PNG'],
  ['image/jpeg', (bytes) => bytes.toString('latin1', 0, 3) === '\xff\xd8\xff'],
  ['image/gif', (bytes) => bytes.toString('latin1', 0, 4) === 'GIF8'],
  [
    'image/webp',
    (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  ],
];

/** The image types that both services take. */
export const imageTypes: readonly string[] = signatures.map(([mediaType]) => mediaType);

/** The type that the first bytes of an image tell; undefined when they tell none of the four. */
export function imageTypeOf(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, 24), 'base64');
  return signatures.find(([, matches]) => matches(head))?.[0];
}

/** Whether a text is base64 with its padding and nothing else. */
export function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
