import { HTTPError } from '@waymark/contract';
import { partnerFault } from '@waymark/contract/engine';

/** Why a camera gave no picture, as a word for programs. */
export type PullFailure =
  /** It could not be reached, or broke off. */
  | 'camera_unreachable'
  /** It did not answer in time, or not to the end. */
  | 'camera_timeout'
  /** It wants other credentials than it was given. */
  | 'camera_credentials'
  /** Its address is one that no declaration may reach, or it sent us elsewhere. */
  | 'camera_address'
  /** It answered with something other than a picture. */
  | 'camera_answer'
  /** Its picture is larger than the device may send. */
  | 'camera_too_large';

const words: Readonly<Record<PullFailure, string>> = {
  camera_unreachable: 'does not answer',
  camera_timeout: 'takes too long to answer',
  camera_credentials: 'refuses the credentials it is given',
  camera_address: 'is, or sends us, where no camera may be',
  camera_answer: 'answers with something that is no picture',
  camera_too_large: 'answers with more than a frame may have',
};

/**
 * The failure of a pull, 502 or 504. It says nothing of what the camera sent nor of where it is: both may hold secrets.
 *
 * @param cause for the log
 */
export function pullError(device: string, code: PullFailure, cause?: unknown): HTTPError {
  const status = code === 'camera_timeout' ? 504 : 502;
  return new HTTPError(status, `camera "${device}" ${words[code]}`, { code, cause });
}

/** What a camera does whose pull failed so; undefined where that does not lie with it. */
export function faultOf({ members: { code = '' }, cause }: HTTPError): string | undefined {
  if (!isPullFailure(code)) return undefined;
  return code === 'camera_unreachable' ? partnerFault(cause) : words[code];
}

function isPullFailure(code: string): code is PullFailure {
  return Object.hasOwn(words, code);
}

/** What any failure on the way to a picture is called. */
export function toPullError(device: string, error: unknown): HTTPError {
  if (!(error instanceof HTTPError)) return pullError(device, 'camera_unreachable', error);
  const { code } = error.members;
  if (code !== undefined && isPullFailure(code)) return error;
  if (error.status === 403) return pullError(device, 'camera_address', error);
  if (error.status === 504) return pullError(device, 'camera_timeout', error);
  // Of a frame: too large, no picture, without its size.
  if (error.status === 413) return pullError(device, 'camera_too_large', error);
  if (error.status === 415 || error.status === 422) return pullError(device, 'camera_answer', error);
  // The hub itself is not there.
  return error.status === 503 ? error : pullError(device, 'camera_unreachable', error);
}
