/** Of a JPEG, as a canvas takes it. */
export const bestQuality = 0.8;
export const worstQuality = 0.4;
/** For a hub that takes small pictures only, before they become smaller. */
export const smallestQuality = 0.3;
const smallestScale = 0.1;
const slowestPerSecond = 1;

/** Seconds without trouble before more is tried; twice as long each time that it was too much. */
const shortestPatience = 2;
export const longestPatience = 64;

/** The share of pictures that may find no room, or come too fast, without anything being wrong. */
const tolerated = 0.1;

/** How a second went. */
export type Judgement = 'well' | 'slow-line' | 'too-fast';

/**
 * How good the pictures are and how many there are, by what the line and the hub take: the quality gives way first, then
 * the rate; both come back, the rate first.
 */
export class Pace {
  #most: number;
  #perSecond: number;
  #quality = bestQuality;
  /** Set by the hub's limit on the size of a picture, and kept until another size is chosen. */
  #highestQuality = bestQuality;
  #scale = 1;
  #refusedBytes = Number.POSITIVE_INFINITY;
  #calmSeconds = 0;
  #patience = shortestPatience;
  #triedMore = false;
  #blame: Judgement = 'well';
  #sent = 0;
  #skipped = 0;
  #tooFast = 0;

  /** @param most pictures a second */
  constructor(most: number) {
    this.#most = most;
    this.#perSecond = most;
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  get quality(): number {
    return this.#quality;
  }

  /** Of the width and the height that were chosen. */
  get scale(): number {
    return this.#scale;
  }

  /** Why less is sent than was chosen; `well` when it is not. */
  get blame(): Judgement {
    return this.#quality < this.#highestQuality || this.#perSecond < this.#most ? this.#blame : 'well';
  }

  /** Another rate was chosen, or the hub said what it takes. */
  choose(most: number): void {
    this.#perSecond = this.#perSecond < this.#most ? Math.min(most, this.#perSecond) : most;
    this.#most = most;
  }

  /** Another camera or size was chosen: what was said about large pictures holds no more. */
  forgetSize(): void {
    this.#highestQuality = bestQuality;
    this.#scale = 1;
    this.#refusedBytes = Number.POSITIVE_INFINITY;
  }

  /** The hub would refuse it, as it refused a smaller one. */
  isTooLarge(bytes: number): boolean {
    return bytes >= this.#refusedBytes;
  }

  /** A picture found its way. */
  sent(): void {
    this.#sent++;
  }

  /** A picture was due while the one before it was still waiting for the line. */
  skipped(): void {
    this.#skipped++;
  }

  /** The hub dropped one because there were too many. */
  tooFast(): void {
    this.#tooFast++;
  }

  /** The hub takes no pictures of this size, or one has come out as large as that again. */
  tooLarge(bytes: number): void {
    this.#refusedBytes = Math.min(this.#refusedBytes, bytes);
    if (this.#quality > smallestQuality) this.#quality = Math.max(smallestQuality, this.#quality * 0.8);
    else this.#scale = Math.max(smallestScale, this.#scale * 0.75);
    this.#highestQuality = this.#quality;
  }

  /** Judges the second that has passed, and draws the consequence. */
  judge(): Judgement {
    const judgement = judge(this.#sent, this.#skipped, this.#tooFast);
    const isIdle = this.#sent + this.#skipped === 0;
    this.forgive();
    if (judgement !== 'well') this.#blame = judgement;
    if (judgement === 'too-fast') this.#slowDown(0.8);
    else if (judgement === 'slow-line') this.#giveWay();
    else if (!isIdle) this.#calm();
    return judgement;
  }

  /** Leaves the second that has passed unjudged. */
  forgive(): void {
    this.#sent = 0;
    this.#skipped = 0;
    this.#tooFast = 0;
  }

  #giveWay(): void {
    if (this.#quality <= worstQuality) this.#slowDown(0.75);
    else {
      this.#quality = Math.max(worstQuality, this.#quality * 0.85);
      this.#hadTrouble();
    }
  }

  #slowDown(by: number): void {
    this.#perSecond = Math.max(Math.min(slowestPerSecond, this.#most), this.#perSecond * by);
    this.#hadTrouble();
  }

  #hadTrouble(): void {
    if (this.#triedMore) this.#patience = Math.min(longestPatience, this.#patience * 2);
    this.#triedMore = false;
    this.#calmSeconds = 0;
  }

  #calm(): void {
    const canMore = this.#perSecond < this.#most || this.#quality < this.#highestQuality;
    if (!canMore) this.#patience = shortestPatience;
    if (!canMore || ++this.#calmSeconds < this.#patience) return;
    this.#calmSeconds = 0;
    this.#triedMore = true;
    if (this.#perSecond < this.#most) this.#perSecond = Math.min(this.#most, this.#perSecond * 1.5);
    else this.#quality = Math.min(this.#highestQuality, this.#quality + 0.1);
  }
}

function judge(sent: number, skipped: number, tooFast: number): Judgement {
  if (isTrouble(tooFast, sent)) return 'too-fast';
  return isTrouble(skipped, sent + skipped) ? 'slow-line' : 'well';
}

/** A single one is a hiccup, unless there are hardly more. */
function isTrouble(count: number, of: number): boolean {
  return count > tolerated * of && (count > 1 || of <= 2);
}
