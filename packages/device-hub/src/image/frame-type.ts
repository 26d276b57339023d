import { HTTPError } from '@waymark/contract';
import type { DeviceDeclaration } from '../declarations/device-declaration.ts';
import { type FrameSettings, toSettings } from '../declarations/device-settings.ts';
import type { ImageSize } from './image-size.ts';
import { type ImageType, readImageType } from './image-type.ts';

/** A picture larger than this unfolds to more memory than a viewer should be asked for. */
export const maxPixels = 64_000_000;

/**
 * Tells the type of a picture that a declared camera would take as a frame.
 *
 * @throws {HTTPError} what the camera would say of these bytes: 404 it is a sensor · 413 too large · 415 no PNG, JPEG, GIF
 * or WebP · 422 empty, without its size, or with too many pixels
 */
export function readFrameType(bytes: Uint8Array, device: DeviceDeclaration): ImageType['mediaType'] {
  const { frames } = toSettings(device);
  if (!frames) throw new HTTPError(404, `"${device.name}" is a sensor: it takes no pictures`);
  checkFrameSize(bytes.length, frames);
  return frameTypeOf(bytes).mediaType;
}

/** @throws {HTTPError} 413 */
export function checkFrameSize(
  length: number,
  { maxFrameBytes }: Pick<FrameSettings, 'maxFrameBytes'>,
): void {
  if (length > maxFrameBytes) throw new HTTPError(413, `a frame has ${maxFrameBytes} bytes at most`);
}

/** @throws {HTTPError} 415, 422 */
export function frameTypeOf(bytes: Uint8Array): ImageType {
  if (bytes.length === 0) throw emptyFrame();
  const type = readImageType(bytes);
  if (!type) throw new HTTPError(415, 'a frame is a PNG, JPEG, GIF or WebP, and these bytes are none');
  if (!type.size) throw new HTTPError(422, 'the header of the picture is cut off: it does not say its size');
  if (isNothing(type.mediaType, type.size)) throw new HTTPError(422, 'a picture has a width and a height');
  if (type.size.width * type.size.height > maxPixels)
    throw new HTTPError(422, `a frame has ${maxPixels} pixels at most`);
  return type;
}

/** A JPEG may tell its height behind its rows, and the screen of a GIF is not the size of its pictures. */
function isNothing(mediaType: string, { width, height }: ImageSize): boolean {
  if (mediaType === 'image/gif') return false;
  return width === 0 || (height === 0 && mediaType !== 'image/jpeg');
}

export function emptyFrame(): HTTPError {
  return new HTTPError(422, 'the frame is empty');
}
