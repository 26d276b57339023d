import { insecureSentence, toCameraSentence } from './camera/camera-sentences.ts';
import type { CameraState } from './camera/camera-state.ts';
import type { Judgement } from './sending/pace.ts';
import { type RefusalKind, toRefusalKind } from './sending/refusals.ts';

/** One word for the badge, one sentence for whoever asks what to do. */
export interface Status {
  readonly word: 'Ready' | 'Starting' | 'Sending' | 'Some frames refused' | 'Waiting' | 'Not sending';
  readonly sentence: string;
}

/** What of a session decides its status. */
export interface StatusFacts {
  readonly camera: { readonly state: CameraState; readonly error: unknown };
  readonly line: { readonly state: string };
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
  if (!isSecure) return { word: 'Not sending', sentence: insecureSentence };
  return {
    word: 'Ready',
    sentence: 'Press Start and allow the camera: it becomes this device.',
  };
}

/** What is said of a session: the most pressing thing, and no numbers, so that it is read out when it changes only. */
export function toStatus(facts: StatusFacts): Status {
  const { camera, line, wasOpen, tally, refusedLately, takenLately, isHidden, pace } = facts;
  if (camera.state === 'refused') return { word: 'Not sending', sentence: toCameraSentence(camera.error) };
  if (line.state !== 'open')
    return wasOpen
      ? {
          word: 'Waiting',
          sentence: 'The connection to the hub is lost. It comes back by itself.',
        }
      : { word: 'Starting', sentence: 'Connecting to the hub …' };
  if (camera.state === 'starting')
    return { word: 'Starting', sentence: 'Waiting for the camera. If the browser asks, allow it.' };
  if (camera.state === 'lost')
    return {
      word: 'Not sending',
      sentence:
        'The camera gives no picture: it is unplugged, locked, or used by another program. It goes on by itself.',
    };
  if (isHidden)
    return {
      word: 'Waiting',
      sentence:
        'In the background one frame a second is sent at most, and none from a phone. Keep this page in front.',
    };
  const refused = toRefusalSentence(refusedLately);
  if (refused !== undefined)
    return { word: takenLately ? 'Some frames refused' : 'Not sending', sentence: refused };
  if (tally.taken === 0) return { word: 'Starting', sentence: 'Connected. Sending the first frame …' };
  if (pace.scale < 1)
    return {
      word: 'Sending',
      sentence: 'Frames arrive, smaller than you chose: the hub takes no larger ones.',
    };
  if (pace.blame === 'slow-line')
    return {
      word: 'Sending',
      sentence: 'Frames arrive, less sharp or fewer than you chose: the line is slow.',
    };
  return { word: 'Sending', sentence: 'Frames arrive: this camera is the device now.' };
}

function toRefusalSentence(messages: readonly string[]): string | undefined {
  const message = messages.at(-1);
  return message && `${refusals[toRefusalKind(message)]} The hub says: ${message}.`;
}

const refusals: Readonly<Record<RefusalKind, string>> = {
  'too-fast': 'Too many frames reach the hub; perhaps somebody else sends as this device, too.',
  'too-large': 'The frames are too large and are made smaller now.',
  other: 'The hub does not take the frames.',
};
