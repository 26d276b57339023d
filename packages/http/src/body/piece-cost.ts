/** Above it the object around a piece does not count: 210 bytes of the heap, and 500 to 850 of the process (measured). */
const smallPiece = 1024;
const objectBytes = 512;

/** What a piece of a body or message costs besides its bytes: a client may send each of them in a piece of its own. */
export function pieceCost(length: number): number {
  return length < smallPiece ? objectBytes : 0;
}
