import { AsyncLocalStorage } from 'node:async_hooks';
import { goingOn } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';

/** Goes on in a later turn of the event loop, which runs of others have a share of, in the context of now. */
export function inLaterTurn({ id }: Principal, goOn: () => void): void {
  goingOn.wait(id, AsyncLocalStorage.bind(goOn));
}

/** The same to be awaited. */
export function laterTurn({ id }: Principal): Promise<void> {
  return new Promise((resolve) => void goingOn.wait(id, resolve));
}
