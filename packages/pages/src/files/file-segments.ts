/** What a path below the mount asks for. */
export interface WantedFile {
  /** Names of directories, and of the file; none of them leads up or aside. */
  readonly segments: readonly string[];
  /** The path ends with a slash: the index of a directory is meant. */
  readonly directory: boolean;
}

/** Names that are devices on Windows, whatever their ending. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** What no name may hold: separators and streams of Windows, its wildcards, and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const foreign = /[\\/:*?"<>|\x00-\x1f\x7f]/;

/**
 * Reads the path of a request, undecoded, so that an encoded slash is none.
 *
 * Only names that mean the same on every system are names: what is hidden, a way up, a device or a separator somewhere
 * is nothing here, whatever this system makes of it.
 *
 * @param depth how many segments of the path are the mount's
 * @returns undefined for what can be no file
 */
export function toWantedFile(path: string, depth: number): WantedFile | undefined {
  // The first slash stands before the first segment.
  const parts = path.split('/').slice(1 + depth);
  const directory = parts.at(-1) === '';
  const segments = (directory ? parts.slice(0, -1) : parts).map(decode);
  return segments.every((segment) => segment !== undefined && isName(segment))
    ? { segments: segments as readonly string[], directory }
    : undefined;
}

/** Whether something can be the name of a file that is served. */
export function isName(name: string): boolean {
  if (name === '' || name.length > 255 || name.startsWith('.')) return false;
  // Windows takes these ends off, so that they would name another file.
  return !/[. ]$/.test(name) && !foreign.test(name) && !device.test(name);
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
