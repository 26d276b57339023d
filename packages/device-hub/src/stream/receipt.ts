/** Of the payload of a ping; the pings of the wire itself ("waymark") are seven bytes long. */
const length = 6;

/** The payload of a ping that asks for a receipt: its number. */
export function toReceipt(number: number): Uint8Array {
  const payload = Buffer.allocUnsafe(length);
  payload.writeUIntBE(number, 0, length);
  return payload;
}

/** The number of the receipt in a pong; undefined when it is none of ours, as pongs nobody asked for may be. */
export function fromReceipt(payload: Uint8Array): number | undefined {
  if (payload.length !== length) return undefined;
  return Buffer.from(payload.buffer, payload.byteOffset, length).readUIntBE(0, length);
}
