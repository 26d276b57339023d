/** What keeps somebody from a device. */
export type Trouble =
  | 'key-missing'
  | 'key-wrong'
  | 'key-expired'
  | 'scope-missing'
  | 'device-unknown'
  | 'no-connection'
  | 'restarting'
  | 'too-fast'
  | 'too-many'
  | 'failed';

/** What a page is for. */
export type Purpose = 'view' | 'connect';

/** What somebody is told who asked for a device and did not get it. */
export interface Sentence {
  /** A few words. */
  readonly title: string;
  /** What to do, or what happens by itself. */
  readonly text: string;
}

/** Troubles that another key would end. */
export function asksForKey(trouble: Trouble): boolean {
  return ['key-missing', 'key-wrong', 'key-expired', 'scope-missing'].includes(trouble);
}

/** Says it for people: what a status means, and never its number. */
export function sentenceFor(trouble: Trouble, device: string, purpose: Purpose): Sentence {
  return sentences[trouble](`“${device}”`, purpose === 'view' ? 'watch' : 'send pictures for');
}

const sentences: Readonly<Record<Trouble, (device: string, act: string) => Sentence>> = {
  'key-missing': (device, act) => ({
    title: 'A key is needed',
    text: `Enter a key that may ${act} ${device}.`,
  }),
  'key-wrong': () => ({
    title: 'This key is not known',
    text: 'Check that it was copied whole, or ask for another one.',
  }),
  'key-expired': () => ({
    title: 'This key is no longer valid',
    text: 'It has expired or was withdrawn. Enter a new one.',
  }),
  'scope-missing': (device, act) => ({
    title: 'This key may not do that',
    text: `It is known, but may not ${act} ${device}. Enter another one, or ask for this key to be let in.`,
  }),
  'device-unknown': (device) => ({
    title: 'There is no such device',
    text: `The server knows no device ${device}. Check the address of this page.`,
  }),
  'no-connection': () => ({
    title: 'No connection',
    text: 'The server cannot be reached from here. This page tries again by itself.',
  }),
  restarting: () => ({
    title: 'The server is not ready',
    text: 'It is starting or stopping. This page tries again by itself.',
  }),
  'too-fast': () => ({
    title: 'Too many requests',
    text: 'The server asks everybody here to slow down. This page tries again by itself.',
  }),
  'too-many': (device) => ({
    title: 'Too many viewers',
    text: `${device} has all the viewers that it may have. This page tries again by itself.`,
  }),
  failed: () => ({
    title: 'Something went wrong',
    text: 'The server could not answer. This page tries again by itself.',
  }),
};
