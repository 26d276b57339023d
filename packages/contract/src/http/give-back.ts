/// <reference lib="es2024.arraybuffer" />

/** Bytes from which on it is worth it: a flood of texts of 1 MB brought on a collection for each twelve. */
const worthBytes = 65_536;

/**
 * Gives back the memory of bytes that nobody reads any more, unless other things lie in it, too. As garbage it would wait for
 * a collection, and bytes outside the heap bring on collections of all of it: they took half of the CPU time of a body of
 * 200 KB (measured).
 *
 * @param alone whatever else lies in their memory is nobody's
 */
export function giveBack({ buffer, length }: Uint8Array, alone = false): void {
  if (!(buffer instanceof ArrayBuffer) || !(alone || buffer.byteLength === length)) return;
  // Node 20 has no such thing: there it is garbage.
  (buffer as Partial<Pick<ArrayBuffer, 'transfer'>>).transfer?.(0);
}

/** The same of a message that nobody keeps, where it is worth it. */
export function giveBackMessage(message: string | Uint8Array): void {
  if (typeof message !== 'string' && message.length >= worthBytes) giveBack(message);
}
