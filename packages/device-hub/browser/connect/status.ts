import { insecureSentence, toCameraSentence } from './camera/camera-sentences.ts';
import type { CameraState } from './camera/camera-state.ts';
import type { Judgement } from './sending/pace.ts';
import { toRefusalKind } from './sending/refusals.ts';

/** One word for the badge, one sentence for whoever asks what to do. */
export interface Status {
  readonly word: 'ready' | 'starting' | 'sending' | 'refused-some' | 'waiting' | 'trouble';
  readonly sentence: string;
}

/** What of a session decides its status. */
export interface StatusFacts {
  readonly camera: CameraState;
  readonly cameraError: unknown;
  readonly line: 'connecting' | 'open' | 'waiting' | 'closed';
  /** It was open before. */
  readonly wasOpen: boolean;
  /** Why the hub refused frames lately, newest last. */
  readonly refusedLately: readonly string[];
  /** The hub took a frame in the last seconds. */
  readonly takenLately: boolean;
  readonly isHidden: boolean;
  readonly tally: { readonly taken: number };
  readonly pace: { readonly blame: Judgement; readonly scale: number };
}

/** Before Start. */
export function toReadyStatus(isSecure: boolean): Status {
  if (!isSecure) return { word: 'trouble', sentence: insecureSentence };
  return {
    word: 'ready',
    sentence: 'Press Start: the browser asks for the camera, and its picture becomes this device.',
  };
}

/** What is said of a session: the most pressing thing, and no numbers, so that it is read out when it changes only. */
export function toStatus(facts: StatusFacts): Status {
  const { camera, cameraError, line, wasOpen, tally, refusedLately, takenLately, isHidden, pace } = facts;
  if (camera === 'refused') return { word: 'trouble', sentence: toCameraSentence(cameraError) };
  if (line !== 'open')
    return wasOpen
      ? {
          word: 'waiting',
          sentence:
            'The connection to the hub is lost. It is tried again by itself; nothing needs to be done.',
        }
      : { word: 'starting', sentence: 'Connecting to the hub …' };
  if (camera === 'starting')
    return { word: 'starting', sentence: 'Waiting for the camera. If the browser asks, allow it.' };
  if (camera === 'lost')
    return {
      word: 'trouble',
      sentence:
        'The camera gives no picture: it was unplugged, is used by another program, or the screen was locked. It goes on by itself as soon as there is one.',
    };
  if (isHidden)
    return {
      word: 'waiting',
      sentence:
        'This page is in the background: one frame a second is sent at most, and none from a phone. Keep it in front.',
    };
  const refused = toRefusalSentence(refusedLately);
  if (refused !== undefined) return { word: takenLately ? 'refused-some' : 'trouble', sentence: refused };
  if (tally.taken === 0) return { word: 'starting', sentence: 'Connected. Sending the first frame …' };
  if (pace.scale < 1)
    return {
      word: 'sending',
      sentence: 'Frames arrive. The hub takes small ones only: they are made smaller than you chose.',
    };
  if (pace.blame === 'slow-line')
    return {
      word: 'sending',
      sentence: 'Frames arrive. The line is slow: they are less sharp, or fewer, than you chose.',
    };
  return { word: 'sending', sentence: 'Frames arrive: this camera is the device now.' };
}

function toRefusalSentence(messages: readonly string[]): string | undefined {
  const message = messages.at(-1);
  if (message === undefined) return undefined;
  const kind = toRefusalKind(message);
  if (kind === 'too-fast')
    return `Too many frames reach the hub; perhaps somebody else sends as this device, too. It says: ${message}.`;
  if (kind === 'too-large')
    return `The frames are too large and are made smaller now. The hub says: ${message}.`;
  return `The hub does not take the frames. It says: ${message}.`;
}
