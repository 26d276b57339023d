import type { CameraWishFor } from './cameras.ts';
import type { PictureSize } from './picture-sizes.ts';

/** Which camera is wanted, and how it shall film. */
export interface CameraWish extends CameraWishFor {
  readonly size: PictureSize;
  readonly perSecond: number;
}

/** Cameras film at this rate if they can: what is left out is chosen here, with less delay than a slow camera has. */
const usualPerSecond = 30;

/** Asks the browser for a camera, and the browser the person. @throws {DOMException} see `toCameraSentence` */
export async function openCamera({ id, facing, size, perSecond }: CameraWish): Promise<MediaStream> {
  const { mediaDevices } = navigator as { readonly mediaDevices?: MediaDevices };
  if (!mediaDevices) throw new DOMException('no cameras on this page', 'SecurityError');
  const which = id !== undefined ? { deviceId: { exact: id } } : facing && { facingMode: { ideal: facing } };
  return mediaDevices.getUserMedia({
    audio: false,
    video: {
      ...which,
      width: { ideal: size.width },
      height: { ideal: size.height },
      frameRate: { ideal: Math.max(usualPerSecond, perSecond) },
    },
  });
}
