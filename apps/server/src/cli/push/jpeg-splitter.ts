const soi = 0xd8;
const eoi = 0xd9;
const sos = 0xda;

/** What the next byte belongs to. */
type Place = 'between' | 'marker' | 'length' | 'segment' | 'scan' | 'whole';

/**
 * Cuts a stream of bytes into the JPEGs that it holds, whatever pieces it comes in.
 *
 * The segments of each are walked by their lengths, so that the end of a thumbnail inside one is not taken for the end of
 * the picture. What lies between two pictures, and one that breaks off where the next begins, is left out.
 */
export class JpegSplitter {
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(65_536);
  /** Bytes that are there, and those that were looked at. */
  #end = 0;
  #at = 0;
  #place: Place = 'between';
  /** Of the segment that is being skipped. */
  #left = 0;
  #inScan = false;
  #tooLarge = 0;

  /** @param maxBytes of one picture */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Pictures that were given up because they had more than `maxBytes`. */
  get tooLarge(): number {
    return this.#tooLarge;
  }

  /** Takes the next piece. @returns the pictures that it completes, as copies */
  push(piece: Uint8Array): Uint8Array[] {
    const pictures: Uint8Array[] = [];
    // However large a piece is, what is kept is bounded.
    for (let from = 0; from < piece.length; from += 65_536) {
      this.#append(piece.subarray(from, from + 65_536));
      this.#walk(pictures);
      if (this.#end <= this.#maxBytes) continue;
      this.#tooLarge++;
      this.#restart(this.#end);
    }
    return pictures;
  }

  #append(piece: Uint8Array): void {
    if (this.#end + piece.length > this.#bytes.length) {
      const larger = Buffer.alloc(2 * (this.#end + piece.length));
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#end);
    this.#end += piece.length;
  }

  #walk(pictures: Uint8Array[]): void {
    while (this.#step()) {
      if (this.#place !== 'whole') continue;
      pictures.push(Uint8Array.prototype.slice.call(this.#bytes, 0, this.#at));
      this.#restart(this.#at);
    }
  }

  /** Goes on by one part. @returns whether there was enough of it */
  #step(): boolean {
    switch (this.#place) {
      case 'between':
        return this.#findStart();
      case 'marker':
        return this.#readMarker();
      case 'length':
        return this.#readLength();
      case 'segment':
        return this.#skipSegment();
      case 'scan':
        return this.#skipScan();
      case 'whole':
        return false;
    }
  }

  #findStart(): boolean {
    const start = this.#bytes.subarray(0, this.#end).indexOf(startOfImage);
    if (start === -1) {
      // Its first half may have come.
      this.#restart(this.#bytes[this.#end - 1] === 0xff ? this.#end - 1 : this.#end);
      return false;
    }
    this.#restart(start);
    this.#at = 2;
    this.#place = 'marker';
    return true;
  }

  #readMarker(): boolean {
    let at = this.#at;
    if (at >= this.#end) return false;
    if (this.#bytes[at] !== 0xff) return this.#giveUp(at);
    // Any number of them may stand in front of a marker.
    while (at < this.#end && this.#bytes[at] === 0xff) at++;
    if (at >= this.#end) return false;
    const marker = this.#bytes[at] ?? 0;
    if (marker === soi || marker === 0) return this.#giveUp(at - 1);
    this.#at = at + 1;
    if (isAlone(marker)) return true;
    this.#inScan = marker === sos;
    this.#place = marker === eoi ? 'whole' : 'length';
    return true;
  }

  #readLength(): boolean {
    if (this.#at + 2 > this.#end) return false;
    const length = this.#bytes.readUInt16BE(this.#at);
    if (length < 2) return this.#giveUp(this.#at);
    this.#left = length;
    this.#place = 'segment';
    return true;
  }

  #skipSegment(): boolean {
    if (this.#at + this.#left > this.#end) return false;
    this.#at += this.#left;
    this.#place = this.#inScan ? 'scan' : 'marker';
    return true;
  }

  /** What is encoded has no FF of its own but before 00, and before the marks of a restart. */
  #skipScan(): boolean {
    for (;;) {
      const at = this.#bytes.subarray(0, this.#end).indexOf(0xff, this.#at);
      if (at === -1) this.#at = this.#end;
      else this.#at = at;
      if (at === -1 || at + 1 >= this.#end) return false;
      const next = this.#bytes[at + 1] ?? 0;
      if (next !== 0 && !isAlone(next)) {
        this.#place = 'marker';
        return true;
      }
      this.#at = at + 2;
    }
  }

  /** No picture: looks for the next one from there on. */
  #giveUp(at: number): boolean {
    this.#restart(at);
    return true;
  }

  #restart(from: number): void {
    this.#bytes.copyWithin(0, from, this.#end);
    this.#end -= from;
    this.#at = 0;
    this.#place = 'between';
  }
}

const startOfImage = Buffer.from([0xff, soi]);

/** A mark of a restart, or TEM: no length follows. */
function isAlone(marker: number): boolean {
  return (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01;
}
