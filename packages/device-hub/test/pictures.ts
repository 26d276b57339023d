/** Pictures as far as a hub reads them: signature and size, then anything. */

/** @param rest bytes behind the header, so that two pictures differ */
export function png(width = 640, height = 480, rest = ''): Uint8Array {
  const header = Buffer.alloc(33);
  header.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  header.writeUInt32BE(13, 8);
  header.write('IHDR', 12, 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return new Uint8Array(Buffer.concat([header, Buffer.from(rest)]));
}

/** @param before segments in front of the frame header, markers included */
export function jpeg(width = 640, height = 480, before: Uint8Array = app0, marker = 0xc0): Uint8Array {
  const frame = Buffer.alloc(19);
  frame.set([0xff, marker, 0, 17, 8]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const end = Buffer.from([0xff, 0xda, 0, 2, 0xff, 0xd9]);
  return new Uint8Array(Buffer.concat([Buffer.from([0xff, 0xd8]), before, frame, end]));
}

const app0 = Buffer.from([0xff, 0xe0, 0, 4, 0x4a, 0x46]);

export function gif(width = 640, height = 480, version = '89a'): Uint8Array {
  const bytes = Buffer.alloc(13);
  bytes.write(`GIF${version}`, 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return new Uint8Array(bytes);
}

/** @param form the first chunk: lossy, lossless, extended */
export function webp(form: 'VP8 ' | 'VP8L' | 'VP8X', width = 640, height = 480): Uint8Array {
  const bytes = Buffer.alloc(32);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write(`WEBP${form}`, 8, 'latin1');
  if (form === 'VP8 ') {
    bytes.set([0x9d, 0x01, 0x2a], 23);
    bytes.writeUInt16LE(width | 0x4000, 26);
    bytes.writeUInt16LE(height | 0x8000, 28);
  } else if (form === 'VP8L') {
    bytes[20] = 0x2f;
    bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
  } else {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  }
  return new Uint8Array(bytes);
}

/** A PNG of exactly so many bytes. */
export function pngOf(bytes: number): Uint8Array {
  const picture = new Uint8Array(bytes);
  picture.set(png());
  return picture;
}
