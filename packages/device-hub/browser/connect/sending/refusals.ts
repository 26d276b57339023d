/** What the hub found wrong with a frame, as far as less of it helps. */
export type RefusalKind = 'too-fast' | 'too-large' | 'other';

/** A frame that was so large that the hub ended the connection, which is all that it said. */
export const endedByFrame = 'the frame is larger than the hub takes';

/** @param message in the words of the hub, which are its only way to say it on a socket */
export function toRefusalKind(message: string): RefusalKind {
  if (/frames? (a second|at a time)/.test(message)) return 'too-fast';
  if (message === endedByFrame || /(bytes|pixels) at most/.test(message)) return 'too-large';
  return 'other';
}
