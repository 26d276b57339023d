import type { CameraPublisher } from '@waymark/client-gen/runtime';
import { toScreenText } from '../output/to-screen-text.ts';

/** Between two lines about how it goes: of a terminal, where each takes the place of the last, and elsewhere. */
const everyMs = { terminal: 1_000, lines: 10_000 } as const;

/** Where progress is written. */
export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** What progress is about. */
export interface ProgressParts {
  readonly output: ProgressOutput;
  readonly json: boolean;
  readonly device: string;
  /** Takes out what nobody is to see. */
  hide(text: string): string;
  publisher(): Pick<CameraPublisher, 'state' | 'taken' | 'refused' | 'dropped' | 'roundTripMs'>;
}

/** Says how it goes: one line that changes, lines of a log, or JSON. */
export class Progress {
  readonly #parts: ProgressParts;
  readonly #isLive: boolean;
  readonly #timer: NodeJS.Timeout;
  #frames = 0;
  #bytes = 0;
  #why: string | undefined;
  #sinceMs = performance.now();
  #takenBefore = 0;
  #begun = false;
  /** The line that changes is there. */
  #hasLine = false;

  constructor(parts: ProgressParts) {
    this.#parts = parts;
    this.#isLive = !parts.json && parts.output.isTTY === true;
    this.#timer = setInterval(() => this.#tell(), everyMs[this.#isLive ? 'terminal' : 'lines']);
  }

  frame(bytes: number): void {
    this.#begun = true;
    this.#frames++;
    this.#bytes += bytes;
  }

  refused(why: string): void {
    this.#why = why;
  }

  /** Something that happened, in a line of its own. */
  note(text: string): void {
    const message = toScreenText(this.#parts.hide(text)).replaceAll('\n', ' ');
    if (this.#parts.json) this.#json({ type: 'note', message });
    else this.#parts.output.write(this.#isLive ? `\r${message}\u001b[K\n` : `${message}\n`);
  }

  /** Says how it was in the end, if there was anything. */
  close(): void {
    clearInterval(this.#timer);
    if (this.#begun) this.#tell();
    if (this.#hasLine) this.#parts.output.write('\n');
  }

  #tell(): void {
    const { state, taken, refused, dropped, roundTripMs } = this.#parts.publisher();
    const atMs = performance.now();
    const fps = ((taken - this.#takenBefore) * 1_000) / Math.max(1, atMs - this.#sinceMs);
    const frameBytes = this.#frames === 0 ? 0 : Math.round(this.#bytes / this.#frames);
    this.#sinceMs = atMs;
    this.#takenBefore = taken;
    this.#frames = 0;
    this.#bytes = 0;
    const counts = { taken, refused, dropped };
    const roundTrip = roundTripMs === undefined ? null : Math.round(roundTripMs);
    if (this.#parts.json) {
      const members = { fps: round(fps), frame_bytes: frameBytes, ...counts };
      this.#json({
        type: 'progress',
        state,
        ...members,
        refusal: this.#why ?? null,
        round_trip_ms: roundTrip,
      });
      return;
    }
    const why = refused > 0 && this.#why !== undefined ? ` (${this.#why})` : '';
    const line = [
      `${this.#parts.device}: ${round(fps)} fps`,
      `${Math.round(frameBytes / 1_000)} KB/frame`,
      `${taken} taken`,
      `${dropped} dropped`,
      `${refused} refused${why}`,
      ...(roundTrip === null ? [] : [`${roundTrip} ms`]),
      state,
    ].join(', ');
    const shown = toScreenText(line);
    // What goes on in a second row would stay there.
    this.#hasLine = this.#isLive;
    const row = shown.slice(0, (this.#parts.output.columns || 80) - 1);
    this.#parts.output.write(this.#isLive ? `\r${row}\u001b[K` : `${shown}\n`);
  }

  #json(record: object): void {
    this.#parts.output.write(`${JSON.stringify({ ...record, device: this.#parts.device })}\n`);
  }
}

function round(fps: number): number {
  return Math.round(fps * 10) / 10;
}
