/**
 * The service cannot work right now: a part of it has not started, or is about to stop. It says nothing of the work it
 * was thrown in, so no run ends by it: whoever works on one gives it back, to be tried again.
 */
export class HostError extends Error {
  override readonly name = 'HostError';
}
