import type { ImageSize } from './image-size.ts';

/** Far more segments than any camera writes before the picture; a text of fill bytes must not take for ever. */
const maxSteps = 512;

/** Finds the frame header (SOFn) of a JPEG behind its other segments. */
export function jpegSize(view: DataView): ImageSize | undefined {
  let at = 2;
  for (let step = 0; step < maxSteps && at + 9 <= view.byteLength; step++) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (isFrameHeader(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    else if (marker === startOfScan || marker === endOfImage) return undefined;
    else at += 2 + (isAlone(marker) ? 0 : view.getUint16(at + 2));
  }
  return undefined;
}

const startOfScan = 0xda;
const endOfImage = 0xd9;

/** C0 to CF, but for the tables DHT and DAC and the reserved JPG. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Markers without a segment behind them: TEM, and the restarts. */
function isAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}
