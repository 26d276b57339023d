import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Trouble } from '@waymark/contract/engine';
import type { TroubleSource } from './trouble-list.ts';

/** So many more can be opened, or it is a trouble: a request to a model and a file that is served take one each. */
const spare = 8;

/** How long what was found is told again: everybody may ask for health, as often as they like. */
const againMs = 100;

/**
 * Tells when the process can hardly open a file or a connection any more. Somebody has to try: whoever connects is turned
 * away before anybody here hears of it. Eight attempts take 30 µs.
 *
 * @param open gives a descriptor; default: of the null device
 */
export function descriptorTroubles(
  open: () => number = () => openSync(devNull, 'r'),
  close: (descriptor: number) => void = closeSync,
): readonly Trouble[] {
  const opened: number[] = [];
  try {
    while (opened.length < spare) opened.push(open());
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Any other reason is about the device.
    return code === 'EMFILE' || code === 'ENFILE' ? [trouble] : [];
  } finally {
    for (const descriptor of opened) close(descriptor);
  }
}

/**
 * What `descriptorTroubles` says, of the last tenth of a second.
 *
 * @param find default: `descriptorTroubles`
 * @param monotonic milliseconds of a clock that is never set; default: `performance.now`
 */
export function watchDescriptors(
  find: () => readonly Trouble[] = () => descriptorTroubles(),
  monotonic: () => number = () => performance.now(),
): TroubleSource {
  let foundMs = Number.NEGATIVE_INFINITY;
  let found: readonly Trouble[] = [];
  return () => {
    if (monotonic() - foundMs < againMs) return found;
    found = find();
    foundMs = monotonic();
    return found;
  };
}

const trouble: Trouble = {
  code: 'descriptors-exhausted',
  message:
    'Hardly a file or connection can be opened any more: raise the limit (ulimit -n), or find out who keeps so many open.',
};
